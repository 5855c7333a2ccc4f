#include "model/projecting/method.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

double longest(const std::vector<RoofTerm>& terms) {
  double seconds = 0;
  for (const auto& term : terms) seconds = std::max(seconds, term.seconds);
  return seconds;
}

/// The sum of the terms' powers, each over `unit`, so that none is too large.
double powers(const std::vector<RoofTerm>& terms, double exponent, double unit) {
  double sum = 0;
  for (const auto& term : terms) sum += std::pow(term.seconds / unit, exponent);
  return sum;
}

}  // namespace

double bandwidth_seconds(const ProjectedPair& pair) { return pair.home_seconds * pair.plain_ratio; }

double roofline_seconds(const ProjectedPair& pair) { return longest(pair.target); }

double efficiency_seconds(const ProjectedPair& pair) { return pair.home_seconds * longest(pair.target) / longest(pair.home); }

double overlap_seconds(const ProjectedPair& pair, const Overlap& overlap) {
  const double n = overlap.exponent, unit = pair.home_seconds;
  const double here = powers(pair.home, n, unit), there = powers(pair.target, n, unit);
  if (here >= 1) return unit * std::pow(there / here, 1 / n);  // faster than the sum of its terms: they take that much less there too
  const double ratio = pair.private_ratio * std::pow(pair.instructions_ratio, overlap.by_lanes);
  return unit * std::pow(there + (1 - here) * std::pow(ratio, n), 1 / n);
}

}  // namespace plumbline
