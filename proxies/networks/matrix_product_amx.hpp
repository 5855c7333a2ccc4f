// Products of matrices by matrix tiles in registers of their own (AMX): 16 rows of sums by 16 columns, each of 16 pairs of bf16
// numbers. (No compiler uses tiles by itself, so that they keep what they hold between two statements.)
#pragma once
#include <cstddef>

#include "ert/lanes.hpp"
#include "ert/tile_configuration.hpp"
#include "proxies/networks/matrix_sums.hpp"

namespace {

constexpr std::size_t amx_side = tile_rows;

#define PLUMBLINE_PRODUCT_LOAD(TILE, FROM, APART) \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #TILE : : "r"(FROM), "r"(4 * (APART)) : "memory")
#define PLUMBLINE_PRODUCT_STORE(TILE, TO, APART) \
  asm volatile("tilestored %%tmm" #TILE ", (%0,%1,1)" : : "r"(TO), "r"(4 * (APART)) : "memory")
#define PLUMBLINE_PRODUCT_GAIN(SUM, RIGHT, FROM, APART) \
  PLUMBLINE_PRODUCT_LOAD(RIGHT, FROM, APART);           \
  asm volatile("tdpbf16ps %tmm" #RIGHT ", %tmm4, %tmm" #SUM)

/// Adds to the rows from i on of so many tiles side by side: their sums are tiles 0 to 3, the left factors 4, the right ones 5 to 7.
template <std::size_t tiles, class Real>
PLUMBLINE_INLINE void add_amx(const MatrixProduct<Real>& x, const unsigned* right, std::size_t right_row, float* out, std::size_t i) {
  float* const sums = out + i * x.out_row;
  const unsigned* left = x.left + i * x.left_row;
  PLUMBLINE_PRODUCT_LOAD(0, sums, x.out_row);
  if constexpr (tiles > 1) PLUMBLINE_PRODUCT_LOAD(1, sums + amx_side, x.out_row);
  if constexpr (tiles > 2) {
    PLUMBLINE_PRODUCT_LOAD(2, sums + 2 * amx_side, x.out_row);
    PLUMBLINE_PRODUCT_LOAD(3, sums + 3 * amx_side, x.out_row);
  }
  for (std::size_t d = 0; d < x.depth; d += amx_side) {
    PLUMBLINE_PRODUCT_LOAD(4, left + d, x.left_row);
    const unsigned* rows = right + d * right_row;
    PLUMBLINE_PRODUCT_GAIN(0, 5, rows, right_row);
    if constexpr (tiles > 1) {
      PLUMBLINE_PRODUCT_GAIN(1, 6, rows + amx_side, right_row);
    }
    if constexpr (tiles > 2) {
      PLUMBLINE_PRODUCT_GAIN(2, 7, rows + 2 * amx_side, right_row);
      PLUMBLINE_PRODUCT_GAIN(3, 5, rows + 3 * amx_side, right_row);
    }
  }
  PLUMBLINE_PRODUCT_STORE(0, sums, x.out_row);
  if constexpr (tiles > 1) PLUMBLINE_PRODUCT_STORE(1, sums + amx_side, x.out_row);
  if constexpr (tiles > 2) {
    PLUMBLINE_PRODUCT_STORE(2, sums + 2 * amx_side, x.out_row);
    PLUMBLINE_PRODUCT_STORE(3, sums + 3 * amx_side, x.out_row);
  }
}

/// Adds to the columns of one panel, by tiles of rows that differ by one at most.
template <std::size_t tiles, class Real>
static void add_amx_panel(MatrixProduct<Real>& x, const unsigned* right, std::size_t right_row, float* out) {
  const std::size_t parts = (x.rows + amx_side - 1) / amx_side;
  for (std::size_t part = 0, i = 0, before = 0; part < parts; ++part) {
    const std::size_t rows = x.rows / parts + (part < x.rows % parts ? 1 : 0);
    if (rows != before) configure_tiles(5, rows);
    prefetch_ahead(x.ahead);
    add_amx<tiles>(x, right, right_row, out, i);
    before = rows;
    i += rows;
  }
  asm volatile("tilerelease");
}

}  // namespace
