// Which nodes measure which cases again before one of them is named.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "model/node_comparison.hpp"

namespace plumbline {

/// Like nodes that go through the same cases, turn by turn.
struct RemeasuringGroup {
  std::vector<std::string> suspects = {}, peers = {};
  std::vector<std::string> cases = {};

  std::vector<std::string> nodes() const;  // all of them, in the order of their names
};

inline constexpr std::size_t cases_of_suspect = 4;  // the worst of each
inline constexpr std::size_t least_peers = 3;       // if there are so many; and as many as suspects

/// What could be compared: `what` on a node that has it, and so can measure it again.
using ComparedThings = std::set<SeriesKey>;
ComparedThings compared_things(const NodeComparison& comparison);

/// Suspects among the `present` nodes with the others, kind by kind: those that have most of the cases, and of these the most typical. A
/// kind of which nobody is beyond suspicion has nobody to be held against, and what is suspicious of ceilings alone is not measured
/// again: no group; nor is a case that no peer has.
std::vector<RemeasuringGroup> plan_remeasuring(const NodeComparison& comparison, const std::set<std::string>& present);

}  // namespace plumbline
