#include "model/statistics/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace plumbline {
namespace {

/// The ranks of nights, mean ones for ties; and how much ties take from the variance of the rank sum: sum of t^3 - t.
struct Ranks {
  std::vector<double> of_night;
  double ties = 0;
};

Ranks ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks ranks{std::vector<double>(values.size()), 0};
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) ranks.of_night[order[k]] = (static_cast<double>(i + end) + 1) / 2;
    const double tied = static_cast<double>(end - i);
    ranks.ties += tied * tied * tied - tied;
    i = end;
  }
  return ranks;
}

/// The probability P(max |Z| over splits that leave at least `least` of `n` on either side >= z), for one level.
double probability_of(double z, std::size_t n, std::size_t least) {
  if (z <= 1) return 1;
  const double part = static_cast<double>(least) / static_cast<double>(n);
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return std::min(1.0, density * ((z - 1 / z) * 2 * std::log((1 - part) / part) + 4 / z));
}

void split(std::span<const double> nights, std::size_t offset, const ChangeOptions& options, std::vector<ChangePoint>& found) {
  ChangePoint best = strongest_split(nights, options.least_nights);
  if (best.first == 0 || best.probability > options.probability) return;
  const std::size_t at = best.first;
  split(nights.subspan(0, at), offset, options, found);
  best.first += offset;
  found.push_back(best);
  split(nights.subspan(at), offset + at, options, found);
}

/// A split that was found beside another one, later found better, may be none: each is asked again between its neighbours.
bool take_back_one(std::span<const double> nights, const ChangeOptions& options, std::vector<ChangePoint>& found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : found[i - 1].first, end = i + 1 == found.size() ? nights.size() : found[i + 1].first;
    ChangePoint again = strongest_split(nights.subspan(begin, end - begin), options.least_nights);
    const bool is_one = again.first != 0 && again.probability <= options.probability;
    if (!is_one) {
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    again.first += begin;
    found[i] = again;
  }
  return false;
}

}  // namespace

ChangePoint strongest_split(std::span<const double> nights, std::size_t least_nights) {
  const std::size_t n = nights.size(), least = std::max<std::size_t>(1, least_nights);
  if (n < 2 * least) return {};
  const Ranks ranks = ranks_of(nights);
  const double all = static_cast<double>(n);
  ChangePoint best;
  double sum = 0;
  for (std::size_t t = 1; t <= n - least; ++t) {
    sum += ranks.of_night[t - 1];
    if (t < least) continue;
    const double before = static_cast<double>(t), after = all - before;
    const double variance = before * after / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
    if (variance <= 0) continue;
    const double z = (before * (all + 1) / 2 - sum) / std::sqrt(variance);
    if (std::abs(z) > std::abs(best.z)) best = {t, z, 1};
  }
  best.probability = probability_of(std::abs(best.z), n, least);
  return best;
}

std::vector<ChangePoint> change_points(std::span<const double> nights, const ChangeOptions& options) {
  std::vector<ChangePoint> found;
  split(nights, 0, options, found);
  while (take_back_one(nights, options, found)) {
  }
  return found;
}

}  // namespace plumbline
