#include "app/stages/pass_outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace plumbline::app {

void conclude(OutcomeRow& pass, const std::vector<GroupOutcome>& groups) {
  const auto with = [&](Status status) {
    return std::any_of(groups.begin(), groups.end(), [&](const GroupOutcome& group) { return group.status == status; });
  };
  pass.status = with(Status::failed) ? Status::failed : with(Status::ok) ? Status::ok : groups.front().status;
  std::vector<std::string> reasons;
  for (const GroupOutcome& group : groups) {
    const std::string told = groups.size() == 1 ? group.reason : group.backend + ": " + group.reason;
    if (!group.reason.empty() && std::find(reasons.begin(), reasons.end(), told) == reasons.end()) reasons.push_back(told);
  }
  pass.reason = fmt::format("{}", fmt::join(reasons, "; "));
}

FailedAt where_failed(const OutcomeRow& pass, const std::vector<GroupOutcome>& groups) {
  const bool here = std::any_of(groups.begin(), groups.end(), [&](const GroupOutcome& group) {
    return group.status == pass.status && group.failed_at == FailedAt::this_rank;
  });
  return here ? FailedAt::this_rank : FailedAt::another_rank;
}

}  // namespace plumbline::app
