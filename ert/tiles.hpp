// These loops alone are products of matrix tiles (AMX). They do eight products an iteration, into four sums: A B and A C, each added and
// taken away again in an order in which no two that follow one another within 64 clocks wait for each other.
#pragma once
#include "ert/tile_configuration.hpp"
#include "ert/tile_products.hpp"

#if defined(__AMX_TILE__) || defined(__AMXTILE__)  // clang until 15

namespace {

#define PLUMBLINE_TILE_BF16(SUM, LEFT, RIGHT) "tdpbf16ps %tmm" #RIGHT ", %tmm" #LEFT ", %tmm" #SUM "\n\t"
#define PLUMBLINE_TILE_FP16(SUM, LEFT, RIGHT) "tdpfp16ps %tmm" #RIGHT ", %tmm" #LEFT ", %tmm" #SUM "\n\t"
#define PLUMBLINE_TILE_INT8(SUM, LEFT, RIGHT) "tdpbssd %tmm" #RIGHT ", %tmm" #LEFT ", %tmm" #SUM "\n\t"
#define PLUMBLINE_LOAD_TILE(TILE, FROM) asm volatile("tileloadd (%0,%1,1), %%tmm" #TILE : : "r"(FROM), "r"(tile_row_bytes) : "memory")
#define PLUMBLINE_STORE_TILE(TILE, TO) asm volatile("tilestored %%tmm" #TILE ", (%0,%1,1)" : : "r"(TO), "r"(tile_row_bytes) : "memory")

template <class Real>
inline __attribute__((always_inline)) void add_products() {
  if constexpr (sizeof(Real) == 1)
    asm volatile(PLUMBLINE_TILE_PRODUCTS(PLUMBLINE_TILE_INT8));
  else if constexpr (__is_same(Real, unsigned short))
    asm volatile(PLUMBLINE_TILE_PRODUCTS(PLUMBLINE_TILE_BF16));
  else
    asm volatile(PLUMBLINE_TILE_PRODUCTS(PLUMBLINE_TILE_FP16));
}

}  // namespace

/// Sweeps the blocks [begin, end). (No compiler uses tiles by itself, so that they keep what they hold between two statements.)
template <class Real>
static void sweep(const TileProducts<Real>& x, std::size_t begin, std::size_t end) {
  configure_tiles(8, tile_rows);
  for (std::size_t block = begin; block < end; ++block) {
    PLUMBLINE_LOAD_TILE(4, x.a);
    PLUMBLINE_LOAD_TILE(5, x.minus_a);
    PLUMBLINE_LOAD_TILE(6, x.b);
    PLUMBLINE_LOAD_TILE(7, x.c);
    asm volatile("tilezero %tmm0\n\ttilezero %tmm1\n\ttilezero %tmm2\n\ttilezero %tmm3");
    for (std::size_t n = x.iterations; n != 0; --n) add_products<Real>();
    typename TileProducts<Real>::Sum* const to = x.result + block * tile_block_sums;
    PLUMBLINE_STORE_TILE(0, to);
    PLUMBLINE_STORE_TILE(1, to + tile_bytes / 4);
    PLUMBLINE_STORE_TILE(2, to + 2 * tile_bytes / 4);
    PLUMBLINE_STORE_TILE(3, to + 3 * tile_bytes / 4);
  }
  asm volatile("tilerelease");
}

#endif
