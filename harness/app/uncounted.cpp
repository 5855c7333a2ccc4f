#include "app/uncounted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace plumbline::app {

const char* const without_counts =
    "Times and ceilings are measured all the same, and arithmetic intensities are the model's; no counter can be scored. 'plumbline "
    "doctor' "
    "says for each quantity what would make counting possible";

std::optional<std::string> nothing_counted(const Results& results) {
  if (!results.counts.empty()) return std::nullopt;
  std::set<std::string> reasons;
  bool tried = false;
  for (const auto& outcome : results.outcomes) {
    if (outcome.pass != "count") continue;
    tried = true;
    if (!outcome.reason.empty()) reasons.insert(outcome.reason);
  }
  constexpr const char* not_asked = "the campaign did not ask for it, as passes = [\"time\", \"count\"] with counters = \"auto\" would";
  std::string why = tried ? fmt::format("{}", fmt::join(reasons, "; ")) : not_asked;
  if (!why.empty() && why.back() == '.') why.pop_back();
  return fmt::format("nothing was counted{}{}. {}", why.empty() ? "" : ": ", why, without_counts);
}

}  // namespace plumbline::app
