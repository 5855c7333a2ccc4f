#include "measure/timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "measure/arena.hpp"
#include "measure/clock.hpp"
#include "measure/prepared.hpp"
#include "measure/statistics.hpp"

namespace plumbline {
namespace {

struct alignas(128) Span {
  double start = 0, end = 0, busy = 0;
};

/// Runs `sweeps` sweeps on all threads of all ranks and returns the team's and this rank's seconds a sweep.
class Stopwatch {
 public:
  Stopwatch(Prepared& prepared, const ThreadTeam& threads, Synchronization& team)
      : prepared_(prepared), threads_(threads), team_(team), spans_(static_cast<std::size_t>(threads.size())) {}

  Repetition measure(std::uint64_t sweeps) {
    Repetition result{};
    result.clock_hz = core_clock_hz();
    team_.barrier();
    threads_.run([&](int thread) {
      ThreadTeam::barrier();
      prepared_.workload().restores() ? sweep_and_restore(thread, sweeps) : sweep_through(thread, sweeps);
    });
    const double count = static_cast<double>(sweeps);
    result.rank_seconds = elapsed() / count;
    result.seconds = team_elapsed() / count;
    return result;
  }

 private:
  void sweep_through(int thread, std::uint64_t sweeps) {
    Span& span = spans_[static_cast<std::size_t>(thread)];
    span.start = now_seconds();
    for (std::uint64_t s = 0; s < sweeps; ++s) prepared_.sweep(thread);
    span.end = now_seconds();
  }

  // The copy-back stays outside the timed span, so each sweep is timed alone.
  void sweep_and_restore(int thread, std::uint64_t sweeps) {
    Span& span = spans_[static_cast<std::size_t>(thread)];
    span.busy = 0;
    for (std::uint64_t s = 0; s < sweeps; ++s) {
      const double start = now_seconds();
      prepared_.sweep(thread);
      span.busy += now_seconds() - start;
      ThreadTeam::barrier();
      prepared_.restore(thread);
      ThreadTeam::barrier();
    }
  }

  double elapsed() const {
    double first = std::numeric_limits<double>::infinity(), last = 0, busiest = 0;
    for (const Span& span : spans_) {
      first = std::min(first, span.start);
      last = std::max(last, span.end);
      busiest = std::max(busiest, span.busy);
    }
    return prepared_.workload().restores() ? busiest : last - first;
  }

  double team_elapsed() {
    if (prepared_.workload().restores()) return team_.max(elapsed());
    double first = std::numeric_limits<double>::infinity(), last = 0;
    for (const Span& span : spans_) {
      first = std::min(first, span.start);
      last = std::max(last, span.end);
    }
    const double earliest = team_.min(first);
    return team_.max(last) - earliest;
  }

  Prepared& prepared_;
  const ThreadTeam& threads_;
  Synchronization& team_;
  std::vector<Span> spans_;
};

std::uint64_t calibrate(Stopwatch& watch, double min_seconds) {
  std::uint64_t sweeps = 1;
  for (;;) {
    const double seconds = watch.measure(sweeps).seconds * static_cast<double>(sweeps);
    if (seconds >= min_seconds) return sweeps;
    const double factor = seconds > 0 ? 1.2 * min_seconds / seconds : 10.0;
    sweeps = static_cast<std::uint64_t>(std::ceil(static_cast<double>(sweeps) * std::clamp(factor, 1.5, 10.0)));
  }
}

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

Timed time_case(const Case& measured, const TimingProtocol& protocol, const ThreadTeam& threads, Synchronization& team) {
  Timed timed;
  const double began = now_seconds();
  std::unique_ptr<Prepared> prepared;
  try {
    prepared = std::make_unique<Prepared>(measured, threads.size());
    threads.run([&](int thread) { prepared->initialise(thread); });
    threads.run([&](int thread) { prepared->sweep(thread); });
    check_result(*prepared, measured, timed);
    threads.run([&](int thread) { prepared->restore(thread); });
  } catch (const std::exception& failure) {
    timed.status = Status::failed;
    timed.reason = std::string("cannot prepare the case: ") + failure.what();
  }
  if (team.any(timed.status != Status::ok)) {
    if (timed.status == Status::ok) timed = {.status = Status::failed, .reason = "another rank of the team failed", .repetitions = {}};
    return timed;
  }
  Stopwatch watch(*prepared, threads, team);
  repeat(watch, calibrate(watch, protocol.min_seconds), protocol, began, timed, team);
  return timed;
}

}  // namespace plumbline
