// Run time on another node is projected from where each part of a program is bound on this one: equations (5) to (7) of Kwack et al.,
// "Roofline Analysis with Cray Performance Analysis Tools (CrayPat) and Roofline-based Performance Projections for a Future Architecture",
// CUG 2018.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enumerators.hpp"
#include "core/records.hpp"
#include "model/ceilings/cache_edge.hpp"
#include "model/placement/compute_roof.hpp"
#include "model/placement/reuse_distances.hpp"

namespace plumbline {

/// A ceiling of one side, with how it was found: ratios of ceilings found in different ways compare methods too.
struct NodeCeiling {
  std::string name = {};  // what bounds a group: "DRAM", "mem", "L2", "compute"
  double value = absent;
  std::string unit = {};
  std::string scope = {};            // node | numa | core | gpu: who shares it
  std::string method = {};           // "STREAM", "ERT 1.1.0", "plumbline ert/stream ..."
  double traffic_gbs = absent;       // in bytes that cross the boundary, fills for stores included; absent: `value`
  double size_bytes = absent;        // of a cache: the working set that it holds
  double room_bytes = absent;        // of a cache: how much it has room for; absent: `size_bytes`
  std::int64_t ways = 0;             // of a cache; 0: not known
  std::vector<EdgePoint> edge = {};  // of a cache: where it ends; empty: not known, only its size
  double spread = 0;                 // of its samples, relative
  double clock_hz = absent;          // of the cores that reached it
};

/// A node as one side of a projection: its ceilings.
struct NodeSpec {
  std::string name = {};
  std::vector<NodeCeiling> ceilings = {};
  double measured_seconds = absent;  // a target's true run time, where it is known
  std::string machine = {};          // CPU model; empty: its name
  double cores = absent;             // that its node ceilings are of
  double launch_seconds = absent;    // on a GPU
  double issue_width = absent;       // instructions that a core takes up in a cycle
};

/// A part of a program with its own bound. Threaded parts are held to the node's ceiling (5), serial ones to their NUMA domain's (6),
/// measured single-core kernels to the core's, those of GPUs to a GPU's.
struct ApplicationGroup {
  std::string name = {};
  double seconds = absent;
  std::string scope = "node";       // of the ceiling: node | numa | core | gpu
  std::string bound = {};           // name of a ceiling
  double percent_of_roof = absent;  // that it reaches; absent: not known, as of a spec's
  ArithmeticMix mix = {};           // of one that arithmetic bounds, where it was measured: then its ceilings are the roofs over this mix
  // Where they are known, methods beside equations (5) and (6) can be asked:
  std::map<std::string, double> bytes = {};  // by level
  double scalar_part = absent;               // of the floating-point instructions, on one number each
  double instructions = absent;              // of all kinds, as a core takes them up
  double core_cycles = absent;               // that cores of this CPU model need for them with all data in L1
  double working_set_bytes = absent;
  double launches = 0;
  std::optional<PartReuse> reuse = {};  // tells the bytes on any caches
  bool waits = false;                   // threads or ranks wait here for others: no ceiling bounds it
  double idle_core_seconds = 0;         // of a group that works: how long the other cores of its team have nothing to do meanwhile
};

/// The time of a group that waits over that at home is that of the groups that work, by how much of the team idles beside each; where none
/// does, by their times. `ratio` is how many times as long the i-th group takes.
template <class Ratio>
double waiting_ratio(const std::vector<ApplicationGroup>& groups, Ratio ratio) {
  double sum = 0, weights = 0, seconds = 0, all = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].waits) continue;
    sum += groups[i].idle_core_seconds * ratio(i), weights += groups[i].idle_core_seconds;
    seconds += groups[i].seconds * ratio(i), all += groups[i].seconds;
  }
  return weights > 0 ? sum / weights : all > 0 ? seconds / all : 1;
}

/// The rule for the time that no group covers.
enum class Rest {
  scaled,   // as the groups do: their sum over the covered fraction (7)
  constant  // it takes as long as before
};
constexpr std::string_view to_string(Rest rest) { return enumerator_name(rest); }

/// A program as its groups, and the time that they leave uncovered.
struct Application {
  std::string name = {};
  std::vector<ApplicationGroup> groups = {};
  double rest_seconds = 0;           // not covered by groups
  double covered_fraction = absent;  // for (7); absent: from the seconds
};

/// The ground on which the bytes of a group on the target are known.
enum class BytesBy {
  none,     // nobody counted any
  counted,  // as many as here
  rule,     // those counted here, but that its working set goes into other caches, or near the edge of one
  reuse     // placed anew from its distances of reuse
};
constexpr std::string_view to_string(BytesBy by) { return enumerator_name(by); }

/// The bytes of a group across the boundaries of the target.
struct GroupBytes {
  BytesBy by = BytesBy::none;
  std::map<std::string, double> bytes = {};    // by level, towards the core
  std::vector<std::string> moved = {};         // caches behind which other traffic is there than here
  std::vector<std::string> conflicts = {};     // caches there whose sets may decide, and not their size: then more crosses behind them
  std::vector<std::string> without_roof = {};  // levels there whose bytes cost nothing, for no ceiling is known
  std::vector<std::string> unknown_sizes = {}, unknown_sets = {};  // caches there of which nobody says how large they are, or how many sets
};

struct ProjectedGroup {
  ApplicationGroup group = {};
  NodeCeiling from = {}, to = {};
  double seconds = absent;
  bool is_of_mix = false;  // both sides are the roof over the group's own mix of arithmetic
  GroupBytes there = {};   // filled by who can place it
};

/// The projected times of a program on a target.
struct Projection {
  std::string source = {}, target = {};
  Rest rest = Rest::scaled;
  std::vector<ProjectedGroup> groups = {};
  double covered_fraction = absent;
  double seconds_before = absent, seconds = absent, speedup = absent;
  double measured_seconds = absent, error_percent = absent;  // where the target's true time is known
  std::vector<std::string> warnings = {};
};

/// The ceilings of arithmetic of a scope, "compute PRECISION [PATTERN]". One without a pattern is of FMAs, or, where it is no more than the
/// best of its precision's patterns, of no kind, and left out.
std::vector<ArithmeticCeiling> arithmetic_ceilings(const NodeSpec& node, const std::string& scope);

/// Projects an application. Throws Error (user) that names the group and the side which lacks its ceiling. A group with a mix is held to
/// the roof of that mix on either side, by the ceilings of arithmetic of its scope, unless its bound has a pattern: "compute fp64 add".
Projection project(const Application& application, const NodeSpec& source, const NodeSpec& target, Rest rest);

}  // namespace plumbline
