// Cases and ceilings are measured again on some nodes before one of them is named.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "model/comparing/node_comparison.hpp"

namespace plumbline {

/// A group of like nodes goes through the same cases and points of ceilings, turn by turn.
struct RemeasuringGroup {
  std::vector<std::string> suspects = {}, peers = {};
  std::vector<std::string> cases = {};  // ids of cases, names of points

  std::vector<std::string> nodes() const;  // all of them, in the order of their names
};

inline constexpr std::size_t cases_of_suspect = 4;  // the worst of each; and as many ceilings
inline constexpr std::size_t least_peers = 3;       // if there are so many; and as many as suspects

/// The things that could be compared: `what` on a node that has it, and so can measure it again. A ceiling is there with each point that
/// carries it on a suspect: to be compared, nodes measure the same one, and of a GPU on a like one in the same place.
using ComparedThings = std::set<SeriesKey>;
ComparedThings compared_things(const NodeComparison& comparison);

/// Plans groups of suspects among the `present` nodes with the others, kind by kind: those that have most of the cases, and of these the
/// most typical. A kind of which nobody is beyond suspicion has nobody to be held against: no group; nor is a case measured again that no
/// peer has, or a ceiling without a point.
std::vector<RemeasuringGroup> plan_remeasuring(const NodeComparison& comparison, const std::set<std::string>& present);

}  // namespace plumbline
