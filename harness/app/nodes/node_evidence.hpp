// A verdict on a node, or a wrong result, is told with what speaks for it.
#pragma once
#include <string>
#include <vector>

#include "app/nodes/node_judgement.hpp"

namespace plumbline::app {

/// The confirmed case that is surely the slowest; null where none is confirmed.
const RemeasuredCase* strongest(const JudgedNode& node);

/// The GPUs that the verdict is of, as "GPU1", where it is of nothing else in the node.
std::vector<std::string> gpus_of_finding(const NodeReport& report, const JudgedNode& node);

/// Puts the verdict on a node into a sentence.
std::string headline(const NodeReport& report, const JudgedNode& node);

/// The evidence, a line each: what was measured again, or else at first; the clock; what was seen of the node beside its peers.
std::vector<std::string> evidence_of(const NodeReport& report, const JudgedNode& node);

/// Puts a wrong result into a sentence, with what its peers computed.
std::string wrong_text(const WrongOnNode& one);

}  // namespace plumbline::app
