#include "measure/stopwatch.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/repeating.hpp"

namespace plumbline {
namespace {

/// The factor by which a boosted clock rises and falls within a millisecond; a core that meets wide vectors lowers it by more.
constexpr double most_wobble = 1.05;

}  // namespace

Stopwatch::Stopwatch(Prepared& prepared, const ThreadTeam& threads, Synchronization& team, double (*read_clock)(), ReadStolen read_stolen)
    : prepared_(prepared),
      threads_(threads),
      team_(team),
      read_clock_(read_clock),
      read_stolen_(std::move(read_stolen)),
      spans_(static_cast<std::size_t>(threads.size())),
      phase_seconds_(prepared.phases()) {
  if (!read_stolen_) return;
  cpus_.resize(spans_.size());
  threads_.run([&](int thread) { cpus_[static_cast<std::size_t>(thread)] = sched_getcpu(); });
  std::sort(cpus_.begin(), cpus_.end());
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

Repetition Stopwatch::measure(std::uint64_t sweeps) {
  const double stolen_before = stolen_seconds();
  std::fill(phase_seconds_.begin(), phase_seconds_.end(), 0.0);
  team_.barrier();
  threads_.run([&](int thread) {
    Span& span = spans_[static_cast<std::size_t>(thread)];
    span.clock_hz = read_clock_();
    span.sentinel = addition_throughput_hz() / span.clock_hz;
    span.switches = involuntary_switches();
    ThreadTeam::barrier();
    times_each_sweep() ? sweep_one_by_one(span, thread, sweeps) : sweep_through(span, thread, sweeps);
    span.switches = involuntary_switches() - span.switches;
  });
  const double count = static_cast<double>(sweeps);
  Repetition result{};
  result.rank_seconds = elapsed() / count;
  result.seconds = team_elapsed() / count;
  add_clock(result);
  add_disturbances(result);
  add_shares(result);
  add_stolen(result, stolen_before);
  result.sweeps = sweeps;
  add_phases(result);
  return result;
}

std::uint64_t Stopwatch::calibrate(double min_seconds) {
  return sweeps_lasting(min_seconds, [&](std::uint64_t sweeps) { return measure(sweeps).seconds * static_cast<double>(sweeps); });
}

// The CPU clock is read inside the span, so that its share is at most one.
void Stopwatch::sweep_through(Span& span, int thread, std::uint64_t sweeps) {
  span.start = now_seconds();
  const double cpu = thread_cpu_seconds();
  for (std::uint64_t s = 0; s < sweeps; ++s) prepared_.sweep(thread);
  span.cpu_seconds = thread_cpu_seconds() - cpu;
  span.end = now_seconds();
  look_at_core(span);
}

void Stopwatch::look_at_core(Span& span) {
  const double before = span.clock_hz, after = read_clock_();
  span.sentinel = std::min(span.sentinel, addition_throughput_hz() / after);
  span.clock_hz = before > after && before < most_wobble * after ? before : after;
}

// The copy-back stays outside the timed span, so each sweep is timed alone. Ranks begin a sweep of an application together: what one of
// them does beside it is not the wait of another's exchange.
void Stopwatch::sweep_one_by_one(Span& span, int thread, std::uint64_t sweeps) {
  const bool exchanges = prepared_.is_application();
  span.busy = 0;
  span.start = now_seconds();
  const double cpu = thread_cpu_seconds();
  for (std::uint64_t s = 0; s < sweeps; ++s) {
    if (exchanges) meet_ranks(thread);
    const double start = now_seconds();
    exchanges ? run_schedule(thread) : prepared_.sweep(thread);
    span.busy += now_seconds() - start;
    if (s + 1 == sweeps) look_at_core(span);
    ThreadTeam::barrier();
    prepared_.restore(thread);
    ThreadTeam::barrier();
  }
  span.cpu_seconds = thread_cpu_seconds() - cpu;
  span.end = now_seconds();
}

void Stopwatch::meet_ranks(int thread) {
  if (thread == 0) team_.barrier();
  ThreadTeam::barrier();
}

void Stopwatch::run_schedule(int thread) {
  double before = now_seconds();
  for (const PreparedStep& step : prepared_.steps()) {
    if (!step.step->exchange)
      Prepared::run_step(step, prepared_.flavor(), thread);
    else if (thread == 0)
      step.step->exchange(team_);
    ThreadTeam::barrier();
    if (thread != 0) continue;
    const double after = now_seconds();
    phase_seconds_[step.step->phase] += after - before;
    before = after;
  }
}

double Stopwatch::elapsed() const {
  double first = std::numeric_limits<double>::infinity(), last = 0, busiest = 0;
  for (const Span& span : spans_) {
    first = std::min(first, span.start);
    last = std::max(last, span.end);
    busiest = std::max(busiest, span.busy);
  }
  return times_each_sweep() ? busiest : last - first;
}

double Stopwatch::team_elapsed() {
  if (times_each_sweep()) return team_.max(elapsed());
  double first = std::numeric_limits<double>::infinity(), last = 0;
  for (const Span& span : spans_) {
    first = std::min(first, span.start);
    last = std::max(last, span.end);
  }
  const double earliest = team_.min(first);
  return team_.max(last) - earliest;
}

void Stopwatch::add_clock(Repetition& result) {
  double sum = 0;
  for (const Span& span : spans_) sum += span.clock_hz;
  const double threads = static_cast<double>(spans_.size());
  result.rank_clock_hz = sum / threads;
  result.clock_hz = team_.sum(sum) / team_.sum(threads);
}

void Stopwatch::add_disturbances(Repetition& result) {
  result.sentinel = std::numeric_limits<double>::infinity();
  result.cpu_share = 1;
  for (const Span& span : spans_) {
    result.sentinel = std::min(result.sentinel, span.sentinel);
    result.cpu_share = std::min(result.cpu_share, span.cpu_seconds / (span.end - span.start));
    result.involuntary_switches += span.switches;
  }
  result.sentinel = team_.min(result.sentinel);
  result.cpu_share = team_.min(result.cpu_share);
  result.involuntary_switches = static_cast<std::int64_t>(team_.max(static_cast<double>(result.involuntary_switches)));
}

void Stopwatch::add_shares(Repetition& result) {
  double share = 0;
  for (const Span& span : spans_) share += span.cpu_seconds / (span.end - span.start);
  const double threads = static_cast<double>(spans_.size());
  result.rank_cpu_share = share / threads;
  result.mean_cpu_share = team_.sum(share) / team_.sum(threads);
}

double Stopwatch::stolen_seconds() const { return read_stolen_ ? read_stolen_(cpus_).seconds : absent; }

/// Adds the time stolen from the team; where one rank is not told it, the team does not know. NaN passes no sum of MPI reliably.
void Stopwatch::add_stolen(Repetition& result, double before) {
  result.rank_steal_seconds = stolen_seconds() - before;
  result.steal_seconds = absent;
  if (!read_stolen_) return;
  const bool unknown = team_.any(!std::isfinite(result.rank_steal_seconds));
  const double sum = team_.sum(unknown ? 0 : result.rank_steal_seconds);
  if (!unknown) result.steal_seconds = sum;
}

void Stopwatch::add_phases(Repetition& result) {
  for (const double seconds : phase_seconds_) {
    const double mine = seconds / static_cast<double>(result.sweeps);
    result.phases.push_back({.seconds = team_.max(mine), .rank_seconds = mine});
  }
}

}  // namespace plumbline
