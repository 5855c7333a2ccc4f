#include "measure/counting.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "measure/clock.hpp"
#include "measure/prepared.hpp"

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

void sweep_all(Prepared& prepared, Sweep function, Backend& backend, const ThreadTeam& threads, std::uint64_t sweeps, bool region) {
  {
    const Counting on(backend.simulator());
    threads.run([&](int thread) {
      if (region) backend.enter(thread);
      for (std::uint64_t k = 0; k < sweeps; ++k) prepared.sweep_range(function, thread);
      if (region) backend.leave(thread);
    });
  }
  threads.run([&](int thread) { prepared.restore(thread); });
}

std::vector<std::vector<Reading>> count_region(Prepared& prepared, Sweep function, Backend& backend, std::size_t group,
                                               const ThreadTeam& threads, std::uint64_t sweeps, WarmSweep warm, Synchronization& team) {
  const std::uint64_t in_an_entry = prepared.workload().restores() ? 1 : sweeps;
  backend.prepare(group, threads.size());
  Simulator* const simulator = backend.simulator();
  if (simulator != nullptr) simulator->empty_caches();
  threads.run([&](int thread) { backend.open(thread); });
  team.barrier();
  Backend& around = simulator != nullptr ? *simulator : backend;
  if (warm == WarmSweep::yes) sweep_all(prepared, function, around, threads, 1, false);
  for (std::uint64_t done = 0; done < sweeps; done += in_an_entry) sweep_all(prepared, function, around, threads, in_an_entry, true);
  threads.run([&](int thread) { backend.close(thread); });
  return readings_of(backend, backend.groups()[group].whole_team ? 1 : threads.size());
}

// The number of sweeps in a region: so many that reading the counters, which is subtracted, is small beside the work; the same on every
// rank.
std::uint64_t sweeps_for(Prepared& prepared, const ThreadTeam& threads, double min_seconds, Synchronization& team) {
  if (min_seconds <= 0) return 1;
  constexpr double most = 1000;
  const auto sweep = [&] {
    threads.run([&](int thread) { prepared.sweep(thread); });
    threads.run([&](int thread) { prepared.restore(thread); });
  };
  sweep();
  const double start = now_seconds();
  sweep();
  const double seconds = team.max(now_seconds() - start);
  return static_cast<std::uint64_t>(std::clamp(std::ceil(min_seconds / seconds), 1.0, most));
}

// Prepares and initialises a case's data; null where that failed, and `why` says it.
std::unique_ptr<Prepared> data_of(const Case& measured, const ThreadTeam& threads, std::uintptr_t address, std::string& why) {
  try {
    auto prepared = std::make_unique<Prepared>(measured, threads.size(), address);
    threads.run([&](int thread) { prepared->initialise(thread); });
    return prepared;
  } catch (const std::exception& failure) {
    why = failure.what();
    return nullptr;
  }
}

}  // namespace

CountedCase count_case(const Case& measured, Backend& backend, std::size_t group, const ThreadTeam& threads,
                       const CountingProtocol& protocol, Synchronization& team) {
  if (Simulator* const simulator = backend.simulator()) simulator->set_counting(false);
  CountedCase counted;
  const auto prepared = data_of(measured, threads, protocol.address, counted.reason);
  if (team.any(!prepared)) {
    counted.status = Status::failed;
    if (!prepared) return counted;
    counted.reason = another_rank("could not prepare the case");
    counted.failed_at = FailedAt::another_rank;
    return counted;
  }
  const std::uint64_t sweeps = sweeps_for(*prepared, threads, protocol.min_seconds, team);
  for (int repetition = 0; repetition < protocol.repetitions; ++repetition) {
    RegionCounts counts{.kernel = {}, .empty = {}, .sweeps = sweeps};
    counts.empty = count_region(*prepared, nothing, backend, group, threads, sweeps, protocol.warm, team);
    counts.kernel = count_region(*prepared, measured.flavor.sweep, backend, group, threads, sweeps, protocol.warm, team);
    counted.repetitions.push_back(std::move(counts));
  }
  return counted;
}

}  // namespace plumbline
