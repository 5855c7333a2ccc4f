// The FLOPs and bytes of a timed case are its own counts, counts of sibling flavors, or the model's word.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/counter_set.hpp"
#include "core/profiler_metric.hpp"
#include "model/placement/fma_mix.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline {

/// An amount with the interval that its source leaves open. An interval that begins at nothing may come without a value.
struct Estimate {
  double value = absent, lo = absent, hi = absent;
};

/// The bytes across the boundary of one level.
struct LevelTraffic {
  std::string level = {};
  Estimate bytes = {};
  std::string source = {};  // emulated | hardware | model
  Status status = Status::ok;
  std::string reason = {};   // why there are none
  std::string metrics = {};  // another profiler's, by which it was counted
};

/// The FLOPs and bytes of one sweep of a case, and where they come from.
struct Traffic {
  Join join = Join::none;
  std::string source = {};  // of the levels' bytes: emulated | hardware | model, or mixed
  Estimate flops = {};
  std::vector<LevelTraffic> levels = {};  // a level that nobody speaks of is left out
  FmaMixes fma_mixes = {};  // of the FLOPs' counters, else of other counts of the same case; empty where none tells kinds apart
  std::map<std::string, double> flops_by_precision = {};  // "fp64", "tensor.bf16"; of another profiler's counts: those that were collected
  double flops_without_ceiling = 0;                       // divisions and roots among them
  std::string note = {};                                  // of a transfer: from where, and how well they agree
  Status status = Status::ok;                             // why there is none
  std::string reason = {};
  // Members for what another profiler counted:
  Status flops_status = Status::ok;  // why there are no FLOPs beside the bytes
  std::string flops_reason = {};
  std::vector<Disagreement> disagreements = {};
  std::vector<std::string> remarks = {};  // on the ways by which it was counted
};

/// A level of the roofline, and its boundary towards the core.
struct LevelBoundary {
  const char* level;
  const char* boundary;
};
std::span<const LevelBoundary> level_boundaries();
std::span<const LevelBoundary> gpu_level_boundaries();

/// The source that all levels that have bytes share, or "mixed"; `otherwise` where none has.
std::string common_source(std::span<const LevelTraffic> levels, std::string otherwise);

/// The traffic of a case by the join rule: what another profiler of `profilers` counted of the case, if one did; own counts, else
/// transferred ones, else the model. Own counts are those of the chosen set where there is one and the case was counted by it, else the
/// emulator's. There is none for a case whose FLOPs the set does not see.
Traffic traffic_of(const Measured& measured, const Measurements& all, const CounterSet* set = nullptr,
                   std::span<const ProfilerMetrics> profilers = {});

}  // namespace plumbline
