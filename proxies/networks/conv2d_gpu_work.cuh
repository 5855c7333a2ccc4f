// The exact work of a convolution on GPUs, phase by phase.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/kernel_data.hpp"
#include "proxies/networks/conv2d_products.cuh"

namespace plumbline {

/// The phases of a sweep. FLOPs are those of whole tiles and steps: what lies beyond a matrix is multiplied as zeros. So are its loads: the
/// first element is loaded in its place. Where Factor is another type than Real, each element that is loaded is converted once.
template <class Real, class Factor>
class ConvGpuWork {
 public:
  explicit ConvGpuWork(const ConvShape& shape) : s_(shape) {}

  ApplicationWork application() const { return {.phases = phases(), .data_bytes = data_bytes()}; }

 private:
  static constexpr bool converts = !std::is_same_v<Real, Factor>;
  static constexpr std::uint64_t real = sizeof(Real), sum = sizeof(ConvSum<Factor>), sector = 32;
  static constexpr std::uint64_t operations = conv_by_tensor_cores<Factor> ? 2 : 1;  // that a product counts as
  static std::string quantity() {
    return conv_by_tensor_cores<Factor> ? "flops.tensor." + std::string(precision_of<Factor>()) : flops<Factor>("fma");
  }

  /// The elements of an operand that so many steps of tiles load.
  static std::uint64_t elements_of(std::uint64_t steps) { return steps * conv_tile * conv_depth_step<Factor>; }
  /// The products of so many steps of tiles. A conversion may be an instruction of its own or a sum with zero in the precision that it is
  /// from: a count of such sums is anything up to all conversions.
  static Counts products_of(std::uint64_t steps) {
    Counts counts{{quantity(), operations * steps * conv_tile * conv_tile * conv_depth_step<Factor>}};
    if constexpr (converts) counts[flops<Real>("add")] = Amount(0, 2 * elements_of(steps));
    return counts;
  }
  /// An operand: `loads` of an array of so many bytes. Threads load eight elements side by side, which lie in as many bytes of sectors
  /// where its points have whole ones, or in a half of one; else they touch two sectors more. How often a block finds in a cache what
  /// another one loaded is the GPU's choice.
  static Stream operand(std::string array, std::uint64_t bytes, std::uint64_t loads, std::uint64_t reuse, bool in_whole_sectors) {
    return {
        .array = std::move(array),
        .footprint_bytes = bytes,
        .read = true,
        .loads = loads,
        .element_bytes = real,
        .layers = {{.reuse_bytes = reuse, .fetched_bytes = std::max(loads * real, converts ? loads / 8 * sector : 0), .upper_bound = true}},
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
        conv_by_tensor_cores<Factor> ? conv_threads * 16 * 2 * conv_depth_step<Factor> / 16 : conv_threads * 12 * conv_depth_step<Factor>;
    return {.array = "tiles",
            .loads = steps * loads_a_step,
            .stores = steps * 2 * conv_tile * conv_depth_step<Factor>,
            .element_bytes = sizeof(Factor),
            .scratchpad = true};
  }

  static bool whole_sectors(std::uint64_t elements) { return elements * real % sector == 0; }

  /// The bytes that outputs depend on, of so many images.
  std::uint64_t used_image_bytes(std::uint64_t images) const { return images * s_.used_rows() * s_.used_rows() * s_.channels * real; }
  /// The bytes of all arrays together.
  std::uint64_t data_bytes() const {
    const std::uint64_t all = s_.images * s_.image() + s_.weights() + s_.images * s_.output(),
                        parts = s_.direction == ConvDirection::backward_weights ? conv_split<Factor>(s_).parts * s_.weights() : 0;
    return (all - s_.results() + s_.panels() + s_.between()) * real + (s_.results() + parts + s_.tile_products()) * sum;
  }

  std::vector<Phase> phases() const {
    if (s_.direction == ConvDirection::backward_weights) return {{"products", gradient()}, {"sums", sum_of_parts()}};
    if (s_.variant == ConvVariant::im2col)
      return {{"filters", panels()}, {"columns", columns(), s_.images}, {"products", products(), s_.images}};
    if (s_.variant == ConvVariant::winograd)
      return {{"filters", transform_filters()},
              {"image", transform_image(), s_.images},
              {"products", tile_products(), s_.images},
              {"output", transform_tiles(), s_.images}};
    return {{"filters", panels()}, {"products", products()}};
  }

  /// Numbers that threads side by side store side by side, in runs of so many.
  static Stream stored_in_runs(std::string array, std::uint64_t numbers, std::uint64_t run) {
    Stream stored = plumbline::stored<Real>(std::move(array), numbers);
    stored.straddles = whole_sectors(run) ? 0 : 2 * (numbers / 32 + numbers / run);
    return stored;
  }
  /// The filters' numbers are loaded each from another sector, and laid side by side.
  Stream scattered_filters() const {
    Stream filters = operand("filters", s_.weights() * real, s_.weights(), s_.weights() * real, false);
    filters.layers.front().fetched_bytes = s_.weights() * sector;
    return filters;
  }
  Work panels() const { return {.streams = {scattered_filters(), stored_in_runs("panels", s_.weights(), s_.filters * s_.channels)}}; }
  /// The patches of one image are copied.
  Work columns() const {
    const std::uint64_t copied = s_.side() * s_.side() * s_.depth();
    return {
        .streams = {operand("image", used_image_bytes(1), copied, used_image_bytes(1), false), stored_in_runs("columns", copied, copied)}};
  }

  /// Says how many products whole tiles make of those that are wanted, where these are others; a sweep's FLOPs are so many by convention.
  static void tell_whole_tiles(Work& work, std::uint64_t wanted, std::uint64_t convention) {
    work.paper = {{"paper.flops", convention}};
    const std::uint64_t done = work.flops.at(quantity()).lo / operations;
    if constexpr (converts)
      work.note = std::to_string(work.flops.at(flops<Real>("add")).hi) + " conversions to " + std::string(precision_of<Factor>()) +
                  ", each of which may be counted as a sum in " + std::string(precision_of<Real>());
    if (done != wanted)
      work.note += std::string(work.note.empty() ? "" : "; ") + "whole tiles and steps of " + std::to_string(conv_depth_step<Factor>) +
                   ": " + std::to_string(done) + " products for " + std::to_string(wanted) + ", the others of zeros";
  }
  /// The products of gathered patches, of all images or of one's columns.
  Work products() const {
    const bool is_forward = s_.direction == ConvDirection::forward, is_of_columns = s_.variant == ConvVariant::im2col;
    const std::uint64_t entries = is_of_columns ? s_.images : 1, panels = s_.weights() * real,
                        bytes = is_of_columns ? s_.between() * real
                                : is_forward  ? used_image_bytes(s_.images)
                                              : s_.points() * s_.filters * real,
                        columns = is_forward ? s_.filters : s_.channels;
    std::uint64_t steps = 0;
    for (const ConvGather& one : conv_gathers(s_))
      steps += std::uint64_t{one.row_tiles()} * one.column_tiles() * one.template steps<Factor>();
    const std::uint64_t loads = elements_of(steps);
    const bool in_sectors = whole_sectors(is_forward ? s_.channels : s_.filters);
    Work work{.flops = products_of(steps),
              .streams = {operand(is_of_columns ? "columns"
                                  : is_forward  ? "image"
                                                : "gradient",
                                  bytes, loads, bytes, in_sectors),
                          operand("panels", panels, loads, 2 * panels, in_sectors),
                          stored_sums("results", s_.results() / columns / entries, columns), tiles(steps)}};
    tell_whole_tiles(work, s_.products() / entries, 2 * s_.products() / entries);
    return work;
  }

  /// The operations of Winograd's transformations are a CPU's (conv2d_work.hpp): 7 lines of a filter have 3 sums and 2 products each, 8 of
  /// a tile 4 sums, 6 of its outputs 4.
  Work transform_filters() const {
    const std::uint64_t filters = s_.channels * s_.filters, twice = real == 8 ? 7 * filters : 0;
    Work work{.flops = {{flops<Real>("add"), Amount(21 * filters, 21 * filters + twice)}, {flops<Real>("mul"), 14 * filters}},
              .streams = {scattered_filters(), stored_in_runs("panels", s_.panels(), filters)}};
    if (twice != 0)
      work.note = "of the 21 sums of a filter's channel those 7 that two numbers need may be done twice: the assembler spares registers so";
    return work;
  }
  /// The tiles of one image are transformed. Neighbouring ones overlap by half.
  Work transform_image() const {
    const std::uint64_t tiles = s_.tiles() * s_.tiles() * s_.channels;
    return {.flops = {{flops<Real>("add"), 32 * tiles}},
            .streams = {operand("image", used_image_bytes(1), 16 * tiles, used_image_bytes(1), whole_sectors(s_.channels)),
                        stored_in_runs("transformed", 16 * tiles, tiles)}};
  }
  /// The tiles of one image are multiplied, as 16 matrices.
  Work tile_products() const {
    const ConvGather one = conv_tile_gather(s_);
    const std::uint64_t rows = s_.tiles() * s_.tiles(),
                        steps = std::uint64_t{16} * one.row_tiles() * one.column_tiles() * one.template steps<Factor>(),
                        loads = elements_of(steps), transformed = s_.between() * real, panels = s_.panels() * real;
    const bool in_sectors = whole_sectors(s_.channels);
    Work work{.flops = products_of(steps),
              .streams = {operand("transformed", transformed, loads, transformed, in_sectors),
                          operand("panels", panels, loads, 2 * panels, in_sectors), stored_sums("products", 16 * rows, s_.filters),
                          tiles(steps)}};
    tell_whole_tiles(work, 16 * rows * s_.channels * s_.filters, 2 * s_.products() / s_.images);
    return work;
  }
  /// The products of one image become outputs.
  Work transform_tiles() const {
    const std::uint64_t tiles = s_.tiles() * s_.tiles() * s_.filters;
    Stream products = loaded<Real>("products", 16 * tiles);
    products.straddles = whole_sectors(tiles) ? 0 : 2 * (16 * tiles / 32 + 16);
    Stream output = stored<Real>("output", s_.output());
    output.straddles = whole_sectors(s_.filters) ? 0 : 2 * s_.output();
    return {.flops = {{flops<Real>("add"), 24 * tiles}}, .streams = {std::move(products), std::move(output)}};
  }

  /// The filters' gradient, in parts.
  Work gradient() const {
    const ConvSplit split = conv_split<Factor>(s_);
    const std::uint64_t tiles_of_all = std::uint64_t{split.parts} * conv_parts(s_.depth(), conv_tile) * conv_parts(s_.filters, conv_tile),
                        steps = split.points / conv_depth_step<Factor> * tiles_of_all, loads = elements_of(steps),
                        image = used_image_bytes(s_.images), outputs = s_.points() * s_.filters * real;
    Work work{.flops = products_of(steps),
              .streams = {operand("image", image, loads, image, whole_sectors(s_.channels)),
                          operand("gradient", outputs, loads, outputs, whole_sectors(s_.filters)),
                          stored_sums("parts", split.parts * s_.depth(), s_.filters), tiles(steps)}};
    tell_whole_tiles(work, s_.products(), 2 * s_.products());
    return work;
  }
  /// The parts are added up.
  Work sum_of_parts() const {
    const std::uint64_t numbers = conv_split<Factor>(s_).parts * s_.weights();
    Work work{.flops = {{flops<ConvSum<Factor>>("add"), numbers - s_.weights()}},
              .streams = {loaded<ConvSum<Factor>>("parts", numbers), stored_sums("results", s_.depth(), s_.filters)}};
    work.streams.front().straddles = s_.weights() * sum % sector == 0 ? 0 : 2 * (numbers / 32 + 1);
    return work;
  }

  ConvShape s_;
};

}  // namespace plumbline
