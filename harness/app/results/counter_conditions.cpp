#include "app/results/counter_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/results/scored_counters.hpp"
#include "model/statistics/rules.hpp"

namespace plumbline::app {
namespace {

std::string gigahertz(double hertz) { return plain(hertz * 1e-9) + " GHz"; }

void add(Json& json, const char* key, const Reported& value) {
  json[key] = number(value.value);
  explain(json, key, value.status, value.reason);
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

Json conditions_json(const CounterConditions& at) {
  Json json = Json::object();
  add(json, "seconds", at.seconds);
  add(json, "clock_hz", at.clock_hz);
  add(json, "occupancy", at.occupancy);
  json["timed_clock_hz"] = number(at.timed_clock_hz);
  const bool timed = std::isfinite(at.timed_clock_hz);
  explain(json, "timed_clock_hz", timed ? Status::ok : Status::unavailable, timed ? "" : "no timing pass, or none with a clock");
  json["clock_ratio"] = number(at.clock_ratio());
  const bool both = std::isfinite(at.clock_ratio());
  explain(json, "clock_ratio", both ? Status::ok : Status::unavailable, both ? "" : "one of the two clocks is not known");
  json["is_of_another_clock"] = both ? Json(at.is_of_another_clock()) : Json();
  return json;
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
