// The repetitions of one case may agree with each other or not.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/scoring/evidence.hpp"

namespace plumbline {

/// The repeatability over all cases with at least three repetitions.
struct Repeatability {
  std::size_t cases = 0, repetitions = 0;
  std::uint32_t most = 0;  // repetitions of a case at most, whether three or fewer; 0 where a second one would say nothing more
  double median = absent, worst_tenth = absent;  // of the cases' scatter: half, nine tenths of them are below
  std::size_t lost = 0, cases_with_losses = 0;   // repetitions that counted far less than their median
  std::size_t gained = 0;                        // and those that counted so much more that no interrupt explains it
  // Members about cases whose exact amount is known: repetitions farther from the median than a trusted counter may deviate, in either
  // direction, and what they are over the median (half of the cases that have some are below).
  std::size_t narrow_repetitions = 0, off = 0;
  double off_ratio = absent;
  double off_share() const { return narrow_repetitions == 0 ? 0 : static_cast<double>(off) / static_cast<double>(narrow_repetitions); }
};

/// Fills repetitions, scatter, error, unsteady with its quartiles, off and far. An interrupt adds counts and is no fault of the counter;
/// nothing takes counts away but a loss, or the surroundings of a sweep: so much, in counts, as a zero test allows.
void judge_repetitions(std::vector<double> repetitions, const Limits& limits, double surroundings, Evidence& evidence);

Repeatability repeatability_of(std::span<const Evidence> evidence);

}  // namespace plumbline
