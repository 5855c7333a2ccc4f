// Counts by another backend than the later attempt's are no attempts at the same thing: both stay.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// A group of events that a counting pass counted: its key ("BACKEND/..."), and in how many repetitions where a placement tells, which it
/// does of counts that do not repeat exactly.
struct CountedGroup {
  std::string key = {};
  std::optional<int> repetitions = {};
};

/// The groups that a pass counted, as its placement lists them; nothing where it has no list.
std::optional<std::vector<CountedGroup>> counted_groups(const OutcomeRow& outcome);

/// Notes in `later` that it has the counts of `earlier` by other backends too, where both are counting passes of one unit that came out ok.
/// The placement of `later` says with what it was counted ({"counted_with":["BACKEND/..."]}). Answers which backends these are.
std::set<std::string> take_other_counts(const OutcomeRow& earlier, OutcomeRow& later);

}  // namespace plumbline
