#include "app/results/counter_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

std::vector<std::optional<TheoreticalOccupancy>> theoretical_occupancies(const Results& results, const Measurements& measurements) {
  std::map<std::pair<std::string, std::string>, TheoreticalOccupancy> known;  // by case and node
  for (const auto& row : results.outcomes) {
    if (row.placement.find("theoretical_occupancy") == std::string::npos) continue;
    const Json placement = Json::parse(row.placement, nullptr, false);
    if (!placement.is_object()) continue;
    TheoreticalOccupancy all;
    for (const auto& rank : placement.value("ranks", Json::array())) {
      const Json told = rank.value("gpu", Json::object()).value("theoretical_occupancy", Json::object());
      all.least = std::fmin(all.least, told.value("least", absent));
      all.most = std::fmax(all.most, told.value("most", absent));
      if (std::isnan(all.least)) all.reason = told.value("reason", std::string());
    }
    if (std::isfinite(all.least)) all.reason.clear();
    known[{row.case_id, row.node}] = all;
  }
  std::vector<std::optional<TheoreticalOccupancy>> occupancies;
  for (const auto& measured : measurements.cases) {
    const auto found = known.find({case_of(measured.of->id), measured.node});
    const bool of_phase = !phase_of(measured.of->id).empty();  // launches are told of the whole alone
    occupancies.push_back(found == known.end() || of_phase ? std::nullopt : std::optional(found->second));
  }
  return occupancies;
}

Columns<TheoreticalOccupancy> theoretical_occupancy_columns() {
  using Row = TheoreticalOccupancy;
  return {{"least", "part of the room for warps that a multiprocessor fills, of the kernel with the least", &Row::least},
          {"most", "the same of the kernel with the most", &Row::most},
          {"status", "ok, or unavailable", [](const Row& at) { return at.is_known() ? Status::ok : Status::unavailable; }},
          {"reason", "why it is not known", [](const Row& at) { return OrNull{at.reason}; }}};
}

std::string theoretical_occupancy_text(const TheoreticalOccupancy& occupancy) {
  const double least = 100 * occupancy.least, most = 100 * occupancy.most;
  return occupancy.least == occupancy.most ? fmt::format("{:.0f} %", most) : fmt::format("{:.0f} to {:.0f} %", least, most);
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

std::string conditions_text(const CounterConditions& at, const std::optional<TheoreticalOccupancy>& theoretical) {
  std::string text = at.clock_hz.ok() ? "counted at " + gigahertz(at.clock_hz.value) : "counted at a clock that is not known";
  if (std::isfinite(at.timed_clock_hz)) text += fmt::format(" (timed at {})", gigahertz(at.timed_clock_hz));
  if (at.is_of_another_clock()) text += fmt::format(", {:+.0f} %", 100 * (at.clock_ratio() - 1));
  std::string rest;
  if (at.seconds.ok()) rest += duration(at.seconds.value) + " under the profiler";
  if (at.occupancy.ok()) rest += fmt::format("{}occupancy {:.0f} %", rest.empty() ? "" : ", ", 100 * at.occupancy.value);
  if (at.occupancy.ok() && theoretical && theoretical->is_known())
    rest += fmt::format(" (of {} in theory)", theoretical_occupancy_text(*theoretical));
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
