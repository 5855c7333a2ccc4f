// The methods are judged by pairs whose truth was left out of all that they learned.
#pragma once
#include <span>
#include <vector>

#include "model/projecting/forecast.hpp"

namespace plumbline {

struct JudgedMethod {
  Method method = Method::bandwidth;
  std::size_t pairs = 0;
  double median_error_percent = absent;       // median of |projected / true - 1|
  double within_10_percent = absent;          // part of the pairs
  double coverage = absent;                   // part of the intervals that hold the truth
  double median_half_width_percent = absent;  // of the intervals, of what is projected
  double interval_score = absent;  // mean over the pairs, in parts of the truth (Gneiting and Raftery 2007, equation 43); less is better
};

/// One for each method. The score of an interval is its width, and 20 times by how much it misses the truth.
std::vector<JudgedMethod> judged_methods(std::span<const ProjectedPair> pairs, std::span<const Forecast> forecasts);

}  // namespace plumbline
