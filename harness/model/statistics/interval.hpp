// An interval holds a number: from and to, absent where nothing is known.
#pragma once
#include "core/records.hpp"

namespace plumbline {

struct Interval {
  double lo = absent, hi = absent;
};

}  // namespace plumbline
