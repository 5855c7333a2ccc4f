// A session says of itself, before it measures, where its results come from, and what its nodes are.
#pragma once
#include <string>

#include "app/session/run_input.hpp"
#include "comm/communicator.hpp"
#include "schedule/node_part.hpp"

namespace plumbline::app {

/// The provenance, collective over a node's ranks: program, build, MPI, events; and the caches whose traffic was simulated: those of a
/// geometry file are known nowhere else. JSON, on all of them; the leader asks the system.
std::string provenance_of_node(const RunInput& input, Communicator& ranks);

/// The document of this node (machine/machine_json.hpp), collective over its ranks and given to all of them. The leader asks the system,
/// the others where they may run.
std::string machine_of_node(const RunInput& input, const NodePart& part, Communicator& ranks);

}  // namespace plumbline::app
