// The arithmetic intensity that a study derives from two counters, FLOPs over bytes, against the one it calls exact.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/scoring/accuracy.hpp"

namespace plumbline {

/// One case by the counted FLOPs and one candidate for the bytes, both by the convention of the kernel's paper.
struct IntensityScore {
  std::string case_id = {}, node = {}, counter = {};  // of the bytes
  double flops_per_byte = absent, exact = absent;
  double ratio = absent;  // of the two
};

/// What a candidate's ratios come to over all cases (Kwack et al. 2018, Table VI).
struct IntensitySummary {
  std::string counter = {};
  std::size_t n = 0;
  double min = absent, geometric_mean = absent, max = absent;
};

std::vector<IntensityScore> derived_intensities(std::span<const CaseScore> rows);
/// In the order in which the counters are met.
std::vector<IntensitySummary> summarize(std::span<const IntensityScore> scores);

}  // namespace plumbline
