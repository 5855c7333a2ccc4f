// What is told of a node and of a wrong result, and what speaks for it.
#pragma once
#include <string>
#include <vector>

#include "app/nodes/node_judgement.hpp"

namespace plumbline::app {

/// Of the confirmed cases the one that is surely the slowest; null where none is confirmed.
const RemeasuredCase* strongest(const JudgedNode& node);

/// "GPU1": those that the verdict is of, where it is of nothing else in the node.
std::vector<std::string> gpus_of_finding(const NodeReport& report, const JudgedNode& node);

/// The verdict on a node in a sentence.
std::string headline(const NodeReport& report, const JudgedNode& node);

/// A line each: what was measured again, or else at first; the clock; what was seen of the node beside its peers.
std::vector<std::string> evidence_of(const NodeReport& report, const JudgedNode& node);

/// A wrong result in a sentence, with what its peers computed.
std::string wrong_text(const WrongOnNode& one);

}  // namespace plumbline::app
