// The exact work of a convolution, phase by phase: the streams of each loop.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/rimmed_cube.hpp"
#include "proxies/networks/conv2d_shape.hpp"
#include "proxies/networks/matrix_product_work.hpp"

namespace plumbline {

/// The work of the loops that make up a convolution, each of one entry.
template <class Real>
class ConvWork : ProductWork<Real> {
 public:
  /// Throws std::invalid_argument where the flavor does not take such sizes.
  ConvWork(const ConvShape& shape, std::string_view flavor) : ProductWork<Real>(flavor), s_(shape), is_as_written_(flavor.empty()) {
    if (!tiles_.are_amx || s_.is_paired()) return;
    const bool is_forward = s_.direction == ConvDirection::forward;
    if (const std::uint64_t depth = is_forward ? s_.strip() : s_.filters; depth % 32 != 0)
      refuse_convolution((is_forward ? "kernel * channels = " : "filters = ") + std::to_string(depth) +
                         " is no multiple of 32, the numbers in a row of a matrix tile");
  }

  /// The bytes of all arrays and of the stack.
  std::uint64_t data_bytes() const {
    const std::uint64_t all = s_.images * s_.image() + s_.weights() + s_.images * s_.output();
    return (all - s_.results() + s_.panels() + s_.between()) * real + (s_.results() + s_.tile_products()) * sum + this->stack_bytes();
  }

  /// Filters become panels of a matrix with a column for each.
  Work pack() const {
    return copied("filters", s_.weights(), packed_rows * s_.filters * real, tiles_.panels(s_.filters) * LineCover::line_bytes, s_.depth());
  }
  /// Filters become panels of the turned matrix, with a column for each channel.
  Work turn() const {
    return copied("filters", s_.weights(), s_.filters * real, s_.filters * LineCover::line_bytes, s_.kernel * s_.kernel * s_.channels);
  }

  Work forward() const {
    const std::uint64_t row = s_.side() * s_.filters * sum, panels = tiles_.panels(s_.filters), blocks = blocks_of(s_.strip()),
                        calls = s_.output_rows() * s_.kernel, of_row = s_.kernel * image_row() + s_.weights() * real + row;
    Product p{.calls = calls, .rows = s_.side(), .columns = s_.filters, .depth = s_.strip(), .left_line = image_row(), .out_line = row};
    Work work = product(p, "image", images_footprint(s_.images), s_.weights(), s_.images * s_.output(), s_.products());
    work.streams[left].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = calls * image_row(), .upper_bound = true});
    work.streams[right].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = s_.output_rows() * s_.weights() * real});
    work.streams[again].layers.push_back({.reuse_bytes = image_row() + block_depth(s_.strip()) * s_.filters * real + row,
                                          .fetched_bytes = calls * blocks * row,
                                          .upper_bound = true});
    work.add_outer_loop(s_.output_rows(), of_row);
    work.add_outer_loop(calls * blocks * panels, p.left_line + row);
    add_stack(work, calls * blocks * panels);
    return work;
  }

  Work backward_data() const {
    const std::uint64_t row = s_.side() * s_.filters * real, image_sums = image_row() / real * sum, blocks = blocks_of(s_.filters),
                        of_panel = s_.filters * s_.channels * real, calls = s_.output_rows() * s_.kernel * s_.kernel,
                        rows = (s_.kernel + s_.stride - 1) / s_.stride, of_row = s_.weights() * real + s_.stride * image_sums + rows * row;
    Product p{.calls = calls, .rows = s_.side(), .columns = s_.channels, .depth = s_.filters, .left_line = row, .out_line = image_sums};
    Work work = product(p, "gradient", s_.points() * s_.filters * real, s_.weights(), s_.images * s_.image(), s_.products());
    work.streams[left].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = s_.output_rows() * s_.kernel * row, .upper_bound = true});
    work.streams[right].layers.push_back(
        {.reuse_bytes = of_row, .fetched_bytes = s_.output_rows() * s_.weights() * real, .upper_bound = true});
    work.streams[again].layers.push_back(
        {.reuse_bytes = image_sums + of_panel + row, .fetched_bytes = calls * blocks * image_sums, .upper_bound = true});
    work.add_outer_loop(s_.images * s_.width, of_row);
    work.add_outer_loop(calls * blocks * tiles_.panels(s_.channels), row + image_sums);
    add_stack(work, calls * blocks * tiles_.panels(s_.channels));
    return work;
  }

  Work backward_weights() const {
    const std::uint64_t row = s_.side() * s_.filters * real, panels = tiles_.panels(s_.filters), calls = s_.output_rows() * s_.kernel,
                        of_row = s_.kernel * image_row() + s_.weights() * real + row;
    Work work = weights_products("image", images_footprint(s_.images), s_.points() * s_.filters, image_row(), s_.side());
    // A tile reads a few channels of each point of a row: a line or two of each.
    const std::uint64_t tiles = calls * panels * tiles_.row_tiles(s_.strip()) * blocks_of(s_.side());
    work.streams[left].layers = {
        {.reuse_bytes = 2 * s_.side() * LineCover::line_bytes + 2 * block_depth(s_.side()) * tiles_.widest(s_.filters) * real,
         .fetched_bytes = tiles * 2 * block_depth(s_.side()) * LineCover::line_bytes,
         .upper_bound = true},
        {.reuse_bytes = of_row, .fetched_bytes = calls * panels * 2 * image_row(), .upper_bound = true}};
    work.streams[right].layers.front().reuse_bytes += 2 * block_depth(s_.side()) * LineCover::line_bytes;
    return work;
  }

  /// Points are paired: of each row of an image the patches are turned.
  Work pair_image() const {
    const std::uint64_t rows = s_.images * s_.used_rows(), elements = rows * s_.strip() * s_.side(), line = s_.strip() * paired_line();
    Work work = copied("image", elements, s_.channels * real, s_.channels * LineCover::line_bytes, rows * s_.kernel * s_.side());
    work.streams[0].footprint_bytes = images_footprint(s_.images);
    work.streams[0].layers = {
        {.reuse_bytes = image_row() + line, .fetched_bytes = rows * s_.kernel * 2 * image_row(), .upper_bound = true}};
    work.streams[1].footprint_bytes = rows * line;
    work.streams[1].stores = rows * s_.strip() * ((s_.side() + 1) / 2);
    work.streams[1].element_bytes = 2 * real;
    add_stack(work, rows * s_.kernel);
    return work;
  }
  /// Points are paired: each row of the outputs' gradient becomes a panel.
  Work pair_gradient() const {
    Work work = copied("gradient", s_.points() * s_.filters, packed_rows * s_.filters * real,
                       tiles_.panels(s_.filters) * LineCover::line_bytes, s_.points());
    work.streams[1].footprint_bytes = s_.output_rows() * (s_.side() + 1) / 2 * 2 * s_.filters * real;
    return work;
  }
  /// Points are multiplied by pairs: a flavor takes a zero for the second of an odd row's last one, and matrix tiles for whole rows of
  /// theirs.
  Work paired_weights() const {
    const std::uint64_t line = s_.strip() * paired_line(), rows = s_.images * s_.used_rows(),
                        depth = is_as_written_ ? s_.side() : points_of_pairs();
    Work work = weights_products("patches", rows * line, s_.output_rows() * depth * s_.filters, line, depth);
    work.note = "pairs of points: sums of " + std::to_string(depth) + " terms where " + std::to_string(s_.side()) + " outputs are in a row";
    return work;
  }

  /// The patches of one image are copied.
  Work columns() const {
    const std::uint64_t rows = s_.side(), patch = s_.depth() * real, patches = rows * rows * patch;
    Work work{
        .streams = {
            {.array = "image",
             .footprint_bytes = images_footprint(1),
             .read = true,
             .loads = rows * rows * s_.depth(),
             .element_bytes = real,
             // Neighbouring patches overlap, and so do neighbouring rows of them.
             .layers = {{.reuse_bytes = 2 * patch + s_.kernel * 2 * LineCover::line_bytes,
                         .fetched_bytes = patches + rows * rows * s_.kernel * 2 * LineCover::line_bytes,
                         .upper_bound = true},
                        {.reuse_bytes = s_.kernel * image_row() + rows * patch,
                         .fetched_bytes = rows * s_.kernel * image_row(),
                         .upper_bound = true}}},
            {.array = "columns", .footprint_bytes = patches, .written = true, .stores = rows * rows * s_.depth(), .element_bytes = real}}};
    work.add_outer_loop(rows, rows * patch);
    work.add_outer_loop(rows * rows * s_.kernel, 2 * patch);
    return work;
  }
  /// The patches of one image are multiplied.
  Work column_products() const {
    const std::uint64_t rows = s_.side(), row = rows * s_.filters * real, patches = rows * s_.depth() * real,
                        blocks = blocks_of(s_.depth()), of_row = patches + s_.weights() * real + row;
    Product p{.calls = rows, .rows = rows, .columns = s_.filters, .depth = s_.depth(), .left_line = patches, .out_line = row};
    Work work = product(p, "columns", rows * patches, s_.weights(), s_.output(), rows * rows * s_.weights());
    work.streams[right].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = rows * s_.weights() * real, .upper_bound = true});
    work.streams[again].layers.push_back({.reuse_bytes = patches + block_depth(s_.depth()) * s_.filters * real + row,
                                          .fetched_bytes = rows * blocks * row,
                                          .upper_bound = true});
    work.add_outer_loop(rows, of_row);
    work.add_outer_loop(rows * blocks * tiles_.panels(s_.filters), patches + row);
    add_stack(work, rows * blocks * tiles_.panels(s_.filters));
    return work;
  }

  /// The transformation of a filter's 3 x 3 points takes three lines of 3 to lines of 4, and then four: 3 sums and 2 products each.
  Work transform_filters() const {
    Work work = copied("filters", s_.weights(), s_.filters * real, 16 * tiles_.panels(s_.filters) * LineCover::line_bytes,
                       9 * s_.channels + 16 * s_.channels);
    work.streams[1].footprint_bytes = s_.panels() * real;
    work.streams[1].stores = s_.panels();
    add_stack(work, s_.channels);
    work.flops = {{flops<Real>("add"), 21 * s_.channels * s_.filters}, {flops<Real>("mul"), 14 * s_.channels * s_.filters}};
    return work;
  }
  /// The transformation of a tile of one image takes four lines of 4 to lines of 4, and then four: 4 sums each.
  Work transform_image() const {
    const std::uint64_t t = s_.tiles(), tile_row = 16 * t * s_.channels * real;
    std::uint64_t inside = 0;  // points of all tiles of a row, in one dimension
    for (std::uint64_t tile = 0; tile < t; ++tile) inside += std::min<std::uint64_t>(4, s_.width - 2 * tile);
    Work work{
        .flops = {{flops<Real>("add"), 32 * t * t * s_.channels}},
        .streams = {{.array = "image",
                     .footprint_bytes = images_footprint(1),
                     .read = true,
                     .loads = inside * inside * s_.channels,
                     .element_bytes = real,
                     .layers = {{.reuse_bytes = 32 * (s_.channels * real + LineCover::line_bytes),
                                 .fetched_bytes = inside * inside * (s_.channels * real + LineCover::line_bytes),
                                 .upper_bound = true},
                                {.reuse_bytes = 4 * image_row() + tile_row, .fetched_bytes = t * 4 * image_row(), .upper_bound = true}}},
                    {.array = "tiles",
                     .footprint_bytes = t * tile_row,
                     .written = true,
                     .stores = 16 * t * t * s_.channels,
                     .element_bytes = real,
                     .layers = {{.reuse_bytes = 32 * (s_.channels * real + LineCover::line_bytes),
                                 .fetched_bytes = 2 * t * tile_row,
                                 .upper_bound = true}}}}};
    work.add_outer_loop(t, 4 * image_row() + tile_row);
    work.add_outer_loop(t * t, 32 * s_.channels * real);
    add_stack(work, t * t);
    return work;
  }
  /// The tiles of one image are multiplied.
  Work tile_products() const {
    const std::uint64_t t = s_.tiles(), left_row = t * s_.channels * real, row = t * s_.filters * real, blocks = blocks_of(s_.channels),
                        of_matrix = s_.channels * s_.filters * real, of_row = left_row + of_matrix + row;
    Product p{.calls = 16 * t, .rows = t, .columns = s_.filters, .depth = s_.channels, .left_line = left_row, .out_line = row};
    Work work = product(p, "tiles", 16 * t * left_row, s_.panels(), s_.tile_products(), 16 * t * t * s_.channels * s_.filters);
    work.streams[right].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = t * s_.panels() * real, .upper_bound = true});
    work.streams[again].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = 16 * t * blocks * row, .upper_bound = true});
    work.add_outer_loop(16 * t, of_row);
    work.add_outer_loop(16 * t * blocks * tiles_.panels(s_.filters), left_row + row);
    add_stack(work, 16 * t * blocks * tiles_.panels(s_.filters));
    return work;
  }
  /// The transformation of a tile to one output takes four lines of 4 to lines of 2, and then two: 4 sums each.
  Work transform_tiles() const {
    const std::uint64_t t = s_.tiles(), tile_row = 16 * t * s_.filters * real;
    Work work{.flops = {{flops<Real>("add"), 24 * t * t * s_.filters}},
              .streams = {{.array = "products",
                           .footprint_bytes = t * tile_row,
                           .read = true,
                           .loads = 16 * t * t * s_.filters,
                           .element_bytes = real,
                           .layers = {{.reuse_bytes = 20 * (s_.filters * real + LineCover::line_bytes),
                                       .fetched_bytes = 2 * t * tile_row,
                                       .upper_bound = true}}},
                          {.array = "output",
                           .footprint_bytes = s_.output() * real,
                           .written = true,
                           .stores = s_.output(),
                           .element_bytes = real,
                           .layers = {{.reuse_bytes = 20 * (s_.filters * real + LineCover::line_bytes),
                                       .fetched_bytes = 2 * s_.output() * real,
                                       .upper_bound = true}}}}};
    work.add_outer_loop(t, tile_row);
    work.add_outer_loop(t * t, 20 * s_.filters * real);
    add_stack(work, t * t);
    return work;
  }

 private:
  using Base = ProductWork<Real>;
  using Base::again, Base::block_depth, Base::blocks_of, Base::copied, Base::left, Base::numbers, Base::product, Base::real, Base::right,
      Base::sum, Base::tiles_;
  using typename Base::Product;

  void add_stack(Work& work, std::uint64_t entries) const { Base::add_stack(work, entries, data_bytes()); }

  /// The part of an image's row of which there are outputs.
  std::uint64_t image_row() const { return ((s_.side() - 1) * s_.stride + s_.kernel) * s_.channels * real; }
  /// The bytes of the lines under the points of so many images of which there are outputs.
  std::uint64_t images_footprint(std::uint64_t images) const {
    const std::uint64_t rows = s_.used_rows();
    LineCover cover;
    for (std::uint64_t image = 0; image < images; ++image)
      for (std::uint64_t y = 0; y < rows; ++y) cover.add(((image * s_.width + y) * s_.width) * s_.channels * real, image_row());
    return cover.bytes();
  }

  /// The bytes of the lines in which the pairs of a row of outputs lie.
  std::uint64_t paired_line() const {
    return (points_of_pairs() * real + LineCover::line_bytes - 1) / LineCover::line_bytes * LineCover::line_bytes;
  }
  /// The points that the pairs of a row of outputs have, zeros among them.
  std::uint64_t points_of_pairs() const { return tiles_.are_amx ? s_.paired_side() : (s_.side() + 1) / 2 * 2; }

  /// The products of rows of points that make the filters' gradient, where the left matrix is so long a row of outputs.
  Work weights_products(const char* name, std::uint64_t left_bytes, std::uint64_t right_size, std::uint64_t left_line,
                        std::uint64_t depth) const {
    const std::uint64_t rows = s_.output_rows(), row = depth * s_.filters * real, of_strip = s_.strip() * s_.filters * sum,
                        calls = rows * s_.kernel, of_row = s_.kernel * left_line + s_.weights() * sum + row;
    Product p{.calls = calls, .rows = s_.strip(), .columns = s_.filters, .depth = depth, .left_line = left_line, .out_line = of_strip};
    Work work = product(p, name, left_bytes, right_size, s_.weights(), rows * depth * s_.weights());
    work.streams[left].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = calls * left_line, .upper_bound = true});
    work.streams[right].array = "gradient";
    work.streams[right].layers.push_back({.reuse_bytes = of_row, .fetched_bytes = calls * row, .upper_bound = true});
    work.streams[again].layers.push_back(
        {.reuse_bytes = of_row, .fetched_bytes = rows * blocks_of(depth) * s_.weights() * sum, .upper_bound = true});
    work.add_outer_loop(rows, of_row);
    work.add_outer_loop(calls * tiles_.panels(s_.filters), left_line + of_strip);
    add_stack(work, calls * tiles_.panels(s_.filters));
    return work;
  }

  ConvShape s_;
  bool is_as_written_;  // by no flavor
};

}  // namespace plumbline
