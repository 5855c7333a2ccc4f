// FLOPs and bytes of a case, level by level, and who says so.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"
#include "model/cases/measured.hpp"
#include "model/placement/fma_mix.hpp"

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

/// Two ways by which another profiler counted the same, and how far they are apart.
struct Disagreement {
  std::string quantity = {}, used = {}, other = {};  // the ways as formulas of metrics
  double ratio = absent;                             // other / used
};

/// The way in which times came to counts.
enum class Join {
  same,         // counted on the very case that was timed
  transferred,  // counted on flavors of the same source, compiler and level that agree (model/placement/join.hpp)
  model,        // only the model speaks
  none
};
std::string_view to_string(Join join);

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
  std::string convention = {};  // of counting, where it is another one than ours
  std::vector<Disagreement> disagreements = {};
  std::vector<std::string> remarks = {};  // on the ways by which it was counted
};

/// A level of the roofline, and its boundary towards the core.
struct LevelBoundary {
  const char* level;
  const char* boundary;
};
std::span<const LevelBoundary> level_boundaries();
/// A GPU's; the last is "system", the host's memory as kernels reach it over the link.
std::span<const LevelBoundary> gpu_level_boundaries();
/// The levels that a case of ours may have: a CPU's, or a GPU's; the host's memory only where by the model data lie there.
std::span<const LevelBoundary> levels_of(const Measured& measured);

/// The source that all levels that have bytes share, or "mixed"; `otherwise` where none has.
std::string common_source(std::span<const LevelTraffic> levels, std::string otherwise);

}  // namespace plumbline
