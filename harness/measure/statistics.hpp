// Repeated measurements are summed up by order statistics: no assumption about their distribution.
#pragma once
#include <vector>

namespace plumbline {

/// The median; NaN when empty.
double median(std::vector<double> samples);

/// The half of the width of the median's 95 % confidence interval, relative to the median, from order statistics (Le Boudec, Performance
/// Evaluation, section 2.2). Infinity below 5 samples.
double median_halfwidth(std::vector<double> samples);

}  // namespace plumbline
