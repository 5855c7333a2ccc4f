#include "model/chosen_counts.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

bool sees_part_of(const Counter& counter, const std::string& prefix) {
  return std::any_of(counter.quantities.begin(), counter.quantities.end(),
                     [&](const auto& quantity) { return quantity.starts_with(prefix); });
}

Estimate sum(const Estimate& a, const Estimate& b) { return {a.value + b.value, a.lo + b.lo, a.hi + b.hi}; }

/// Of all counters that see a part of what begins so; nullopt where there is none, or one of them was not counted.
std::optional<Estimate> total(const CounterSet& set, const Measured& measured, const std::string& prefix) {
  std::optional<Estimate> all;
  for (const auto& chosen : set.counters) {
    if (!sees_part_of(chosen.counter, prefix)) continue;
    const Reported count = counted(chosen.counter, measured);
    if (!count.ok()) return std::nullopt;
    all = sum(all.value_or(Estimate{0, 0, 0}), estimate_of(chosen, count.value));
  }
  return all;
}

}  // namespace

Reported counted(const Counter& counter, const Measured& measured) {
  const auto backend = measured.counts.find(counter.backend);
  if (backend == measured.counts.end()) return {absent, Status::unavailable, "not counted by " + counter.backend};
  Reported all{0, Status::ok, {}};
  for (const auto& term : counter.terms) {
    const auto event = backend->second.find(term.event);
    if (event == backend->second.end()) return {absent, Status::unavailable, counter.backend + " did not count '" + term.event + "'"};
    if (!event->second.ok()) return {absent, event->second.status, term.event + ": " + event->second.reason};
    all.value += term.weight * event->second.value;
  }
  return all;
}

Estimate estimate_of(const ChosenCounter& chosen, double counted) {
  const double value = counted * chosen.factor;
  return {value, value / chosen.ratio_hi, value / chosen.ratio_lo};
}

bool is_simulated(const Counter& counter) {
  return counter.backend == "emulated" || std::all_of(counter.terms.begin(), counter.terms.end(),
                                                      [](const Term& term) { return term.event.starts_with("sde:::plumbline::"); });
}

std::optional<Traffic> traffic_by(const CounterSet& set, const Measured& measured) {
  const auto flops = total(set, measured, "flops.");
  if (!flops) return std::nullopt;
  const bool simulated =
      std::all_of(set.counters.begin(), set.counters.end(), [](const ChosenCounter& chosen) { return is_simulated(chosen.counter); });
  Traffic traffic{.join = Join::same, .source = simulated ? "emulated" : "hardware", .flops = *flops};
  for (const auto& [level, boundary] : level_boundaries())
    if (const auto bytes = total(set, measured, std::string("bytes.") + boundary)) traffic.levels.emplace_back(level, *bytes);
  return traffic;
}

}  // namespace plumbline
