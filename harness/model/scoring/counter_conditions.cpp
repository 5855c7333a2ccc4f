#include "model/scoring/counter_conditions.hpp"

#include <algorithm>
#include <cmath>

#include "model/cases/weighted_sum.hpp"
#include "model/statistics/rules.hpp"

namespace plumbline {
namespace {

bool sees(const Counter& counter, const char* quantity) { return counter.quantities.size() == 1 && counter.quantities.front() == quantity; }

/// The quantity by the first counter that has a number; else why the first one has none. Of several GPUs it is their mean: clocks and
/// shares do not add up over them. A time is already the longest.
Reported reported(const Measured& measured, std::span<const Counter> counters, const char* quantity) {
  Reported first{absent, Status::unavailable, std::string("no counter of ") + quantity + " was counted"};
  bool none = true;
  for (const auto& counter : counters) {
    if (!sees(counter, quantity)) continue;
    Reported value = weighted_sum(counter, measured);
    if (measured.gpus.size() > 1 && counter.kind != Kind::time) value.value /= static_cast<double>(measured.gpus.size());
    if (value.ok()) return value;
    if (none) first = std::move(value), first.value = absent;
    none = false;
  }
  return first;
}

Reported counted_clock(const Measured& measured, std::span<const Counter> counters, const Reported& seconds) {
  Reported clock = reported(measured, counters, "hertz");
  if (clock.ok()) return clock;
  const Reported cycles = reported(measured, counters, "cycles");
  return cycles.ok() && seconds.ok() && seconds.value > 0 ? Reported{cycles.value / seconds.value, Status::ok, {}} : clock;
}

bool counts_time(std::span<const Counter> counters) {
  return std::any_of(counters.begin(), counters.end(), [](const Counter& counter) { return counter.kind == Kind::time; });
}

/// The counter's name without its backend: "clock" for "cupti clock".
std::string without_backend(const Counter& counter) {
  const std::string prefix = counter.backend + " ";
  return counter.name.starts_with(prefix) ? counter.name.substr(prefix.size()) : counter.name;
}

Bounds allowed(const Measured& measured, const CounterConditions& at) {
  const double slower = 1 / at.clock_ratio();
  if (!(slower > 0) || !std::isfinite(slower) || !std::isfinite(measured.timed.lo)) return {};
  return {std::max(0.0, measured.timed.lo * std::min(1.0, slower) - rules::lone_launch_seconds),
          measured.timed.hi * std::max(1.0, slower) + rules::lone_launch_seconds};
}

}  // namespace

static_assert(rules::lone_launch_seconds == 5e-6, "the words below say 5 us");
const char* const seconds_are_held_against =
    "the times of the same case without a profiler, from the shortest to the longest, as far as the clock when counted over the clock when "
    "timed may move them (not at all where memory bounds, in full where arithmetic does), and 5 us more or less for a launch that stands "
    "alone";

bool CounterConditions::is_of_another_clock() const { return std::abs(clock_ratio() - 1) > rules::other_clock; }

CounterConditions conditions_of(const Measured& measured, std::span<const Counter> counters) {
  CounterConditions at{.seconds = reported(measured, counters, "seconds"),
                       .occupancy = reported(measured, counters, "occupancy"),
                       .timed_clock_hz = measured.clock_hz};
  at.clock_hz = counted_clock(measured, counters, at.seconds);
  return at;
}

std::vector<Counter> times_by_cycles(std::span<const Counter> counters) {
  std::vector<Counter> times;
  for (const auto& cycles : counters)
    for (const auto& rate : counters) {
      if (!sees(cycles, "cycles") || !sees(rate, "hertz") || cycles.backend != rate.backend || rate.terms.size() != 1) continue;
      Counter& time = times.emplace_back(cycles);
      time.name += " / " + without_backend(rate);
      for (auto& term : time.terms) term.weight /= rate.terms.front().weight;
      time.over = rate.terms.front().event;
      time.quantities = {"seconds"};
      time.kind = Kind::time;
    }
  return times;
}

std::vector<Bounds> seconds_allowed(const Measurements& measurements, std::span<const Counter> counters) {
  std::vector<Bounds> all;
  if (!counts_time(counters)) return all;
  for (const auto& measured : measurements.cases) all.push_back(allowed(measured, conditions_of(measured, counters)));
  return all;
}

}  // namespace plumbline
