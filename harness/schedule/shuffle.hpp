// A random order that is the same for the same seed, with every compiler and library.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline {

/// The numbers 0 .. count-1 in random order.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed);

}  // namespace plumbline
