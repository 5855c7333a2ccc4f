// Attainable ceilings are found from the samples of a run: FLOP/s by kind of arithmetic, bytes/s by level of memory.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/ceiling.hpp"
#include "model/ceilings/node_facts.hpp"

namespace plumbline {

/// One ceiling for each group of samples (level compute or a memory level) and one for each level and pattern of each sweep over working
/// sets (level "sweep"; bandwidth or latency). The levels are those of the sweeps themselves, whatever the topology says; it stands
/// beside. A level that a pattern has no sample of is there with its status and reason. GPUs' samples make ceilings of their own, behind
/// the others (model/ceilings/gpu_ceilings.hpp).
std::vector<Ceiling> fit_ceilings(std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes);

/// Says in words where sweeps and topology do not agree on the levels of a node.
std::vector<std::string> topology_disagreements(std::span<const Ceiling> ceilings, std::span<const NodeFacts> nodes);

}  // namespace plumbline
