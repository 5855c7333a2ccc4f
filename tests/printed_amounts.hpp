// The form in which a failed test shows amounts: as numbers.
#pragma once
#include <ostream>

#include "core/work.hpp"

namespace plumbline {

/// Prints an amount as numbers: "7000", or "[0, 64]".
inline void PrintTo(const Amount& amount, std::ostream* out) {
  if (amount.exact())
    *out << amount.lo;
  else
    *out << "[" << amount.lo << ", " << amount.hi << "]";
}

}  // namespace plumbline
