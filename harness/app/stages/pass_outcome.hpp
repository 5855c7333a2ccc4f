// A counting pass has one outcome, made of those of its groups of events.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"
#include "measure/failed_at.hpp"

namespace plumbline::app {

/// The outcome of one group of a counting pass.
struct GroupOutcome {
  std::string backend;
  Status status;
  std::string reason;
  FailedAt failed_at = FailedAt::this_rank;
};

/// Gives the pass its status and reason: a group that failed makes the pass failed; one that the case or the machine does not allow is
/// told, and is the pass's status only where no other group counted anything.
void conclude(OutcomeRow& pass, const std::vector<GroupOutcome>& groups);

/// The rank that the concluded pass tells of: another one only where no group of its status has it of this rank.
FailedAt where_failed(const OutcomeRow& pass, const std::vector<GroupOutcome>& groups);

}  // namespace plumbline::app
