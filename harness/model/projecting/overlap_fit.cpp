#include "model/projecting/overlap_fit.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace plumbline {
namespace {

constexpr std::array exponents{1.0, 1.3, 1.7, 2.5, 4.0, 8.0, 30.0};
constexpr std::array lane_powers{0.0, 0.5, 1.0};
constexpr std::size_t settings = exponents.size() * lane_powers.size();

Overlap setting(std::size_t i) { return {exponents[i / lane_powers.size()], lane_powers[i % lane_powers.size()]}; }

struct Costs {
  std::size_t pairs = 0;
  std::array<double, settings> sums = {};

  Overlap best() const {
    std::size_t least = 0;
    for (std::size_t i = 1; i < settings; ++i)
      if (sums[i] < sums[least]) least = i;
    return setting(least);
  }
};

}  // namespace

Overlaps fit_overlaps(std::span<const ProjectedPair> known, const std::function<bool(const ProjectedPair&)>& may_use) {
  std::map<std::string, Costs> costs;
  for (const auto& pair : known) {
    if (!may_use(pair) || !(pair.true_seconds > 0)) continue;
    Costs& one = costs[pair.overlap_class()];
    ++one.pairs;
    for (std::size_t i = 0; i < settings; ++i) one.sums[i] += std::abs(std::log(overlap_seconds(pair, setting(i)) / pair.true_seconds));
  }
  Overlaps overlaps;
  for (const auto& [kind, one] : costs)
    if (one.pairs >= pairs_to_fit) overlaps[kind] = one.best();
  return overlaps;
}

Overlap overlap_for(const Overlaps& overlaps, const std::string& overlap_class) {
  const auto own = overlaps.find(overlap_class);
  if (own != overlaps.end()) return own->second;
  return overlap_class.ends_with("core") ? preset_of_core : preset_of_memory;
}

}  // namespace plumbline
