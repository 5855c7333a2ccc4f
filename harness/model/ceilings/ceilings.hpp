// Attainable ceilings are found from the samples of a run: FLOP/s by kind of arithmetic, bytes/s by level of memory.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/core_limits.hpp"
#include "model/ceilings/form_choice.hpp"

namespace plumbline {

/// A cache of a node as the topology tells it.
struct CacheSize {
  int level = 1;
  std::uint64_t bytes = 0;
  std::int64_t shared_by_cpus = 1;
};

/// The facts about a node that placing and fitting need.
struct NodeFacts {
  std::string node = {};
  std::vector<CacheSize> caches = {};  // data and unified caches, from the core outwards; may be empty
  std::int64_t cpus_per_core = 1;      // hardware threads
  std::int64_t numa_domains = 1;
  std::string part = {};  // "64 of 128 cores": what the run had of it; empty: all
  CoreIdentity core = {};
};

/// A ceiling fitted from samples, with its spread, its limit and what speaks against it.
struct Ceiling {
  std::string name = {}, precision = {}, level = {}, pattern = {};  // level: compute, L1, L2, ..., mem
  std::int64_t ranks = 1, threads = 1;
  std::string node = {};
  double value = absent;  // the rate to draw: the best sample; for a level of memory that of the working set with the best median
  std::string unit = {};  // GFLOP/s, GB/s
  double min = absent, median = absent, max = absent, cv = absent;
  std::size_t n = 0;
  std::string method = {};
  double traffic_gbs = absent;  // memory levels: the rate in bytes that cross the boundary towards the core, fills for stores included
  double size_bytes = absent;   // memory levels: how far the plateau reaches, by measurement; for mem the working set it was measured with
  double size_lo_bytes = absent, size_hi_bytes = absent;  // 90 % of the resamples of the sweep: how sure this one run is
  double samples_bytes =
      absent;  // working set (for messages: size) of the samples that min, median, max and n are of; NaN where there is none
  double confidence = absent;      // that there is this level, 0..1 (model/ceilings/levels.hpp)
  double topology_bytes = absent;  // what the topology says of its size; absent where it says nothing
  double clock_hz = absent;        // beside the best sample (model/ceilings/ceiling_limits.hpp)
  double limit = absent;           // what the team's cores could do at that clock, in `unit`
  std::string limit_source = {};
  std::string limit_basis = {};   // "vendor", or "inferred" from what undisturbed samples show; empty where there is no limit
  std::string limit_reason = {};  // why there is none, where more is known than that
  std::string limit_remark = {};  // why a limit twice too high may be no fault of the measurement; mostly empty
  std::string scope = {};         // what the team fills: core, NUMA domain, socket, node
  Status status = Status::ok;
  std::string reason = {};
  std::string form = {};                  // which of several loops the samples are of: "bumped v4"; empty where none was chosen among
  double contest_rate = absent;           // what that loop reached in its contest, in `unit`
  std::vector<FormRate> runners_up = {};  // the others of its contest, in `unit`, the fastest first
  std::string samples_form = {};          // `form` of the samples' rows: empty for the plan's own loop
  std::string doubt = {};                 // mem: why it may be partly a cache's; empty where nothing says so

  /// Whether measurement and topology give the level the same size, within 25 %; nullopt where one of them gives none.
  std::optional<bool> agrees_with_topology() const;
  /// The part of its limit that the ceiling reaches; NaN where none is known.
  double fraction_of_limit() const { return value / limit; }
  bool is_compute() const { return level == "compute"; }
};

/// Fits one ceiling for each group of samples (level compute or a memory level) and one for each level and pattern of each sweep over
/// working sets (level "sweep"; bandwidth or latency). The levels are those of the sweeps themselves, whatever the topology says; it stands
/// beside. A level that a pattern has no sample of is there with its status and reason. GPUs' samples make ceilings of their own, behind
/// the others (model/ceilings/gpu_ceilings.hpp).
std::vector<Ceiling> fit_ceilings(std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes);

/// Says in words where sweeps and topology do not agree on the levels of a node.
std::vector<std::string> topology_disagreements(std::span<const Ceiling> ceilings, std::span<const NodeFacts> nodes);

/// The spread above which a run was disturbed: coefficient of variation by level ("compute", "L1", "L2", "L3", "mem").
double quiet_cv(const std::string& level);

/// The capacity of a level in bytes for a team whose workers sit on cores of their own.
std::uint64_t team_capacity(const NodeFacts& node, const CacheSize& cache, std::int64_t workers);

}  // namespace plumbline
