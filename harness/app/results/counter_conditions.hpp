// The command 'plumbline show' tells of the conditions in which a GPU's counters counted.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"
#include "gpu/theoretical_occupancy.hpp"
#include "model/scoring/counter_conditions.hpp"

namespace plumbline::app {

/// The conditions of each measured case, in their order; nullopt where no counters of a GPU counted.
std::vector<std::optional<CounterConditions>> counter_conditions(const Results& results, const Measurements& measurements);

/// The theoretical occupancy of each measured case, in their order, as it was kept with its times: the least and the most of its GPUs;
/// nullopt of a case on CPUs, and of files that are older.
std::vector<std::optional<TheoreticalOccupancy>> theoretical_occupancies(const Results& results, const Measurements& measurements);
Columns<TheoreticalOccupancy> theoretical_occupancy_columns();
/// The occupancy in words, "50 %" or "25 to 100 %".
std::string theoretical_occupancy_text(const TheoreticalOccupancy& occupancy);

/// The columns of conditions, for programs; an absent number has its reason.
Columns<CounterConditions> conditions_columns();
/// The conditions in words: "counted at 1.41 GHz (timed at 1.98 GHz): 12.3 us, occupancy 87 % (of 100 % in theory)".
std::string conditions_text(const CounterConditions& at, const std::optional<TheoreticalOccupancy>& theoretical = {});
/// Notes on a file in which cases were counted at another clock than they were timed at.
std::vector<std::string> conditions_notes(std::span<const std::optional<CounterConditions>> all);

}  // namespace plumbline::app
