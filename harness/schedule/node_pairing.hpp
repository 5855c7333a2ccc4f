// Nodes exchange messages in pairs, turn by turn, so that every link is measured by itself. Pure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// The largest number of nodes of which all pairs are measured; beyond it each node meets some partners.
inline constexpr int nodes_with_all_pairs = 64;
inline constexpr int partners_beyond = 8;

/// The turns of a round-robin tournament: in a turn every node meets one partner at most, and no two nodes meet twice. Where a number of
/// partners is given, as many turns of it are taken as give each node at least that many: nodes are seated and turns are chosen at random
/// by the seed. A node needs O(nodes) once and O(1) a turn to know its part.
class NodePairing {
 public:
  /// Draws the turns. `partners`: nullopt for all. With an odd number of nodes one pauses in each turn, and some have a partner more.
  NodePairing(int nodes, std::optional<int> partners, std::uint64_t seed);

  /// The number of turns.
  int turns() const { return static_cast<int>(turns_.size()); }
  /// The node that `node` meets; nullopt: it pauses.
  std::optional<int> partner(int node, int turn) const;
  /// Whether `node` is the one of two that meet that times the exchange and keeps it: about half of each node's links.
  bool leads(int node, int partner) const;

 private:
  int seats_ = 0;
  std::vector<std::size_t> node_at_, seat_of_;
  std::vector<std::size_t> turns_;  // of the whole tournament
};

/// The number of partners that "auto" stands for.
std::optional<int> automatic_partners(int nodes);

}  // namespace plumbline
