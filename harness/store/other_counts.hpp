// Counts by another backend than the later attempt's are no attempts at the same thing: both stay.
#pragma once
#include <set>
#include <string>

#include "core/records.hpp"

namespace plumbline {

/// Notes in `later` that it has the counts of `earlier` by other backends too, where both are counting passes of one unit that came out ok.
/// The placement of `later` says with what it was counted ({"counted_with":["BACKEND/..."]}). Answers which backends these are.
std::set<std::string> take_other_counts(const OutcomeRow& earlier, OutcomeRow& later);

}  // namespace plumbline
