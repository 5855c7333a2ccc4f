// An interval, and a seed for what is drawn by chance.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/records.hpp"

namespace plumbline {

struct Interval {
  double lo = absent, hi = absent;
};

/// FNV-1a, the same on every machine: a seed from a name, and an order of works.
std::uint64_t stable_hash(std::string_view text);

}  // namespace plumbline
