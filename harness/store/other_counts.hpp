// Counts by another backend than the later attempt's are no attempts at the same thing: both stay.
#pragma once
#include <set>
#include <string>

#include "core/records.hpp"

namespace plumbline {

/// Where `earlier` and `later` are counting passes of one unit that came out ok: `later`, whose placement says with what it was counted
/// ({"counted_with":["BACKEND/..."]}), says from now on that it has the counts of `earlier` by other backends too. Answers which these are.
std::set<std::string> take_other_counts(const OutcomeRow& earlier, OutcomeRow& later);

}  // namespace plumbline
