// One case is counted on a GPU with one event group as on CPUs (measure/counting.hpp): a warm sweep, then the region, and the empty region.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/case.hpp"
#include "counters/backend/backend.hpp"
#include "gpu/gpu_module.hpp"
#include "measure/counting.hpp"
#include "measure/gpu_timing.hpp"

namespace plumbline {

/// The note on a count from which nothing could be subtracted begins so; the reason follows.
inline constexpr std::string_view no_empty_count = "nothing is subtracted, for the empty region has no count: ";

/// The readings of the empty regions that were counted so far, by backend, group and the GPU's ordinal. Nothing of a case is in them, so
/// that one does for all cases.
using EmptyRegions = std::map<std::tuple<const Backend*, std::size_t, int>, std::vector<Reading>>;

/// Counts a case whose kernel is for GPUs with group after group: its data are allocated and filled once, with the first of them, which
/// takes longer than to count them all.
class CountingOnGpu {
 public:
  /// The case, the GPU, the empty regions, the team and the threads, which do what is left to the host, must outlive this object; backends,
  /// the empty regions. With `cold_l2` each sweep begins with an L2 that holds nothing of its data.
  CountingOnGpu(const Case& measured, Gpu& gpu, EmptyRegions& empties, Synchronization& team = alone(),
                const ThreadTeam& threads = one_thread(), bool cold_l2 = false)
      : case_(measured), gpu_(gpu), empties_(empties), team_(team), threads_(threads), cold_l2_(cold_l2) {}

  /// Counts `group` of `backend` in so many repetitions of the kernel's region, and the empty region once for all cases. A group of several
  /// passes sweeps as often, with the data restored in between, and counts one sweep. Where the backend is refused its counters the status
  /// is its own, from the first repetition, and no further one is tried. An empty region that cannot be counted counts nothing, and its
  /// readings keep the reason as a note. What the backend holds for further groups and cases (MultiPass::release) it keeps. Never throws;
  /// collective over the team, whose ranks count each its own GPU's part of the same sweeps.
  CountedCase count(Backend& backend, std::size_t group, int repetitions);

 private:
  /// The empty region, counted behind the first region of a kernel: a driver may refuse a range without work, and must not spoil the rest.
  const std::vector<Reading>& empty_region(Backend& backend, std::size_t group);

  /// Adds one repetition of each phase, from whose readings those of as many empty regions as it has entries are to be subtracted.
  void add_phases(CountedCase& counted, const std::vector<std::vector<Reading>>& regions, const std::vector<Reading>& empty) const;

  const Case& case_;
  Gpu& gpu_;
  EmptyRegions& empties_;
  Synchronization& team_;
  const ThreadTeam& threads_;
  bool cold_l2_;
  std::unique_ptr<PreparedOnGpu> prepared_;
  Timed refused_;  // why it cannot be prepared, once that was found
};

/// Counts one group on a GPU alone, and has the backend release what it holds.
CountedCase count_on_gpu(const Case& measured, Backend& backend, std::size_t group, int repetitions, Gpu& gpu);

}  // namespace plumbline
