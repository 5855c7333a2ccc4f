// These are the emulator's counters as PAPI shows them. What PAPI's presets claim is data: counters/events/papi-presets.toml.
#include <algorithm>
#include <set>

#include "model/scoring/accuracy.hpp"

namespace plumbline {
namespace {

constexpr const char* sde_prefix = "sde:::plumbline::";

/// The software-defined event of an emulated one claims what that claims; it is no witness of this harness's own.
Counter through_papi(Counter counter) {
  counter.name = counter.name.starts_with("emulated.") ? "papi.sde." + counter.name.substr(9) : "papi.sde " + counter.name;
  counter.backend = "papi";
  for (auto& term : counter.terms) term.event = sde_prefix + term.event;
  counter.exact = false;
  return counter;
}

/// The emulator never sees what a GPU does, nor phases that such a case leaves to the host.
bool all_on_gpus(const Measurements& measurements) {
  return !measurements.cases.empty() && std::all_of(measurements.cases.begin(), measurements.cases.end(),
                                                    [](const Measured& one) { return one.of->gpus > 0 || !phase_of(one.of->id).empty(); });
}

}  // namespace

std::vector<Counter> counters_in(const Measurements& measurements) {
  if (all_on_gpus(measurements)) return {};
  const auto counted = events_counted(measurements, "papi");
  std::vector<Counter> all(known_counters().begin(), known_counters().end());
  for (const auto& emulated : known_counters()) {
    Counter counter = through_papi(emulated);
    bool whole = true;
    for (const auto& term : counter.terms) whole = whole && counted.contains(term.event);
    if (whole) all.push_back(std::move(counter));
  }
  return all;
}

}  // namespace plumbline
