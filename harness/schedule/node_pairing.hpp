// Which two nodes exchange messages when, so that every link is measured by itself. Pure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline {

/// All pairs up to this many nodes, some partners of each beyond.
inline constexpr int nodes_with_all_pairs = 64;
inline constexpr int partners_beyond = 8;

/// The turns of a round-robin tournament: in a turn every node meets one partner at most, and no two nodes meet twice. With a number of
/// partners, as many turns of it as give each node at least that many: nodes are seated and turns are chosen at random by the seed. What a
/// node must know of it costs O(nodes) once and O(1) a turn.
class NodePairing {
 public:
  /// `partners`: nullopt for all. With an odd number of nodes one pauses in each turn, and some have a partner more.
  NodePairing(int nodes, std::optional<int> partners, std::uint64_t seed);

  int turns() const { return static_cast<int>(turns_.size()); }
  /// The node that `node` meets; nullopt: it pauses.
  std::optional<int> partner(int node, int turn) const;
  /// Which of two nodes that meet times the exchange and keeps it: about half of each node's links.
  bool leads(int node, int partner) const;

 private:
  int seats_ = 0;
  std::vector<std::size_t> node_at_, seat_of_;
  std::vector<std::size_t> turns_;  // of the whole tournament
};

/// What "auto" stands for.
std::optional<int> automatic_partners(int nodes);

}  // namespace plumbline
