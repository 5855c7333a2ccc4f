// The exact work of a convolution on GPUs, launch by launch.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/kernel_data.hpp"
#include "proxies/networks/conv2d_products.cuh"

namespace plumbline {

/// All launches of a sweep together. FLOPs are those of whole tiles and steps: what lies beyond a matrix is multiplied as zeros. So are its
/// loads: the first element is loaded in its place.
template <class Real>
class ConvGpuWork {
 public:
  explicit ConvGpuWork(const ConvShape& shape) : s_(shape) {}

  Work work() const {
    Work work = s_.direction == ConvDirection::backward_weights ? gradient() : products();
    work.paper = {{"paper.flops", 2 * s_.products()}};
    const std::uint64_t done = work.flops.at(quantity()).lo / operations;
    if (done != s_.products())
      work.note = "whole tiles and steps of " + std::to_string(conv_depth_step<Real>) + ": " + std::to_string(done) + " products for " +
                  std::to_string(s_.products()) + ", the others of zeros";
    return work;
  }

 private:
  static constexpr std::uint64_t real = sizeof(Real), sum = sizeof(ConvSum<Real>), sector = 32;
  static constexpr std::uint64_t operations = conv_by_tensor_cores<Real> ? 2 : 1;  // that a product counts as
  static std::string quantity() {
    return conv_by_tensor_cores<Real> ? "flops.tensor." + std::string(precision_of<Real>()) : flops<Real>("fma");
  }

  /// The products of so many steps of tiles.
  static Counts products_of(std::uint64_t steps) {
    return {{quantity(), operations * steps * conv_tile * conv_tile * conv_depth_step<Real>}};
  }
  /// The elements of an operand that so many steps of tiles load.
  static std::uint64_t elements_of(std::uint64_t steps) { return steps * conv_tile * conv_depth_step<Real>; }

  /// An operand: `loads` of an array of so many bytes. Threads load eight elements side by side, which lie in as many bytes of sectors
  /// where its points have whole ones; else they touch two sectors more. How often a block finds in a cache what another one loaded is the
  /// GPU's choice.
  static Stream operand(std::string array, std::uint64_t bytes, std::uint64_t loads, std::uint64_t reuse, bool in_whole_sectors) {
    return {.array = std::move(array),
            .footprint_bytes = bytes,
            .read = true,
            .loads = loads,
            .element_bytes = real,
            .layers = {{.reuse_bytes = reuse, .fetched_bytes = loads * real, .upper_bound = true}},
            .straddles = in_whole_sectors ? 0 : 2 * loads / 8};
  }
  /// Sums that are stored in rows of so many, a tile's after another: where rows are no whole sectors, each of a tile's pieces may touch
  /// two more.
  static Stream stored_sums(std::string array, std::uint64_t rows, std::uint64_t columns) {
    return {.array = std::move(array),
            .footprint_bytes = rows * columns * sum,
            .written = true,
            .stores = rows * columns,
            .element_bytes = sum,
            .straddles = columns * sum % sector == 0 ? 0 : rows * conv_parts(columns, conv_tile) * 8};
  }
  /// Two tiles are stored in each step. A thread loads 8 and 4 elements for 32 products; a warp, by words, 8 and 8 for each 8 products of
  /// tensor cores.
  static Stream tiles(std::uint64_t steps) {
    const std::uint64_t loads_a_step =
        conv_by_tensor_cores<Real> ? conv_threads * 16 * 2 * conv_depth_step<Real> / 16 : conv_threads * 12 * conv_depth_step<Real>;
    return {.array = "tiles",
            .loads = steps * loads_a_step,
            .stores = steps * 2 * conv_tile * conv_depth_step<Real>,
            .element_bytes = real,
            .scratchpad = true};
  }

  static bool whole_sectors(std::uint64_t elements) { return elements * real % sector == 0; }

  /// The bytes that outputs depend on, of so many images.
  std::uint64_t used_image_bytes(std::uint64_t images) const { return images * s_.used_rows() * s_.used_rows() * s_.channels * real; }

  /// The products of gathered patches, and what makes them ready.
  Work products() const {
    const std::uint64_t sweeps = s_.variant == ConvVariant::im2col ? s_.images : 1, panels = s_.weights() * real;
    std::uint64_t steps = 0;
    for (const ConvGather& one : conv_gathers(s_)) steps += sweeps * one.row_tiles() * one.column_tiles() * one.template steps<Real>();
    const std::uint64_t inner = s_.direction == ConvDirection::forward ? s_.channels : s_.filters, loads = elements_of(steps);
    const bool in_sectors = whole_sectors(inner);
    // The filters' numbers are loaded each from another sector.
    Work work{.flops = products_of(steps), .streams = {operand("filters", panels, s_.weights(), panels, false)}};
    work.streams.front().layers.front().fetched_bytes = s_.weights() * sector;
    if (s_.variant == ConvVariant::im2col) {
      const std::uint64_t copied = s_.images * s_.side() * s_.side() * s_.depth(), bytes = copied / s_.images * real;
      work.streams.push_back(operand("image", used_image_bytes(s_.images), copied, used_image_bytes(1), false));
      work.streams.push_back(operand("columns", bytes, loads, bytes, in_sectors));
      work.streams.back().written = true;
      work.streams.back().stores = copied;
    } else {
      const std::uint64_t bytes = s_.direction == ConvDirection::forward ? used_image_bytes(s_.images) : s_.points() * s_.filters * real;
      work.streams.push_back(operand(s_.direction == ConvDirection::forward ? "image" : "gradient", bytes, loads, bytes, in_sectors));
    }
    Stream panel = operand("panels", panels, loads, 2 * panels, in_sectors);
    panel.written = true;
    panel.stores = s_.weights();
    work.streams.push_back(std::move(panel));
    const std::uint64_t columns = s_.direction == ConvDirection::forward ? s_.filters : s_.channels;
    work.streams.push_back(stored_sums("results", s_.results() / columns, columns));
    work.streams.push_back(tiles(steps));
    return work;
  }

  /// The filters' gradient, of parts that are added up.
  Work gradient() const {
    const ConvSplit split = conv_split<Real>(s_);
    const std::uint64_t tiles_of_all = std::uint64_t{split.parts} * conv_parts(s_.depth(), conv_tile) * conv_parts(s_.filters, conv_tile),
                        steps = split.points / conv_depth_step<Real> * tiles_of_all, loads = elements_of(steps),
                        image = used_image_bytes(s_.images), outputs = s_.points() * s_.filters * real, sums = split.parts * s_.weights();
    Work work{.flops = products_of(steps),
              .streams = {operand("image", image, loads, image, whole_sectors(s_.channels)),
                          operand("gradient", outputs, loads, outputs, whole_sectors(s_.filters)),
                          stored_sums("parts", split.parts * s_.depth(), s_.filters), stored_sums("results", s_.depth(), s_.filters),
                          tiles(steps)}};
    work.flops[flops<ConvSum<Real>>("add")] = sums - s_.weights();
    work.streams[2].read = true;
    work.streams[2].loads = sums;
    return work;
  }

  ConvShape s_;
};

}  // namespace plumbline
