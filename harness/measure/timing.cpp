#include "measure/timing.hpp"

#include "measure/clock.hpp"
#include "measure/statistics.hpp"

namespace plumbline {
namespace {

bool precise_enough(const std::vector<Repetition>& all, double ci_relative) {
  std::vector<double> seconds;
  for (const auto& repetition : all) seconds.push_back(repetition.seconds);
  return median_halfwidth(seconds) <= ci_relative;
}

void repeat(Stopwatch& watch, std::uint64_t sweeps, const TimingProtocol& protocol, double began, Timed& timed, Synchronization& team) {
  for (;;) {
    timed.repetitions.push_back(watch.measure(sweeps));
    const int made = static_cast<int>(timed.repetitions.size());
    if (made >= protocol.max_repetitions) return;
    // The team's seconds are the same number on every rank, the time spent is not: agree.
    const bool spent = team.any(now_seconds() - began > protocol.budget_seconds);
    if (made >= protocol.min_repetitions && (spent || precise_enough(timed.repetitions, protocol.ci_relative))) return;
  }
}

void check_result(const Prepared& prepared, const Case& measured, Timed& timed) {
  timed.error = prepared.workload().error();
  timed.tolerance = prepared.workload().tolerance();
  if (timed.error <= timed.tolerance) return;
  timed.status = Status::failed;
  timed.wrong_result = true;
  timed.reason = "wrong result: relative error " + std::to_string(timed.error) + " above " + std::to_string(timed.tolerance) +
                 " in flavor " + std::string(measured.flavor.name);
}

}  // namespace

std::unique_ptr<Prepared> prepare_case(const Case& measured, bool check, const ThreadTeam& threads, Synchronization& team, Timed& timed,
                                       Arena* arena) {
  std::unique_ptr<Prepared> prepared;
  try {
    prepared = arena == nullptr ? std::make_unique<Prepared>(measured, threads.size())
                                : std::make_unique<Prepared>(measured, threads.size(), *arena);
    threads.run([&](int thread) { prepared->initialise(thread); });
    threads.run([&](int thread) { prepared->sweep(thread); });
    if (check) check_result(*prepared, measured, timed);
    threads.run([&](int thread) { prepared->restore(thread); });
  } catch (const std::exception& failure) {
    timed.status = Status::failed;
    timed.reason = std::string("cannot prepare the case: ") + failure.what();
  }
  if (team.any(timed.status != Status::ok)) {
    if (timed.status == Status::ok) timed = {.status = Status::failed, .reason = "another rank of the team failed", .repetitions = {}};
    prepared.reset();
  }
  return prepared;
}

Timed time_case(const Case& measured, const TimingProtocol& protocol, const ThreadTeam& threads, Synchronization& team) {
  Timed timed;
  const double began = now_seconds();
  const auto prepared = prepare_case(measured, true, threads, team, timed);
  if (!prepared) return timed;
  Stopwatch watch(*prepared, threads, team);
  repeat(watch, watch.calibrate(protocol.min_seconds), protocol, began, timed, team);
  return timed;
}

}  // namespace plumbline
