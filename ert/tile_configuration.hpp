// Matrix tiles (AMX) have the sizes that LDTILECFG has loaded last.
#pragma once
#include <cstddef>

#include "ert/tile_products.hpp"

namespace {

/// The operand of LDTILECFG, as the instruction reads it.
struct TileConfiguration {
  unsigned char palette, start_row, reserved[14];
  unsigned short row_bytes[16];
  unsigned char rows[16];
};
static_assert(sizeof(TileConfiguration) == 64);

/// Gives the first tiles so many rows, and the rest of the eight all; rows are as long as they can be.
inline __attribute__((always_inline)) void configure_tiles(int first_tiles, std::size_t rows) {
  TileConfiguration all{};
  all.palette = 1;
  for (int tile = 0; tile < 8; ++tile) {
    all.row_bytes[tile] = tile_row_bytes;
    all.rows[tile] = static_cast<unsigned char>(tile < first_tiles ? rows : tile_rows);
  }
  asm volatile("ldtilecfg %0" : : "m"(all));
}

}  // namespace
