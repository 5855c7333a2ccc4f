// A measured node is made one side of a projection, and its measured cases are made groups.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/ceilings/ceilings.hpp"
#include "model/placement/projection.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline {

/// The node's ceilings by level ("L1" ... "mem": the best pattern; "mem triad": that one; "compute fp64") and scope. "node" is the largest
/// team measured, "core" the smallest; "numa" the team that fills a NUMA domain, or where none was measured an equal share of the node;
/// "gpu" the node's first GPU.
NodeSpec node_spec(const NodeFacts& facts, std::span<const Ceiling> ceilings);

/// The groups, one sweep of each case that has a bound: single workers held to the core's ceilings, teams to the node's, kernels of GPUs to
/// the GPU's. Their times add up: there is no phase beside its application, and no whole program beside its parts.
std::vector<ApplicationGroup> groups_of(std::span<const RooflinePlacement> placements, const std::string& node);

}  // namespace plumbline
