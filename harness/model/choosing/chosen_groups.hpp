// Events packed into as few groups as the slots of the machine's counters allow.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/counter_set.hpp"
#include "model/choosing/slot_limits.hpp"

namespace plumbline {

/// The fewest groups that hold all events of one backend, those of each PMU for themselves. Throws std::invalid_argument where one event
/// alone takes more than there is.
std::vector<ChosenGroup> fewest_groups(const std::string& backend, std::span<const std::string> events, const SlotLimits& limits);

}  // namespace plumbline
