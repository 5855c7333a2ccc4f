// Middle and spread of a handful of samples.
#pragma once
#include <cstddef>
#include <span>

#include "core/records.hpp"

namespace plumbline {

/// Over the finite samples; all absent (NaN) but n when there are none, and cv when there is only one.
struct Spread {
  std::size_t n = 0;
  double min = absent, median = absent, max = absent;
  double cv = absent;  // standard deviation (n - 1) over mean
};

Spread spread_of(std::span<const double> samples);

}  // namespace plumbline
