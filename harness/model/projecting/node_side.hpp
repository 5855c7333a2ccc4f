// One side of a projection: a kind of node or team with what it can do, by its measured ceilings or a data sheet.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/cache_edge.hpp"
#include "model/placement/compute_roof.hpp"

namespace plumbline {

/// A level of memory as the whole team has it.
struct SideLevel {
  std::string name = {};
  double gbs = absent;               // bytes across its boundary towards the core
  double narrow_gbs = absent;        // of accesses of one number each; absent: as fast
  double size_bytes = absent;        // how large a working set of the team fits; absent for memory, and where nobody says
  double room_bytes = absent;        // how much the team's caches have room for; absent: `size_bytes`
  std::int64_t ways = 0;             // of its cache; 0: not known
  std::vector<EdgePoint> edge = {};  // where it ends; empty: not known, only its size
  double spread = 0;                 // of its samples: standard deviation over mean
  double any_isa_gbs = absent;       // whatever the instruction set; absent: as `gbs`
};

struct NodeSide {
  std::string name = {};        // "r1t1 v3"
  std::string machine = {};     // CPU model
  std::string conditions = {};  // file that it was measured in: a quota, a neighbour
  std::string team = {}, isa = {};
  double workers = 1;
  double clock_hz = absent;
  double vector_bytes = 32;            // of its instruction set
  bool fuses = true;                   // it has FMAs
  std::vector<SideLevel> levels = {};  // from the core outwards
  std::vector<ArithmeticCeiling> vector_rates = {}, scalar_rates = {};
  std::vector<ArithmeticCeiling> any_isa_rates = {};  // whatever the instruction set; empty: as `vector_rates`
  double compute_spread = 0;
  double instructions_per_second = absent;  // of the whole team, that its cores can take up; absent where that is not known
  double core_cycles_per_second = absent;   // of the whole team; absent where the clock is not known
  double launch_seconds = absent;           // on a GPU
  double message_seconds = absent, message_gbs = absent;
};

/// The level of that name; nullptr where the side has none.
const SideLevel* level_named(const NodeSide& side, const std::string& name);

/// Vector lanes of a precision: 8 of "fp32" in 32 bytes.
double lanes(const NodeSide& side, const std::string& precision);

}  // namespace plumbline
