// A pass of one case on one node's team is measured by its ranks, and gathered by the node's leader.
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/here/counting_plan.hpp"
#include "app/here/gpus.hpp"
#include "app/stages/gpu_in_use.hpp"
#include "app/stages/team_meeting.hpp"
#include "campaign/campaign.hpp"
#include "comm/communicator.hpp"
#include "core/case.hpp"
#include "core/flows.hpp"
#include "core/records.hpp"
#include "counters/registry.hpp"
#include "gpu/gpu_module.hpp"
#include "measure/executed.hpp"
#include "measure/gpu_counting.hpp"
#include "measure/timing.hpp"
#include "measure/worker.hpp"
#include "model/ceilings/last_cache.hpp"

namespace plumbline::app {

/// CPUs of a team on a node: [rank][thread]. `refusal` says why there is no such placement.
struct TeamCpus {
  std::vector<std::vector<int>> cpus;
  bool oversubscribed = false;
  std::string refusal;
  std::string scope = "";          // what of the node they fill (schedule/team_placement.hpp)
  int ranks_per_l3 = 1;            // each of them has that part of it
  bool in_one_domain = false;      // of memory: it is the same to all of them where a page lies
  std::vector<TeamGpu> gpus = {};  // of each rank, which drives it from the CPU beside it; none for teams without GPUs
};

/// Runs cases on this rank; it holds what stays the same for all cases of a run.
class CaseRunner {
 public:
  struct Setting {
    std::string session;
    std::vector<CacheLevel> caches;  // as one thread sees them; the emulator's geometry too
    CountingPlan counting;
    EmulatedWorker* worker = nullptr;  // null where no group of `counting` needs it
    BackendFacts backends = {};        // for those that count in this process
    bool cold_l2 = false;              // each sweep on a GPU begins with an L2 that holds nothing of its data
    Counting repetitions = {};         // of counts
  };

  CaseRunner(Communicator& ranks, Setting setting) : ranks_(ranks), setting_(std::move(setting)) {}

  /// Times a case. Collective over the first `measured.team.ranks` ranks of this node; others must not call. The leader (local rank 0) gets
  /// the unit of work that is now finished, whatever became of it.
  std::optional<Finished> time(const Case& measured, const TeamCpus& placement, const TimingProtocol& protocol);
  /// Counts a case in one pass an event group: timing and counting never share a run, nor do two groups. Where it is counted in this
  /// process, a region lasts about `min_seconds`; the worker is waited for `patience_seconds`.
  std::optional<Finished> count(const Case& measured, const TeamCpus& placement, double min_seconds, double patience_seconds);
  /// Sets the last cache that models and simulated caches have from now on. It is called before the first case.
  void set_last_cache(LastCache last) { last_ = std::move(last); }
  /// The GPU that its cases run on: whoever measures on one in this process does it through this.
  GpuInUse& gpu_in_use() { return gpu_; }
  /// The unit of a case that cannot be measured here; only on the leader.
  Finished skip(const Case& measured, const std::string& pass, const std::string& reason) const;

 private:
  /// Times a case on this rank's GPU, and adds what of the GPU belongs into the placement to `facts`.
  Timed time_on_gpu_of(const Case& measured, const TeamGpu& own, const TimingProtocol& protocol, TeamMeeting& team,
                       const ThreadTeam& threads, nlohmann::json& facts);
  /// Counts one group on this rank's GPU. `counting` is made with the first group, and has the case's data for the others.
  CountedCase count_on_gpu_of(const Case& measured, const GpuProperties& gpu, const CountingGroup& group, const BoundTeam& bound,
                              TeamMeeting& team, std::optional<CountingOnGpu>& counting);
  /// Opens this rank's GPU to count there, and makes the backend of a group in its context. What is not ok says why it cannot count.
  CountedCase ready_on_gpu(const GpuProperties& gpu, const CountingGroup& group, const BoundTeam& bound);
  /// The caches as one thread of the team sees them, with a last cache of so many bytes; a GPU's as its multiprocessors do.
  std::vector<CacheLevel> caches_of(const TeamCpus& placement, std::uint64_t last_bytes) const;
  /// The caches of its CPUs, also beside a GPU.
  std::vector<CacheLevel> cpu_caches_of(const TeamCpus& placement, std::uint64_t last_bytes) const;
  /// The model's rows, with an interval where the size of the last cache leaves one.
  std::vector<ModelRow> modelled(const Case& measured, const TeamCpus& placement) const;
  CountedCase count_here(const Case& measured, const CountingGroup& group, const BoundTeam& bound, const TeamCpus& placement,
                         TeamMeeting& team, double min_seconds);
  int repetitions_of(const CountingGroup& group) const;
  /// Tells with which groups a case was counted, and how often with those whose counts do not repeat exactly.
  void add_counted_with(Space space, nlohmann::json& placement) const;
  OutcomeRow outcome(const Case& measured, const std::string& pass) const;
  /// The rows of what the case's code executes between registers and L1, once a case; `placement` is told where that is not known.
  std::vector<ModelRow> executed_rows(const Case& measured, nlohmann::json& placement);
  /// Makes one unit of those of the team's ranks, on its first. The pass's outcome is that of the first rank that failed itself.
  std::optional<Finished> gather(const Case& measured, Finished mine, FailedAt failed_at, const std::string& rank_facts,
                                 const TeamCpus& placement);

  Communicator& ranks_;
  Setting setting_;
  GpuInUse gpu_;
  LastCache last_;                                            // without a name: the setting's
  std::map<std::string, Executed> executed_;                  // by case id: both passes store it
  std::map<std::string, std::unique_ptr<Backend>> backends_;  // by the group's key: those counted in this process
  EmptyRegions empties_;                                      // of GPUs
};

/// The model's rows of one rank's sweep, and two more amounts in bytes: "working_set", what a sweep surely touches and what it may touch,
/// and "last_cache", the size that was reckoned with, where cores share one. Of an application on a GPU "launches", as many as its schedule
/// has, and host_entries; `host_caches` are those of its phases that are the host's, as one of the team's threads sees them.
std::vector<ModelRow> model_rows(const Case& measured, std::span<const CacheLevel> caches, std::span<const CacheLevel> host_caches = {});

}  // namespace plumbline::app
