#include "measure/counting.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "measure/clock.hpp"
#include "measure/prepared.hpp"
#include "measure/sweeping.hpp"

namespace plumbline {
namespace {

void nothing(const void*, std::size_t, std::size_t) {}

std::vector<std::vector<Reading>> readings_of(const Backend& backend, int threads) {
  std::vector<std::vector<Reading>> all;
  for (int t = 0; t < threads; ++t) all.push_back(backend.readings(t));
  return all;
}

// Simulators count only between these two: neither restoring nor summing up moves a simulated line.
class Counting {
 public:
  explicit Counting(Simulator* simulator) : simulator_(simulator) { set(true); }
  Counting(const Counting&) = delete;
  ~Counting() { set(false); }

 private:
  void set(bool on) {
    if (simulator_ != nullptr) simulator_->set_counting(on);
  }

  Simulator* simulator_;
};

/// A region is the part of a sweep that is counted.
class Region {
 public:
  static Region nothing() { return Region(false, std::nullopt); }
  static Region whole() { return Region(true, std::nullopt); }
  static Region of_phase(std::size_t phase) { return Region(true, phase); }
  bool counts() const { return counts_; }
  bool counts(const PreparedStep& step) const { return counts_ && (!phase_ || *phase_ == step.step->phase); }

 private:
  Region(bool counts, std::optional<std::size_t> phase) : counts_(counts), phase_(phase) {}
  bool counts_;
  std::optional<std::size_t> phase_;  // else all
};

/// The ranks of a team and the threads of this one.
struct CountedTeam {
  const ThreadTeam& threads;
  Synchronization& ranks;
};

void sweep_by_steps(Prepared& prepared, Sweep function, Backend& backend, const CountedTeam& team, const Region& region) {
  for (const PreparedStep& step : prepared.steps()) {
    if (step.step->exchange) {
      step.step->exchange(team.ranks);
      continue;
    }
    const bool counts = region.counts(step);
    const Counting on(backend.simulator());
    team.threads.run([&](int thread) {
      if (counts) backend.enter(thread);
      Prepared::run_step(step, function, thread);
      if (counts) backend.leave(thread);
    });
  }
}

void sweep_all(Prepared& prepared, Sweep function, Backend& backend, const CountedTeam& team, std::uint64_t sweeps, const Region& region) {
  if (prepared.is_application()) {
    sweep_by_steps(prepared, function, backend, team, region);
  } else {
    const Counting on(backend.simulator());
    team.threads.run([&](int thread) {
      if (region.counts()) backend.enter(thread);
      for (std::uint64_t k = 0; k < sweeps; ++k) prepared.sweep_range(function, thread);
      if (region.counts()) backend.leave(thread);
    });
  }
  team.threads.run([&](int thread) { prepared.restore(thread); });
}

/// A counter is one group of a backend, over so many sweeps.
struct Counter {
  Backend& backend;
  std::size_t group;
  std::uint64_t sweeps;
  WarmSweep warm;
};

std::vector<std::vector<Reading>> count_region(Prepared& prepared, Sweep function, const Counter& what, const CountedTeam& team,
                                               const Region& region) {
  Backend& backend = what.backend;
  // A sweep that is undone, or goes through a schedule, is an entry by itself.
  const std::uint64_t in_an_entry = prepared.is_application() || prepared.workload().restores() ? 1 : what.sweeps;
  backend.prepare(what.group, team.threads.size());
  Simulator* const simulator = backend.simulator();
  if (simulator != nullptr) simulator->empty_caches();
  team.threads.run([&](int thread) { backend.open(thread); });
  team.ranks.barrier();
  Backend& around = simulator != nullptr ? *simulator : backend;
  if (what.warm == WarmSweep::yes) sweep_all(prepared, function, around, team, 1, Region::nothing());
  for (std::uint64_t done = 0; done < what.sweeps; done += in_an_entry) sweep_all(prepared, function, around, team, in_an_entry, region);
  team.threads.run([&](int thread) { backend.close(thread); });
  return readings_of(backend, backend.groups()[what.group].whole_team ? 1 : team.threads.size());
}

std::vector<RegionCounts> count_repetitions(Prepared& prepared, const Counter& what, const CountedTeam& team, int repetitions,
                                            const Region& region) {
  std::vector<RegionCounts> all;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    RegionCounts counts{.kernel = {}, .empty = {}, .sweeps = what.sweeps};
    counts.empty = count_region(prepared, nothing, what, team, region);
    counts.kernel = count_region(prepared, prepared.flavor(), what, team, region);
    all.push_back(std::move(counts));
  }
  return all;
}

// The number of sweeps in a region: so many that reading the counters, which is subtracted, is small beside the work; the same on every
// rank.
std::uint64_t sweeps_for(Prepared& prepared, const CountedTeam& team, double min_seconds) {
  if (min_seconds <= 0) return 1;
  constexpr double most = 1000;
  const auto sweep = [&] {
    sweep_once(prepared, team.threads, team.ranks);
    team.threads.run([&](int thread) { prepared.restore(thread); });
  };
  sweep();
  const double start = now_seconds();
  sweep();
  const double seconds = team.ranks.max(now_seconds() - start);
  return static_cast<std::uint64_t>(std::clamp(std::ceil(min_seconds / seconds), 1.0, most));
}

// Prepares and initialises a case's data; null where that failed, and `why` says it.
std::unique_ptr<Prepared> data_of(const Case& measured, const CountedTeam& team, std::uintptr_t address, std::string& why) {
  try {
    auto prepared = std::make_unique<Prepared>(measured, team.threads.size(), address);
    prepared->take_place(team.ranks);
    team.threads.run([&](int thread) { prepared->initialise(thread); });
    return prepared;
  } catch (const std::exception& failure) {
    why = failure.what();
    return nullptr;
  }
}

}  // namespace

CountedCase count_case(const Case& measured, Backend& backend, std::size_t group, const ThreadTeam& threads,
                       const CountingProtocol& protocol, Synchronization& ranks) {
  if (Simulator* const simulator = backend.simulator()) simulator->set_counting(false);
  CountedCase counted;
  const CountedTeam team{threads, ranks};
  const auto prepared = data_of(measured, team, protocol.address, counted.reason);
  if (ranks.any(!prepared)) {
    counted.status = Status::failed;
    if (!prepared) return counted;
    counted.reason = another_rank("could not prepare the case");
    counted.failed_at = FailedAt::another_rank;
    return counted;
  }
  const Counter what{backend, group, sweeps_for(*prepared, team, protocol.min_seconds), protocol.warm};
  counted.repetitions = count_repetitions(*prepared, what, team, protocol.repetitions, Region::whole());
  for (std::size_t phase = 0; phase < prepared->phases(); ++phase)
    counted.phases.push_back(count_repetitions(*prepared, what, team, protocol.repetitions, Region::of_phase(phase)));
  return counted;
}

}  // namespace plumbline
