// A study derives the arithmetic intensity from two counters, FLOPs over bytes; it is held against the one that the study calls exact.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/scoring/accuracy.hpp"

namespace plumbline {

/// The intensity of one case by the counted FLOPs and one candidate for the bytes, both by the convention of the kernel's paper.
struct IntensityScore {
  std::string case_id = {}, node = {}, counter = {};  // of the bytes
  double flops_per_byte = absent, exact = absent;
  double ratio = absent;  // of the two
};

/// The summary of a candidate's ratios over all cases (Kwack et al. 2018, Table VI).
struct IntensitySummary {
  std::string counter = {};
  std::size_t n = 0;
  double min = absent, geometric_mean = absent, max = absent;
};

std::vector<IntensityScore> derived_intensities(std::span<const CaseScore> rows);
/// Summarizes the candidates in the order in which their counters are met.
std::vector<IntensitySummary> summarize(std::span<const IntensityScore> scores);

}  // namespace plumbline
