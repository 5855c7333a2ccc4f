// Tables of GPUs are held against CUPTI, where this machine has its library: which metrics a chip has, and in how many passes it counts a
// row.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "counters/tables/event_table.hpp"

namespace plumbline::app {

struct MetricCheck {
  std::string note = {};                                          // what was found, or why nothing was checked
  std::map<std::string, std::optional<std::size_t>> passes = {};  // by row; absent where CUPTI cannot count it
};
/// Checks the metrics of the first of the tables' chips.
MetricCheck check_metrics(const KnownCounters& known);

}  // namespace plumbline::app
