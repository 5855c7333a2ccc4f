// How far the repetitions of one case agree with each other.
#pragma once
#include <span>
#include <vector>

#include "model/evidence.hpp"

namespace plumbline {

/// Over all cases with at least three repetitions.
struct Repeatability {
  std::size_t cases = 0, repetitions = 0;
  double median = absent, worst_tenth = absent;  // of the cases' scatter: half, nine tenths of them are below
  std::size_t lost = 0, cases_with_losses = 0;   // repetitions that counted far less than their median
};

/// Fills repetitions, scatter, unsteady and lost. An interrupt adds counts and is no fault of the counter; nothing takes counts away but a
/// loss.
void judge_repetitions(std::vector<double> repetitions, const Limits& limits, Evidence& evidence);

Repeatability repeatability_of(std::span<const Evidence> evidence);

}  // namespace plumbline
