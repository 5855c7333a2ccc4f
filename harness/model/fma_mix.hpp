// How much of the peak a mix of FMAs, sums and products can reach: an FMA does two operations in the time of one.
#pragma once
#include <cmath>

#include "core/records.hpp"

namespace plumbline {

struct FmaMix {
  double fraction = absent;  // a = FMAs over all instructions (Yang et al. 2019, equation 6)
  double ceiling = absent;   // b = (2 a + 1 - a) / 2, attainable part of the FMA peak (equation 7)
};

/// Of instructions, whatever their number of threads. Absent where one of the counts is, where one is negative, or where there are none.
inline FmaMix fma_mix(double fma, double add, double mul) {
  const double all = fma + add + mul;
  if (!(fma >= 0 && add >= 0 && mul >= 0 && all > 0 && std::isfinite(all))) return {};
  const double fraction = fma / all;
  return {fraction, (1 + fraction) / 2};
}

}  // namespace plumbline
