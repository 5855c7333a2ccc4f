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
double powers(const std::vector<RoofTerm>& terms, const Overlap& overlap, double unit) {
  double sum = 0;
  for (const auto& term : terms)
    sum += std::pow(term.seconds / (is_of_instructions(term.name) ? overlap.issue_part : 1) / unit, overlap.exponent);
  return sum;
}

/// The part of the time that no ceiling explains takes as many times as long there: it goes with work, workers and clock. Where nobody
/// knows how many instructions a core takes up, it goes with them, too, if what binds is the core's own.
double unexplained_ratio(const ProjectedPair& pair) {
  const bool is_issue_known = std::ranges::any_of(pair.home, [](const RoofTerm& term) { return is_of_instructions(term.name); });
  return pair.private_ratio * (is_issue_known || !pair.is_of_core() ? 1 : pair.instructions_ratio);
}

}  // namespace

double bandwidth_seconds(const ProjectedPair& pair) { return pair.home_seconds * pair.plain_ratio; }

double roofline_seconds(const ProjectedPair& pair) { return longest(pair.target); }

double efficiency_seconds(const ProjectedPair& pair) { return pair.home_seconds * longest(pair.target) / longest(pair.home); }

double overlap_seconds(const ProjectedPair& pair, const Overlap& overlap) {
  const double n = overlap.exponent, unit = pair.home_seconds;
  const double here = powers(pair.home, overlap, unit), there = powers(pair.target, overlap, unit);
  if (here >= 1) return unit * std::pow(there / here, 1 / n);  // faster than the sum of its terms: they take that much less there too
  return unit * std::pow(there + (1 - here) * std::pow(unexplained_ratio(pair), n), 1 / n);
}

}  // namespace plumbline
