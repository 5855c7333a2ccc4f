// How sure a counter's bias is.
#pragma once
#include <cstdint>
#include <span>

#include "model/evidence.hpp"
#include "model/factors.hpp"
#include "model/mean_interval.hpp"

namespace plumbline {

/// Of the geometric mean of measured over exact, stated as 95 %, by the sharp cases but those of the numbers `without`. Cases of one kernel
/// may all be off by the same, so kernels' means are what it is made of (mean_interval): of a single kernel, and of fewer than three cases,
/// there is none. It is as wide as the model leaves the exact amounts, and holds `bias`, the mean of the cases, in which large kernels have
/// more weight.
Interval bias_interval(std::span<const Evidence> evidence, const FactorTable& factors, double bias,
                       std::span<const std::uint32_t> without = {});

}  // namespace plumbline
