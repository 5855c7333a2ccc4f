// Which kernels, flavors and sizes find a node's ceilings. Pure: a function of the kernels linked in and of what the machine says.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/flows.hpp"

namespace plumbline {

enum class CeilingMode { quick, full };

/// One point to measure. Several points may make one ceiling: the largest of a working-set sweep's plateau, say.
struct CeilingCase {
  Case measured;
  std::string name;                   // "FP64 vector FMA", "load", "vector k=8"; ending in " (v3)" where it is not the machine's widest ISA
  std::string precision;              // "fp64", "fp32"; "-" for bandwidth
  std::string level;                  // "compute" | "sweep" (bandwidth by working set) | "vector" (ERT's sweep over k)
  std::string pattern;                // "fma", "scalar add"; "load", "triad"; "k=8"
  std::string unit;                   // "GFLOP/s" | "GB/s"
  double amount_per_sweep = 0;        // FLOP, or algorithmic bytes, of ONE rank's sweep
  double working_set_bytes = absent;  // of one rank; absent for compute
};

/// The plan for every team in turn. `isa` is the widest level that the machine runs (v2 v3 v4 neon); `caches` from the core outwards
/// as flows.hpp has them; `memory_bytes` what the node can give (0: unknown); a team's ranks all lie on this node. Working sets go from 4
/// KiB a thread to four times the last cache, but never above a quarter of the memory. Empty when no flavor runs on the machine.
std::vector<CeilingCase> plan_ceilings(CeilingMode mode, const std::string& isa, std::span<const CacheLevel> caches,
                                       std::uint64_t memory_bytes, const std::vector<Team>& teams);

}  // namespace plumbline
