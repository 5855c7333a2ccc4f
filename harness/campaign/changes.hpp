// What makes numbers of two versions of a campaign differ although their cases have the same ids.
#pragma once
#include <string>
#include <vector>

#include "campaign/campaign.hpp"

namespace plumbline {

/// How `now` measures otherwise than `before`: "[timing] min_seconds was 0.02 and is 0.05". Which cases, ceilings, passes and counters they
/// ask for, seeds, budgets and deadlines do not matter.
std::vector<std::string> measured_otherwise(const Campaign& now, const Campaign& before);

}  // namespace plumbline
