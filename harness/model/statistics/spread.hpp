// A handful of samples has a middle and a spread.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The spread over the finite samples; all absent (NaN) but n when there are none, and cv when there is only one.
struct Spread {
  std::size_t n = 0;
  double min = absent, median = absent, max = absent;
  double cv = absent;  // standard deviation (n - 1) over mean
};

Spread spread_of(std::span<const double> samples);

/// The quantile between the order statistics around it, linearly (SciPy's and R's preset); absent for no samples. Reorders them.
double quantile(std::vector<double>& samples, double part);
double median_of(std::vector<double> samples);
/// The sample that a quarter of the others exceed; absent for no samples. Reorders them.
double upper_quartile(std::vector<double>& samples);

/// The mean; absent for no samples.
double mean_of(std::span<const double> samples);
/// The standard deviation (n - 1), about the mean or another middle of the samples; absent for fewer than two.
double deviation_of(std::span<const double> samples, double middle);

/// The scatter, 1.4826 x the median distance from the median: the standard deviation of a normal sample, whatever a few outliers do.
double scatter_of(const std::vector<double>& samples);

}  // namespace plumbline
