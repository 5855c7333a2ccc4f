#include "model/scaling/waiting.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "model/statistics/random.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t least_window = 256;  // ranks that are simulated together
constexpr std::uint64_t times_of_reach = 4;  // of as many as a delay can reach within a chain
constexpr double draws_of_chain = 2e6;       // at most, which bounds the time
constexpr double least_windows = 32, most_windows = 512;
constexpr int sweeps = 1000;
constexpr double nine_tenths_lo = 0.05, nine_tenths_hi = 0.95;

/// A number evenly between 0 and 1, never either.
double even(Random& random) {
  constexpr std::size_t steps = std::size_t{1} << 31;
  return (static_cast<double>(random.below(steps)) + 0.5) / static_cast<double>(steps);
}

/// Each rank goes on when it and its neighbours in the ring have come.
void wait_for_neighbours(const std::vector<double>& came, std::vector<double>& goes) {
  const std::size_t ranks = came.size();
  for (std::size_t i = 0; i < ranks; ++i) goes[i] = std::max({came[(i + ranks - 1) % ranks], came[i], came[(i + 1) % ranks]});
}

double end_of_ring(const CutSweep& sweep, const std::vector<std::size_t>& chain, std::uint64_t ranks, Random& random) {
  std::vector<double> at(ranks, 0), waited(ranks, 0);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const auto& samples = sweep.segments[chain[i]];
    if (i > 0) wait_for_neighbours(at, waited), at.swap(waited);
    for (double& rank : at) rank += samples[random.below(samples.size())];
  }
  return std::ranges::max(at);
}

}  // namespace

ChainEnds chain_ends(const CutSweep& sweep, const std::vector<std::size_t>& chain, std::uint64_t ranks, std::uint64_t seed) {
  if (chain.size() == 1) {
    ChainEnds ends{.seconds = sweep.segments[chain.front()]};
    std::ranges::sort(ends.seconds);
    return ends;
  }
  const std::uint64_t reach = 2 * chain.size() + 1, window = std::min(ranks, std::max(least_window, times_of_reach * reach));
  const double budget = draws_of_chain / (static_cast<double>(window) * static_cast<double>(chain.size()));
  const auto windows = static_cast<int>(std::clamp(budget, least_windows, most_windows));
  Random random(seed);
  ChainEnds ends{.ranks = static_cast<double>(window)};
  for (int i = 0; i < windows; ++i) ends.seconds.push_back(end_of_ring(sweep, chain, window, random));
  std::ranges::sort(ends.seconds);
  return ends;
}

double last_of(const std::vector<double>& in_order, double draws, double even) {
  const double below = std::pow(even, 1 / draws) * static_cast<double>(in_order.size());
  return in_order[std::min(in_order.size() - 1, static_cast<std::size_t>(below))];
}

SweepSeconds sweep_seconds(const CutSweep& sweep, std::uint64_t ranks, std::uint64_t seed) {
  SweepSeconds told;
  std::map<std::vector<std::size_t>, std::size_t> known;
  std::vector<ChainEnds> ends;
  std::vector<std::size_t> order;
  for (const auto& chain : sweep.chains) {
    const auto [at, is_new] = known.try_emplace(chain, ends.size());
    if (is_new) ends.push_back(chain_ends(sweep, chain, ranks, seed + ends.size()));
    order.push_back(at->second);
    for (const std::size_t segment : chain) told.computing += mean_of(sweep.segments[segment]);
  }
  Random random(~seed);
  std::vector<double> all;
  for (int i = 0; i < sweeps; ++i) {
    double seconds = 0;
    for (const std::size_t chain : order)
      seconds += last_of(ends[chain].seconds, static_cast<double>(ranks) / ends[chain].ranks, even(random));
    all.push_back(seconds);
  }
  told.median = quantile(all, 0.5), told.lo = quantile(all, nine_tenths_lo), told.hi = quantile(all, nine_tenths_hi);
  return told;
}

}  // namespace plumbline
