#include "measure/stopwatch.hpp"

#include <algorithm>
#include <limits>

#include "measure/repeating.hpp"

namespace plumbline {

Stopwatch::Stopwatch(Prepared& prepared, const ThreadTeam& threads, Synchronization& team, double (*read_clock)())
    : prepared_(prepared), threads_(threads), team_(team), read_clock_(read_clock), spans_(static_cast<std::size_t>(threads.size())) {}

Repetition Stopwatch::measure(std::uint64_t sweeps) {
  team_.barrier();
  threads_.run([&](int thread) {
    Span& span = spans_[static_cast<std::size_t>(thread)];
    span.sentinel = addition_throughput_hz() / read_clock_();
    span.switches = involuntary_switches();
    ThreadTeam::barrier();
    prepared_.workload().restores() ? sweep_and_restore(span, thread, sweeps) : sweep_through(span, thread, sweeps);
    span.switches = involuntary_switches() - span.switches;
  });
  const double count = static_cast<double>(sweeps);
  Repetition result{};
  result.rank_seconds = elapsed() / count;
  result.seconds = team_elapsed() / count;
  add_clock(result);
  add_disturbances(result);
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
  span.clock_hz = read_clock_();
  span.sentinel = std::min(span.sentinel, addition_throughput_hz() / span.clock_hz);
}

// The copy-back stays outside the timed span, so each sweep is timed alone.
void Stopwatch::sweep_and_restore(Span& span, int thread, std::uint64_t sweeps) {
  span.busy = 0;
  span.start = now_seconds();
  const double cpu = thread_cpu_seconds();
  for (std::uint64_t s = 0; s < sweeps; ++s) {
    const double start = now_seconds();
    prepared_.sweep(thread);
    span.busy += now_seconds() - start;
    if (s + 1 == sweeps) look_at_core(span);
    ThreadTeam::barrier();
    prepared_.restore(thread);
    ThreadTeam::barrier();
  }
  span.cpu_seconds = thread_cpu_seconds() - cpu;
  span.end = now_seconds();
}

double Stopwatch::elapsed() const {
  double first = std::numeric_limits<double>::infinity(), last = 0, busiest = 0;
  for (const Span& span : spans_) {
    first = std::min(first, span.start);
    last = std::max(last, span.end);
    busiest = std::max(busiest, span.busy);
  }
  return prepared_.workload().restores() ? busiest : last - first;
}

double Stopwatch::team_elapsed() {
  if (prepared_.workload().restores()) return team_.max(elapsed());
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

}  // namespace plumbline
