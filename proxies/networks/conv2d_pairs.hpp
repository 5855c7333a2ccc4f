// Points of a row of outputs are paired for bf16, whose instructions on CPUs multiply pairs.
#pragma once
#include <cstddef>

namespace {

/// The pairs in which the points of a row of outputs lie: as many as fill rows of matrix tiles, of 16 pairs each; those behind the last are
/// zero.
constexpr std::size_t conv_pairs(std::size_t side) { return ((side + 1) / 2 + 15) / 16 * 16; }

}  // namespace
