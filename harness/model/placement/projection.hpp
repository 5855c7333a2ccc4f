// Run time on another node is projected from where each part of a program is bound on this one: equations (5) to (7) of Kwack et al.,
// "Roofline Analysis with Cray Performance Analysis Tools (CrayPat) and Roofline-based Performance Projections for a Future Architecture",
// CUG 2018.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/enumerators.hpp"
#include "core/records.hpp"
#include "model/placement/compute_roof.hpp"

namespace plumbline {

/// A ceiling of one side, with how it was found: ratios of ceilings found in different ways compare methods too.
struct NodeCeiling {
  std::string name = {};  // what bounds a group: "DRAM", "mem", "L2", "compute"
  double value = absent;
  std::string unit = {};
  std::string scope = {};       // node | numa | core | gpu: who shares it
  std::string method = {};      // "STREAM", "ERT 1.1.0", "plumbline ert/stream ..."
  double traffic_gbs = absent;  // in bytes that cross the boundary, fills for stores included; absent: `value`
  double size_bytes = absent;   // of a cache: the working set that it holds
  double spread = 0;            // of its samples, relative
};

/// A node as one side of a projection: its ceilings.
struct NodeSpec {
  std::string name = {};
  std::vector<NodeCeiling> ceilings = {};
  double measured_seconds = absent;  // a target's true run time, where it is known
  std::string machine = {};          // CPU model; empty: its name
  double cores = absent;             // that its node ceilings are of
  double launch_seconds = absent;    // on a GPU
};

/// A part of a program with its own bound. Threaded parts are held to the node's ceiling (5), serial ones to their NUMA domain's (6),
/// measured single-core kernels to the core's, those of GPUs to a GPU's.
struct ApplicationGroup {
  std::string name = {};
  double seconds = absent;
  std::string scope = "node";  // of the ceiling: node | numa | core | gpu
  std::string bound = {};      // name of a ceiling
  ArithmeticMix mix = {};      // of one that arithmetic bounds, where it was measured: then its ceilings are the roofs over this mix
  // Where they are known, methods beside equations (5) and (6) can be asked:
  std::map<std::string, double> bytes = {};  // by level
  double scalar_part = absent;               // of the floating-point instructions, on one number each
  double working_set_bytes = absent;
  double launches = 0;
};

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

struct ProjectedGroup {
  ApplicationGroup group = {};
  NodeCeiling from = {}, to = {};
  double seconds = absent;
  bool is_of_mix = false;  // both sides are the roof over the group's own mix of arithmetic
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

/// Projects an application. Throws Error (user) that names the group and the side which lacks its ceiling. A group with a mix is held to
/// the roof of that mix on either side, by all ceilings named "compute PRECISION [PATTERN]" of its scope; where a precision has patterns,
/// the one without is not taken.
Projection project(const Application& application, const NodeSpec& source, const NodeSpec& target, Rest rest);

}  // namespace plumbline
