#include "schedule/node_pairing.hpp"

#include <algorithm>
#include <numeric>

#include "schedule/shuffle.hpp"

namespace plumbline {

// The circle method: the last seat stays, the others move on by one each turn. Turn t seats i opposite to t - i (modulo the moving seats);
// who sits opposite to himself meets the last seat, which with an odd number of nodes is empty.
NodePairing::NodePairing(int nodes, std::optional<int> partners, std::uint64_t seed) : seats_(nodes + nodes % 2) {
  if (nodes < 2) return;
  const auto all = static_cast<std::size_t>(seats_ - 1);
  const std::size_t wanted = partners ? static_cast<std::size_t>(std::max(0, *partners) + (partners == 0 ? 0 : nodes % 2)) : all;
  node_at_.resize(static_cast<std::size_t>(nodes));
  std::iota(node_at_.begin(), node_at_.end(), std::size_t{0});
  turns_.resize(all);
  std::iota(turns_.begin(), turns_.end(), std::size_t{0});
  if (wanted < all) {
    node_at_ = shuffled(node_at_.size(), seed);
    turns_ = shuffled(all, seed + 1);
    turns_.resize(wanted);
  }
  seat_of_.resize(node_at_.size());
  for (std::size_t seat = 0; seat < node_at_.size(); ++seat) seat_of_[node_at_[seat]] = seat;
}

std::optional<int> NodePairing::partner(int node, int turn) const {
  const auto moving = static_cast<std::size_t>(seats_ - 1), seat = seat_of_[static_cast<std::size_t>(node)];
  const std::size_t at = turns_[static_cast<std::size_t>(turn)];
  const auto opposite = [&](std::size_t one) { return (at + moving - one) % moving; };
  std::size_t other = 0;
  if (seat == moving) {  // whoever sits opposite to himself: 2 i = t, and the number of moving seats is odd
    other = at % 2 == 0 ? at / 2 : (at + moving) / 2;
  } else {
    other = opposite(seat) == seat ? moving : opposite(seat);
  }
  if (other >= node_at_.size()) return std::nullopt;
  return static_cast<int>(node_at_[other]);
}

bool NodePairing::leads(int node, int partner) const {
  const std::size_t mine = seat_of_[static_cast<std::size_t>(node)], theirs = seat_of_[static_cast<std::size_t>(partner)];
  return (mine < theirs) == ((mine + theirs) % 2 == 1);
}

std::optional<int> automatic_partners(int nodes) { return nodes <= nodes_with_all_pairs ? std::nullopt : std::optional(partners_beyond); }

}  // namespace plumbline
