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

using ByThread = std::vector<std::vector<Reading>>;

void nothing(const void*, std::size_t, std::size_t) {}

ByThread readings_of(const Backend& backend, int threads) {
  ByThread all;
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

/// A region is the part of a sweep that is counted. What each thread does there goes to a sum of its own, or to one for each phase.
class Region {
 public:
  static Region nothing() { return Region(0, std::nullopt); }
  static Region whole() { return Region(1, std::nullopt); }
  static Region of_phase(std::size_t phase) { return Region(1, phase); }
  static Region each_phase(std::size_t phases) { return Region(phases, std::nullopt); }
  bool counts() const { return sums_ != 0; }
  bool counts(const PreparedStep& step) const { return counts() && (!phase_ || *phase_ == step.step->phase); }
  /// The number of the sum, of a team of so many threads.
  int sum_of(const PreparedStep& step, int thread, int threads) const {
    return sums_ > 1 ? static_cast<int>(step.step->phase) * threads + thread : thread;
  }
  int sums(int threads) const { return static_cast<int>(std::max<std::size_t>(1, sums_)) * threads; }

 private:
  Region(std::size_t sums, std::optional<std::size_t> phase) : sums_(sums), phase_(phase) {}
  std::size_t sums_;                  // of each thread
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
      const int sum = region.sum_of(step, thread, team.threads.size());
      if (counts) backend.enter(sum);
      Prepared::run_step(step, function, thread);
      if (counts) backend.leave(sum);
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

/// A counted group is one of a backend, over so many sweeps.
struct CountedGroup {
  Backend& backend;
  std::size_t group;
  std::uint64_t sweeps;
  WarmSweep warm;
};

ByThread count_region(Prepared& prepared, Sweep function, const CountedGroup& what, const CountedTeam& team, const Region& region) {
  Backend& backend = what.backend;
  // A sweep that is undone, or goes through a schedule, is an entry by itself.
  const std::uint64_t in_an_entry = prepared.is_application() || prepared.workload().restores() ? 1 : what.sweeps;
  const int sums = region.sums(team.threads.size());
  backend.prepare(what.group, sums);
  Simulator* const simulator = backend.simulator();
  if (simulator != nullptr) simulator->empty_caches();
  team.threads.run([&](int thread) { backend.open(thread); });
  team.ranks.barrier();
  Backend& around = simulator != nullptr ? *simulator : backend;
  if (what.warm == WarmSweep::yes) sweep_all(prepared, function, around, team, 1, Region::nothing());
  for (std::uint64_t done = 0; done < what.sweeps; done += in_an_entry) sweep_all(prepared, function, around, team, in_an_entry, region);
  team.threads.run([&](int thread) { backend.close(thread); });
  return readings_of(backend, backend.groups()[what.group].whole_team ? 1 : sums);
}

std::vector<RegionCounts> count_repetitions(Prepared& prepared, const CountedGroup& what, const CountedTeam& team, int repetitions,
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

/// The readings of one phase, by thread, out of those of all.
ByThread readings_of_phase(const ByThread& all, std::size_t phase, int threads) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(phase) * threads;
  return {first, first + threads};
}

/// The sums over all phases, by thread.
ByThread readings_of_whole(const ByThread& all, int threads) {
  ByThread whole = readings_of_phase(all, 0, threads);
  for (std::size_t i = whole.size(); i < all.size(); ++i)
    for (std::size_t event = 0; event < all[i].size(); ++event) whole[i % whole.size()][event].raw += all[i][event].raw;
  return whole;
}

/// A simulator's sums are only numbers, of which it keeps as many as it is asked for: one pass counts all phases.
void count_phases_at_once(CountedCase& counted, Prepared& prepared, const CountedGroup& what, const CountedTeam& team, int repetitions) {
  const std::size_t phases = prepared.phases();
  const int threads = team.threads.size();
  counted.phases.resize(phases);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const ByThread empty = count_region(prepared, nothing, what, team, Region::each_phase(phases));
    const ByThread kernel = count_region(prepared, prepared.flavor(), what, team, Region::each_phase(phases));
    counted.repetitions.push_back({readings_of_whole(kernel, threads), readings_of_whole(empty, threads), what.sweeps});
    for (std::size_t phase = 0; phase < phases; ++phase)
      counted.phases[phase].push_back({readings_of_phase(kernel, phase, threads), readings_of_phase(empty, phase, threads), what.sweeps});
  }
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
  const CountedGroup what{backend, group, sweeps_for(*prepared, team, protocol.min_seconds), protocol.warm};
  if (prepared->is_application() && backend.simulator() == &backend) {
    count_phases_at_once(counted, *prepared, what, team, protocol.repetitions);
    return counted;
  }
  counted.repetitions = count_repetitions(*prepared, what, team, protocol.repetitions, Region::whole());
  for (std::size_t phase = 0; phase < prepared->phases(); ++phase)
    counted.phases.push_back(count_repetitions(*prepared, what, team, protocol.repetitions, Region::of_phase(phase)));
  return counted;
}

}  // namespace plumbline
