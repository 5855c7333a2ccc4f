#include "measure/executed.hpp"

#include <exception>

#include "core/twin.hpp"
#include "measure/prepared.hpp"

namespace plumbline {
namespace {

/// A return address, which every region's call leaves by: of the sweep as of the empty function in its place.
constexpr std::uint64_t return_bytes = 8;

/// The references of one call of the twin in each thread, one after the other; `sweep(thread)` makes the call.
template <class SweepThread>
std::optional<References> executed_by(const Twin& twin, int threads, std::string& why, SweepThread sweep) {
  forget_executions(*twin.table);
  for (int thread = 0; thread < threads; ++thread) sweep(thread);
  auto references = executed_references(*twin.table, why);
  if (references) references->load -= static_cast<std::uint64_t>(threads) * return_bytes;
  return references;
}

void sweep_steps(Executed& executed, const Case& measured, const Prepared& prepared, const Twin& twin) {
  Peers alone;
  executed.phases.resize(measured.application()->phases.size());
  References whole;
  for (const PreparedStep& step : prepared.steps()) {
    if (step.step->exchange) {
      step.step->exchange(alone);
      continue;
    }
    const auto references =
        executed_by(twin, measured.team.threads, executed.why_none, [&](int thread) { Prepared::run_step(step, twin.counted, thread); });
    if (!references) return executed.phases.clear();
    executed.phases[step.step->phase] += *references;
    whole += *references;
  }
  executed.references = whole;
}

void sweep(Executed& executed, const Case& measured, const Twin& twin) {
  const int threads = measured.team.threads;
  Prepared prepared(measured, threads);
  prepared.take_place(Peers{});
  for (int thread = 0; thread < threads; ++thread) prepared.initialise(thread);
  if (prepared.is_application()) return sweep_steps(executed, measured, prepared, twin);
  executed.references = executed_by(twin, threads, executed.why_none, [&](int thread) { prepared.sweep_range(twin.counted, thread); });
}

}  // namespace

Executed executed_references(const Case& measured) {
  Executed executed;
  const Twin* const twin = measured.team.gpus > 0 ? nullptr : find_twin(measured.flavor.sweep);
  if (twin == nullptr) {
    executed.why_none = std::string(measured.flavor.name) + " has no counted twin";
  } else if (twin_work(measured.work()) > most_twin_work) {
    executed.why_none = "a sweep of the counted twin would take too long";
  } else {
    try {
      sweep(executed, measured, *twin);
    } catch (const std::exception& failure) {
      executed.why_none = failure.what();
    }
  }
  return executed;
}

}  // namespace plumbline
