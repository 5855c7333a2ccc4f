// Two versions of a campaign may measure differently although their cases have the same ids.
#pragma once
#include <string>
#include <vector>

#include "campaign/campaign.hpp"

namespace plumbline {

/// Says how `now` measures otherwise than `before`: "[timing] min_seconds was 0.02 and is 0.05". It does not matter which cases, ceilings,
/// passes and counters they ask for, nor seeds, budgets and deadlines.
std::vector<std::string> measured_otherwise(const Campaign& now, const Campaign& before);

}  // namespace plumbline
