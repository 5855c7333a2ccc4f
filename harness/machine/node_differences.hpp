// Nodes that should be like each other may differ in facts: "microcode: 0x3 on 30 nodes; 0x2 on n7".
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The nodes that say the same about a fact.
struct NodesWithValue {
  std::string value;  // as JSON has it, text without quotes; "absent: why" where the node does not know
  std::vector<std::string> nodes;
};

struct NodeDifference {
  std::string fact;                    // "system microcode", "libraries"
  std::vector<NodesWithValue> values;  // two or more; that of the most nodes first
};

/// The facts of /machine's documents that are not the same on all nodes of a kind (the document's `kind`, else CPU and number of cores).
/// Facts that differ by nature are left out: names, memory that happens to be free, which rank ran where. It takes n log n of the nodes.
std::vector<NodeDifference> differing_facts(std::span<const MachineRow> machines);

/// The difference in one line: "system microcode: 0x2 on n7; 0x3 on the 30 others". Names at most four nodes of each value.
std::string to_string(const NodeDifference& difference);

}  // namespace plumbline
