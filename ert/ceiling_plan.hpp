// A plan says which kernels, flavors and sizes find a node's ceilings. Pure: a function of the kernels linked in and of what the machine
// says.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/ceiling_level.hpp"

namespace plumbline {

enum class CeilingMode { quick, full };

/// A team to measure ceilings with.
struct CeilingTeam {
  Team team;
  bool everything = true;  // all patterns and sizes; else arithmetic, and the loads of one array: how rates grow with the cores used
};

/// The teams of a node: powers of two up to all its cores, and the cores of one NUMA domain, of one socket and of the node; the ranks of a
/// node share its cores evenly, and one rank alone is taken as far as its share goes. Everything is measured with one core, a domain, a
/// socket, the node.
std::vector<CeilingTeam> ceiling_teams(int cores, int ranks, int numa_domains, int packages);

/// A node's last-level caches; `bytes` of one (0: unknown), and how many there are.
struct LastCaches {
  std::uint64_t bytes = 0;
  int count = 1;
};

/// A point to measure. Several points may make one ceiling: the largest of a working-set sweep's plateau, say.
struct CeilingCase {
  Case measured;
  std::string name;       // "FP64 vector FMA", "load", "vector k=8"; ending in " (v3)" where it is not the machine's widest ISA
  std::string precision;  // "fp64", "fp32", "fp16", "bf16", "int8", "tensor.bf16" (matrix tiles); "-" for bandwidth
  CeilingLevel level;
  std::string pattern;                // "fma", "scalar add"; "load", "triad", "chase"; "k=8"
  std::string unit;                   // "GFLOP/s" | "GB/s" | "seconds" (a load of a chase)
  double amount_per_sweep = 0;        // FLOP, algorithmic bytes, or loads of a chase, of ONE rank's sweep
  double working_set_bytes = absent;  // of one rank; absent for compute
  std::uint64_t warm_sweeps = 0;      // before each sample: where one sweep touches a part of the working set only
  double share = 1;                   // of each thread's part that is swept: large working sets lie within the largest, made once
  std::string form = {};              // as "bumped v4", where it is not the plan's own loop; `name` ends with it
  double sample_seconds = 0;          // of a sample that a GPU keeps up so long; 0: a burst, as long as clocks and events resolve
  std::string data = {};              // id of the case that it shares its data with; empty: it has its own

  /// The name of the case's data. Cases of one answer are measured on the same data, one after the other.
  std::string data_id() const { return data.empty() ? measured.id() : data; }
};

/// Makes the plan for every team in turn. `isas`: what the machine runs, ascending (v2 v3 v4, neon sve256, then extensions such as v4bf16);
/// `memory_bytes` what the node can give (0: unknown); a team's ranks all lie on this node. Working sets of every pattern go to 128 MiB
/// (one thread alone), 96 MiB a thread (two) or 64 MiB a thread, those of loads and chase from 4.5 KiB on, whatever caches the machine is
/// said to have: `last_caches` can only make them larger, to four times all that a team may lie in. They are never above a quarter of the
/// memory. Empty when no flavor runs on the machine.
std::vector<CeilingCase> plan_ceilings(CeilingMode mode, std::span<const std::string> isas, LastCaches last_caches,
                                       std::uint64_t memory_bytes, std::span<const CeilingTeam> teams);

}  // namespace plumbline
