// A result file holds several sides of projections: each team on each node, in each instruction set that its cases were compiled for.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/cases/measured.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/placement/roofline.hpp"
#include "model/projecting/projected_pair.hpp"

namespace plumbline {

struct MeasuredSide {
  NodeSide side = {};
  std::vector<TimedPart> parts = {};  // whole cases, not their phases
};

/// The side that a case was measured on: its node with as many ranks and threads, in its instruction set.
NodeSide measured_side(const Measured& measured, std::span<const Ceiling> ceilings, const NodeFacts& facts, const std::string& label);
/// A case, or a phase of one, with its time and the amounts that its place on the roofline tells.
TimedPart timed_part(const Measured& measured, const RooflinePlacement& placement);

/// The sides of a file's CPU cases that have a place on the roofline. `label` says which file it is, where there are several; empty: no
/// other.
std::vector<MeasuredSide> measured_sides(const Measurements& measurements, std::span<const Ceiling> ceilings,
                                         std::span<const NodeFacts> nodes, std::span<const RooflinePlacement> placements,
                                         const std::string& label);

/// Pairs of every side with each other, of the works that both did, the truth with each. What cannot be projected is said in `left_out`,
/// once a reason.
std::vector<ProjectedPair> pairs_of(std::span<const MeasuredSide> sides, std::vector<std::string>& left_out);

}  // namespace plumbline
