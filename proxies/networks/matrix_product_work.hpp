// The exact work of products of matrices by tiles of sums (matrix_product.hpp), which applications are made of.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/kernel.hpp"
#include "core/narrow.hpp"
#include "core/rimmed_cube.hpp"
#include "ert/tile_products.hpp"
#include "proxies/networks/matrix_product.hpp"

template <>
struct ProductSum<plumbline::Bf16> : ProductSum<unsigned short> {};
template <>
struct ProductFactor<plumbline::Bf16> : ProductFactor<unsigned short> {};

namespace plumbline {

/// The tiles in which a flavor goes through a product (matrix_product.hpp): rows, and columns as many as a few vectors hold. By matrix
/// tiles (AMX) they are 16 rows and 64 columns.
struct ProductTiles {
  bool are_amx;
  std::uint64_t rows, lanes, vectors;

  ProductTiles(std::string_view flavor, std::uint64_t sum_bytes) {
    const std::string isa = split_flavor(flavor).isa;
    const VectorRegisters registers = vector_registers(isa);
    are_amx = isa.starts_with("v4amx");
    rows = are_amx ? tile_rows : product_tile_rows;
    lanes = registers.bytes / sum_bytes;
    vectors = product_vectors_with(registers.count);
  }
  /// The panels into which so many columns are cut.
  std::uint64_t panels(std::uint64_t columns) const {
    std::uint64_t count = 0;
    for (std::uint64_t width = vectors * lanes; width >= lanes; width /= 2) count += columns / width, columns %= width;
    return count + columns;
  }
  std::uint64_t widest(std::uint64_t columns) const { return std::min(columns, vectors * lanes); }
  std::uint64_t row_tiles(std::uint64_t m) const { return (m + rows - 1) / rows; }
  static std::uint64_t blocks(std::uint64_t depth) { return (depth + product_block_depth - 1) / product_block_depth; }
};

/// The streams of products of matrices, and of the copies that make their operands ready, as one flavor goes through them.
template <class Real>
class ProductWork {
 protected:
  static constexpr std::uint64_t real = sizeof(Real), sum = sizeof(typename ProductSum<Real>::type), numbers = ProductFactor<Real>::numbers;
  enum Operand : std::size_t { left, right, out, again };

  /// `calls` products of matrices, rows x depth by depth x columns; a line is what one call touches of the left one and of the sums.
  struct Product {
    std::uint64_t calls, rows, columns, depth, left_line, out_line;
    std::uint64_t last_rows = rows;  // of the last call, which may have fewer
  };
  std::uint64_t rows_of(const Product& p) const { return (p.calls - 1) * p.rows + p.last_rows; }
  std::uint64_t row_tiles_of(const Product& p) const { return (p.calls - 1) * tiles_.row_tiles(p.rows) + tiles_.row_tiles(p.last_rows); }

  static std::uint64_t block_depth(std::uint64_t depth) { return std::min(depth, product_block_depth * numbers); }
  static std::uint64_t blocks_of(std::uint64_t depth) { return ProductTiles::blocks(depth / numbers); }

  explicit ProductWork(std::string_view flavor) : tiles_(flavor, sum), is_optimized_(split_flavor(flavor).level != "O0") {}

  /// Elements that are read in lines of one array and written to another, of which so many bytes pass before a line is complete.
  Work copied(const char* from, std::uint64_t elements, std::uint64_t row, std::uint64_t open_bytes, std::uint64_t rows) const {
    Work work{.streams = {{.array = from, .footprint_bytes = elements * real, .read = true, .loads = elements, .element_bytes = real},
                          {.array = "panels",
                           .footprint_bytes = elements * real,
                           .written = true,
                           .stores = elements,
                           .element_bytes = real,
                           .layers = {{.reuse_bytes = 2 * (row + open_bytes), .fetched_bytes = rows * open_bytes, .upper_bound = true}}}}};
    work.add_outer_loop(rows, row + open_bytes);
    return work;
  }

  /// The stack of code without optimization, where each step of each tile has variables of its own: the largest frames seen are of 17 kB.
  std::uint64_t stack_bytes() const { return is_optimized_ ? 0 : 24 << 10; }
  /// Adds that stack. A phase of an application of `data_bytes`, this stack among them, finds it outside the caches, or the inner loop
  /// pushes it out in each of its entries.
  void add_stack(Work& work, std::uint64_t entries, std::uint64_t data_bytes) const {
    if (is_optimized_) return;
    work.streams.push_back({.array = "stack",
                            .written = true,
                            .layers = {{.reuse_bytes = stack_bytes(), .fetched_bytes = entries * stack_bytes(), .upper_bound = true},
                                       {.reuse_bytes = data_bytes, .fetched_bytes = stack_bytes(), .upper_bound = true}}});
  }

  /// The operations of 0 + a b + a b + ...
  Counts product_flops(std::uint64_t products) const {
    if (tiles_.are_amx) return {{"flops.tensor.bf16", 2 * products}};
    return numbers == 1 ? flops<Real>({"add", "mul"}, products) : flops<Real>({"fma"}, products);
  }

  /// The streams left, right, out (cleared) and again (its sums), each with the layers of one call; sizes of all arrays in elements, but of
  /// the left one in bytes.
  Work product(const Product& p, const char* name, std::uint64_t left_bytes, std::uint64_t right_size, std::uint64_t out_size,
               std::uint64_t products) const {
    const std::uint64_t panels = tiles_.panels(p.columns), blocks = blocks_of(p.depth),
                        panel = block_depth(p.depth) * tiles_.widest(p.columns) * real, sums = rows_of(p) * p.columns * blocks,
                        of_panel = p.left_line + panel + p.out_line;
    Work work{
        .flops = product_flops(products),
        .streams = {{.array = name,
                     .footprint_bytes = left_bytes,
                     .read = true,
                     .loads = rows_of(p) * p.depth * panels,
                     .element_bytes = real,
                     // The next panel reads the same rows, and the next block lines that it shares with this one.
                     .layers = {{.reuse_bytes = of_panel, .fetched_bytes = p.calls * panels * blocks * p.left_line, .upper_bound = true}}},
                    {.array = "panels",
                     .footprint_bytes = right_size * real,
                     .read = true,
                     .loads = row_tiles_of(p) * p.depth * p.columns,
                     .element_bytes = real,
                     // The next tile of rows reads the same panel.
                     .layers = {{.reuse_bytes = panel + 2 * tiles_.rows * (block_depth(p.depth) * real + LineCover::line_bytes) +
                                                2 * tiles_.rows * (tiles_.widest(p.columns) * sum + LineCover::line_bytes),
                                 .fetched_bytes = row_tiles_of(p) * p.depth * p.columns * real,
                                 .upper_bound = true}},
                     .shared = true},
                    {.array = "sums", .footprint_bytes = out_size * sum, .written = true, .stores = out_size, .element_bytes = sum},
                    {.array = "sums, accumulated", .read = true, .written = true, .loads = sums, .stores = sums, .element_bytes = sum}}};
    return work;
  }

  ProductTiles tiles_;
  bool is_optimized_;
};

}  // namespace plumbline
