// The instructions of matrix tiles are spelled out here (Intel, Architecture Instruction Set Extensions Programming Reference, 319433:
// TDPBF16PS, TDPFP16PS, TDPBSSD), on the schedule that the flavored loop has: what it computes and counts is held against this where no CPU
// has tiles.
#pragma once
#include <array>
#include <cstddef>

#include "core/counted.hpp"
#include "core/narrow.hpp"
#include "ert/tile_products.hpp"

template <>
struct TileSum<plumbline::Counted> {
  using type = plumbline::Counted;
};

namespace plumbline {

/// The elements of a row of the left, and how many of them a column's 4 bytes hold. A counting number stands for one of 2 bytes.
template <class Real>
constexpr std::size_t tile_group = 4 / sizeof(Real);
template <>
inline constexpr std::size_t tile_group<Counted> = 2;
template <class Real>
constexpr std::size_t tile_depth = tile_rows* tile_group<Real>;

/// The place of element (k, column) of the right tile.
template <class Real>
constexpr std::size_t right_at(std::size_t k, std::size_t column) {
  constexpr std::size_t group = tile_group<Real>;
  return k / group * tile_rows * group + column * group + k % group;
}

inline float tile_value(unsigned short bf16) { return std::bit_cast<float>(std::uint32_t{bf16} << 16); }
inline float tile_value(Fp16 x) { return static_cast<float>(static_cast<double>(x)); }
inline int tile_value(signed char x) { return x; }
inline Counted tile_value(Counted x) { return x; }

template <class Real>
using TileOfSums = std::array<typename TileSum<Real>::type, tile_rows * tile_rows>;

/// Does one instruction: sums += left right.
template <class Real>
void add_product(TileOfSums<Real>& sums, const Real* left, const Real* right) {
  for (std::size_t row = 0; row < tile_rows; ++row)
    for (std::size_t column = 0; column < tile_rows; ++column)
      for (std::size_t k = 0; k < tile_depth<Real>; ++k) {
        auto& sum = sums[row * tile_rows + column];
        sum = sum + tile_value(left[row * tile_depth<Real> + k]) * tile_value(right[right_at<Real>(k, column)]);
      }
}

/// A product of the schedule: of which sum, and by which tiles.
struct TileStep {
  std::size_t sum, left, right;
};
#define PLUMBLINE_TILE_STEP(SUM, LEFT, RIGHT) TileStep{SUM, LEFT, RIGHT},
inline constexpr std::array tile_schedule{PLUMBLINE_TILE_PRODUCTS(PLUMBLINE_TILE_STEP)};
#undef PLUMBLINE_TILE_STEP

/// Sweeps the blocks [begin, end), instruction by instruction: add(sums, left, right) is one.
template <class Real, class Add>
void sweep_in_words(const TileProducts<Real>& x, std::size_t begin, std::size_t end, Add add) {
  const std::array<const Real*, 4> operands{x.a, x.minus_a, x.b, x.c};  // the tiles 4 to 7
  for (std::size_t block = begin; block < end; ++block) {
    std::array<TileOfSums<Real>, tile_sums> sums{};
    for (std::size_t n = 0; n < x.iterations; ++n)
      for (const TileStep& step : tile_schedule) add(sums[step.sum], operands[step.left - 4], operands[step.right - 4]);
    for (std::size_t tile = 0; tile < tile_sums; ++tile)
      for (std::size_t i = 0; i < sums[tile].size(); ++i) x.result[block * tile_block_sums + tile * sums[tile].size() + i] = sums[tile][i];
  }
}
template <class Real>
void sweep_in_words(const TileProducts<Real>& x, std::size_t begin, std::size_t end) {
  sweep_in_words(x, begin, end, [](TileOfSums<Real>& sums, const Real* left, const Real* right) { add_product(sums, left, right); });
}

}  // namespace plumbline
