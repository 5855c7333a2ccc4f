// A counter's bias is known within an interval, and so is the factor that its cases share.
#pragma once
#include <cstdint>
#include <span>

#include "model/cases/factors.hpp"
#include "model/scoring/evidence.hpp"
#include "model/statistics/mean_interval.hpp"

namespace plumbline {

// Stated as 95 %, by the sharp cases. Cases of one kernel may all be off by the same, so both are made of kernels' means (mean_interval):
// of a single kernel, and of fewer than three cases, there is none. The mean of the cases, in which large kernels have more weight, lies
// inside.

/// The interval of the geometric mean of the ratios, which are 1 inside the model's interval.
Interval bias_interval(std::span<const Evidence> evidence, const FactorTable& factors, double bias);

/// The interval of what is counted over what there is, by the cases but those of the numbers `strays`: as wide as the model leaves what
/// there is.
Interval steady_interval(std::span<const Evidence> evidence, const FactorTable& factors, double factor,
                         std::span<const std::uint32_t> strays);

}  // namespace plumbline
