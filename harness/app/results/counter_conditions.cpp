#include "app/results/counter_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/results/scored_counters.hpp"
#include "model/statistics/rules.hpp"

namespace plumbline::app {
namespace {

std::string gigahertz(double hertz) { return plain(hertz * 1e-9) + " GHz"; }

void add_reported(Columns<CounterConditions>& columns, const char* key, const char* meaning, Reported CounterConditions::*value) {
  columns.push_back({key, meaning, [value](const CounterConditions& at) { return (at.*value).value; }});
  add_explained(columns, key, key, [value](const CounterConditions& at) { return std::pair((at.*value).status, (at.*value).reason); });
}

/// A number that may be absent for one reason only.
template <class Get>
void add_number(Columns<CounterConditions>& columns, const char* key, const char* meaning, Get get, const char* reason) {
  columns.push_back({key, meaning, get});
  add_explained(columns, key, key, [get, reason](const CounterConditions& at) {
    const bool there = std::isfinite(std::invoke(get, at));
    return std::pair(there ? Status::ok : Status::unavailable, std::string(there ? "" : reason));
  });
}

}  // namespace

std::vector<std::optional<CounterConditions>> counter_conditions(const Results& results, const Measurements& measurements) {
  std::vector<std::optional<CounterConditions>> all(measurements.cases.size());
  if (events_counted(measurements, "cupti").empty()) return all;
  const auto counters = scored_counters(results, measurements).counters;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (measurements.cases[i].counts.contains("cupti")) all[i] = conditions_of(measurements.cases[i], counters);
  return all;
}

Columns<CounterConditions> conditions_columns() {
  using Row = CounterConditions;
  Columns<Row> columns;
  add_reported(columns, "seconds", "time of a launch under the profiler", &Row::seconds);
  add_reported(columns, "clock_hz", "clock at which it was counted", &Row::clock_hz);
  add_reported(columns, "occupancy", "resident warps, as a part of those that there is room for", &Row::occupancy);
  add_number(columns, "timed_clock_hz", "clock at which it was timed", &Row::timed_clock_hz, "no timing pass, or none with a clock");
  add_number(columns, "clock_ratio", "clock_hz over timed_clock_hz", &Row::clock_ratio, "one of the two clocks is not known");
  columns.push_back({"is_of_another_clock", "whether the two clocks differ so much that counts may too", [](const Row& at) {
                       return std::isfinite(at.clock_ratio()) ? std::optional(at.is_of_another_clock()) : std::nullopt;
                     }});
  return columns;
}

std::string conditions_text(const CounterConditions& at) {
  std::string text = at.clock_hz.ok() ? "counted at " + gigahertz(at.clock_hz.value) : "counted at a clock that is not known";
  if (std::isfinite(at.timed_clock_hz)) text += fmt::format(" (timed at {})", gigahertz(at.timed_clock_hz));
  if (at.is_of_another_clock()) text += fmt::format(", {:+.0f} %", 100 * (at.clock_ratio() - 1));
  std::string rest;
  if (at.seconds.ok()) rest += duration(at.seconds.value) + " under the profiler";
  if (at.occupancy.ok()) rest += fmt::format("{}occupancy {:.0f} %", rest.empty() ? "" : ", ", 100 * at.occupancy.value);
  return rest.empty() ? text : text + ": " + rest;
}

std::vector<std::string> conditions_notes(std::span<const std::optional<CounterConditions>> all) {
  const auto is_other = [](const auto& one) { return one && one->is_of_another_clock(); };
  const auto counted = std::count_if(all.begin(), all.end(), [](const auto& one) { return one.has_value(); });
  const auto others = std::count_if(all.begin(), all.end(), is_other);
  if (others == 0) return {};
  return {fmt::format(
      "{} of {} cases with counts of a GPU were counted at a clock more than {:.0f} % off the one at which they were timed: FLOPs do "
      "not depend on it, bytes that caches keep or lose may; times, GFLOP/s and percent of roof are of the timed runs",
      others, counted, 100 * rules::other_clock)};
}

}  // namespace plumbline::app
