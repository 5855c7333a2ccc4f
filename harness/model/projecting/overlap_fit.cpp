#include "model/projecting/overlap_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace plumbline {
namespace {

constexpr std::array exponents{1.3, 1.7, 2.0, 2.5, 3.0};
constexpr std::array issue_parts{1.0, 0.85, 0.7};
constexpr std::size_t settings = exponents.size() * issue_parts.size();

Overlap setting(std::size_t i) { return {exponents[i / issue_parts.size()], issue_parts[i % issue_parts.size()]}; }

/// The errors of a kernel's pairs by each setting.
struct Costs {
  std::size_t pairs = 0;
  std::array<double, settings> sums = {};
};

Overlap best_of(const std::map<std::string, Costs>& kernels) {
  std::array<double, settings> means = {};
  for (const auto& [kernel, one] : kernels)
    for (std::size_t i = 0; i < settings; ++i) means[i] += one.sums[i] / static_cast<double>(one.pairs);
  return setting(static_cast<std::size_t>(std::ranges::min_element(means) - means.begin()));
}

}  // namespace

Overlaps fit_overlaps(std::span<const ProjectedPair> known, const std::function<bool(const ProjectedPair&)>& may_use) {
  std::map<std::string, std::map<std::string, Costs>> costs;  // by class and kernel
  for (const auto& pair : known) {
    if (!may_use(pair) || !(pair.true_seconds > 0)) continue;
    Costs& one = costs[pair.overlap_class()][pair.kernel];
    ++one.pairs;
    for (std::size_t i = 0; i < settings; ++i)
      one.sums[i] += std::min(std::abs(std::log(overlap_seconds(pair, setting(i)) / pair.true_seconds)), most_of_error);
  }
  Overlaps overlaps;
  for (const auto& [name, kernels] : costs) {
    std::size_t pairs = 0;
    for (const auto& [kernel, one] : kernels) pairs += one.pairs;
    if (pairs >= pairs_to_fit) overlaps[name] = best_of(kernels);
  }
  return overlaps;
}

Overlap overlap_for(const Overlaps& overlaps, const std::string& overlap_class) {
  const auto own = overlaps.find(overlap_class);
  return own == overlaps.end() ? preset_overlap : own->second;
}

}  // namespace plumbline
