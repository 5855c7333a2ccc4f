// The exact work of an LSTM on GPUs, phase by phase.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/kernel.hpp"
#include "proxies/networks/lstm_cells.cuh"
#include "proxies/networks/lstm_products.cuh"
#include "proxies/networks/lstm_work.hpp"

namespace plumbline {

/// The ways to launch a sweep: one kernel after the other; products of both halves of the gates side by side in two streams; all at once,
/// as a graph.
enum class LstmVariant { launches, streams, graph };

/// The phases of a backward pass on GPUs: those of LstmBackPhase, but that what is summed is converted first.
struct LstmGpuBackPhase : LstmBackPhase {
  enum : std::size_t { converted = LstmBackPhase::sum, sum };
};

/// FLOPs are those of whole tiles and steps: what lies beyond a matrix is multiplied as zeros. So are its loads: the first element is
/// loaded in its place. `paper.flops` has the convention's products. A half that is computed with in fp32 is widened by an instruction that
/// a GPU's counters may take for a sum in fp16: those sums are an interval from none to all.
template <class Real>
class LstmGpuWork {
 public:
  LstmGpuWork(const LstmShape& shape, LstmVariant variant, std::uint64_t data_bytes)
      : s_(shape), variant_(variant), data_bytes_(data_bytes) {}

  /// The numbers of the panels of the weights, and of those of the gates' gradient.
  static std::pair<std::uint64_t, std::uint64_t> panel_sizes(const LstmShape& s, LstmVariant variant) {
    const auto size = [](std::uint64_t depth, std::uint64_t columns) { return LstmPanel<Real>::size_of(depth, columns); };
    const std::uint64_t parts = variant == LstmVariant::streams ? 2 : 1, part = s.gates() / parts;
    if (s.is_forward) return {2 * size(s.features, s.gates() / 2) + parts * size(s.hidden, part), 1};
    return {size(s.gates(), s.features) + size(s.gates(), s.hidden), parts * size(s.rows(), part)};
  }

  ApplicationWork application() const {
    ApplicationWork lstm = s_.is_forward ? forward() : backward();
    if (variant_ != LstmVariant::graph) return lstm;
    const bool sums = !s_.is_forward;
    const Phase sum = lstm.phases.back();
    if (sums) lstm.phases.pop_back();
    Work all = whole_work(lstm);
    lstm.phases = {{"graph", std::move(all)}};
    if (sums) lstm.phases.push_back(sum);
    return lstm;
  }

 private:
  using Sum = LstmSum<Real>;
  static constexpr bool is_narrow = !std::is_same_v<Real, Sum>;
  static constexpr std::uint64_t real = sizeof(Real), sector = 32;

  /// Operations in the type that is computed with, and so many numbers that are widened to it.
  static Counts with_conversions(Counts operations, std::uint64_t conversions) {
    if constexpr (is_narrow) operations[flops<Real>("add")] = Amount(0, conversions);
    return operations;
  }

  ApplicationWork forward() const {
    ApplicationWork lstm;
    lstm.data_bytes = data_bytes_;
    for (const std::string_view name : lstm_phase_names) lstm.phases.push_back({.name = std::string(name), .entries = 0});
    for (const LstmLaunch& launch : lstm_forward_launches(s_)) ++lstm.phases[static_cast<std::size_t>(launch.phase)].entries;
    const auto phase = [&](LstmPhase which) -> Phase& { return lstm.phases[static_cast<std::size_t>(which)]; };
    const std::uint64_t half = s_.gates() / 2, together = halves();
    if (variant_ == LstmVariant::streams) phase(LstmPhase::input).entries = 1;
    phase(LstmPhase::input_weights).work = packed("weights", s_.features, half, 2, false);
    phase(LstmPhase::recurrent_weights).work = packed("weights", s_.hidden, s_.gates() / together, together, false);
    phase(LstmPhase::input).work = product({"inputs", "gates", "bias"}, s_.rows(), half, s_.features, together, s_.features);
    phase(LstmPhase::recurrent).work =
        product({"hidden state", "gates", "gates"}, s_.batch, s_.gates() / together, s_.hidden, together, s_.hidden);
    phase(LstmPhase::gates).work =
        cells<LstmForwardCell>({"cells before"}, {"cells", "tanh of cells", "hidden state"}, {.array = "gates", .written = true});
    return lstm;
  }

  ApplicationWork backward() const {
    const std::uint64_t both = s_.weights_and_bias(), together = halves();
    ApplicationWork lstm;
    lstm.data_bytes = data_bytes_;
    Work conversion;
    conversion.flops = with_conversions({}, both);
    conversion.streams = {loaded("gradient", both, both, 2), stored("converted", both, sizeof(double), 2)};
    const auto add = [&](const char* name, Work work, std::uint64_t entries = 1) {
      lstm.phases.push_back({.name = name, .work = std::move(work), .entries = entries});
    };
    add("turned_weights", turned_weights());
    add("gates",
        cells<LstmBackwardCell>({"cells before", "tanh of cells", "above", "gradient of the hidden state", "gradient of the cells"},
                                {"gradient of the cells before"}, {.array = "gates"}),
        s_.sequence);
    add("recurrent", back_product(s_.batch, s_.hidden, "gradient of the hidden state"), s_.sequence);
    add("input", back_product(s_.rows(), s_.features, "gradient of the inputs"));
    add("turned_inputs", turned_inputs());
    add("packed_gates", packed("gradient of the gates", s_.rows(), s_.gates() / together, together, false));
    add("weights", product({"turned", "gradient of the weights", ""}, s_.inputs(), s_.gates() / together, s_.rows(), together, s_.pitch()));
    add("bias", bias());
    add("converted", std::move(conversion));
    lstm.phases.push_back({.name = "sum", .messages = 1, .message_bytes = both * sizeof(double)});
    return lstm;
  }

  std::uint64_t halves() const { return variant_ == LstmVariant::streams ? 2 : 1; }

  /// An array of so many elements, loaded so often. How often a warp finds in a cache what another one loaded is the GPU's choice.
  static Stream loaded(std::string array, std::uint64_t elements, std::uint64_t loads, std::uint64_t straddles,
                       std::uint64_t fetched_bytes = 0) {
    Stream stream{.array = std::move(array),
                  .footprint_bytes = elements * real,
                  .read = true,
                  .loads = loads,
                  .element_bytes = real,
                  .straddles = straddles};
    if (loads != elements || fetched_bytes != 0)
      stream.layers = {{.reuse_bytes = elements * real, .fetched_bytes = std::max(fetched_bytes, loads * real), .upper_bound = true}};
    return stream;
  }
  static Stream stored(std::string array, std::uint64_t elements, std::uint64_t bytes, std::uint64_t straddles) {
    return {.array = std::move(array),
            .footprint_bytes = elements * bytes,
            .written = true,
            .stores = elements,
            .element_bytes = bytes,
            .straddles = straddles};
  }

  /// Parts of a matrix become panels. Where neighbours lie apart each number is loaded from a sector of its own.
  Work packed(const char* name, std::uint64_t depth, std::uint64_t columns, std::uint64_t parts, bool apart) const {
    const std::uint64_t numbers = parts * LstmPanel<Real>::size_of(depth, columns), elements = parts * depth * columns;
    return {.streams = {loaded(name, elements, numbers, 2 * numbers / lstm_tile_columns, apart ? numbers * sector : 0),
                        stored("panels", numbers, real, 0)}};
  }
  Work turned_weights() const {
    Work work = packed("weights", s_.gates(), s_.features, 1, true), recurrent = packed("weights", s_.gates(), s_.hidden, 1, true);
    work.streams.insert(work.streams.end(), recurrent.streams.begin(), recurrent.streams.end());
    return work;
  }

  struct Names {
    const char *left, *out, *first;  // no `first`: sums begin as zero
  };
  /// The work of so many products side by side, of rows by a panel each.
  Work product(Names names, std::uint64_t rows, std::uint64_t columns, std::uint64_t depth, std::uint64_t together,
               std::uint64_t pitch) const {
    const std::uint64_t column_tiles = lstm_tiles(columns, lstm_tile_columns), tiles = lstm_tiles(rows, lstm_tile_rows) * column_tiles,
                        steps = tiles * lstm_tiles(depth, lstm_depth_step), of_tile = lstm_tile_rows * lstm_tile_columns;
    const std::uint64_t fmas = steps * of_tile * lstm_depth_step, panel = LstmPanel<Real>::size_of(depth, columns),
                        left = steps * lstm_tile_rows * lstm_depth_step, right = steps * lstm_tile_columns * lstm_depth_step;
    const auto whole = [](std::uint64_t elements) { return elements * real % sector == 0; };
    // A thread loads its rows and columns, or words for tensor cores: four of the left tile and two for each eight columns.
    constexpr std::uint64_t numbers_of_a_step =
        is_narrow ? 2 * (4 + 2 * lstm_tile_columns / 8) : lstm_depth_step * (lstm_thread_rows + lstm_thread_columns);
    // Threads store every eighth column at once, in sectors of their own or in two that others touch, too; by tensor cores, every second
    // one of eight, so that each is a part of sectors.
    const std::uint64_t pieces = is_narrow ? 8 : lstm_thread_columns, touched = whole(columns) ? (is_narrow ? 1 : 0) : 2,
                        apart = together * rows * column_tiles * pieces * touched;
    Work work{.flops = {is_narrow ? std::pair{"flops.tensor." + std::string(precision_of<Real>()), Amount(2 * together * fmas)}
                                  : std::pair{flops<Real>("fma"), Amount(together * fmas)}}};
    work.streams = {loaded(names.left, rows * depth, together * left,
                           whole(pitch) && depth % lstm_depth_step == 0 ? 0 : together * left / lstm_depth_step * 2),
                    loaded("panels", together * panel, together * right, 0),
                    stored(names.out, together * rows * columns, real, apart),
                    {.array = "tiles",
                     .loads = together * steps * lstm_threads * numbers_of_a_step,
                     .stores = together * (left + right),
                     .element_bytes = real,
                     .scratchpad = true}};
    const std::uint64_t begun = together * tiles * of_tile, of_first = std::string_view(names.first) == "bias" ? columns : rows * columns;
    if (*names.first != '\0') {
      work.streams.push_back(
          loaded(std::string(names.first) + ", as sums begin", together * of_first, begun, begun / lstm_tile_columns * pieces * touched));
      work.flops = with_conversions(work.flops, begun);
    }
    work.paper = {{"paper.flops", 2 * together * rows * columns * depth}};
    if (fmas != rows * columns * depth)
      work.note = "whole tiles of 16 x 32 and steps of 16: " + std::to_string(together * fmas) + " products for " +
                  std::to_string(together * rows * columns * depth) + ", the others of zeros";
    return work;
  }
  /// Rows of the gates' gradient are multiplied by turned weights.
  Work back_product(std::uint64_t rows, std::uint64_t columns, const char* out) const {
    return product({"gradient of the gates", out, ""}, rows, columns, s_.gates(), 1, s_.gates());
  }

  /// The cells of a step. Warps have cells that follow one another: of a row's gates each of the four pieces may begin within a sector.
  template <class Cell>
  Work cells(std::initializer_list<const char*> read, std::initializer_list<const char*> written, Stream gates) const {
    const std::uint64_t cells = s_.before(), warps = (cells + 31) / 32, apart = 2 * (warps + s_.batch);
    Work work{.flops = with_conversions({{flops<Sum>("add"), Cell::sums * cells},
                                         {flops<Sum>("mul"), Cell::products * cells},
                                         {flops<Sum>("fma"), Cell::template fmas<Sum> * cells}},
                                        Cell::conversions * cells)};
    const bool in_place = gates.written;
    Stream of_gates = loaded(gates.array, 4 * cells, 4 * cells, 4 * apart);
    of_gates.written = in_place;
    of_gates.stores = in_place ? of_gates.loads : 0;
    work.streams.push_back(of_gates);
    if (!in_place) work.streams.push_back(stored("gradient of the gates", 4 * cells, real, 4 * apart));
    for (const char* name : read) work.streams.push_back(loaded(name, cells, cells, apart));
    for (const char* name : written) work.streams.push_back(stored(name, cells, real, apart));
    return work;
  }

  /// Threads stand along the rows that they write, and read down columns.
  Work turned_inputs() const {
    const std::uint64_t rows = s_.rows(), inputs = rows * s_.features;
    Work work{.streams = {loaded("inputs", inputs, inputs, 0, inputs * sector),
                          loaded("hidden state", s_.states(), s_.states(), 0, s_.states() * sector),
                          stored("turned", s_.inputs() * rows, real, 2 * (s_.inputs() * rows / 32 + s_.inputs() + 1))}};
    return work;
  }
  Work bias() const {
    const std::uint64_t columns = s_.gates(), warps = (columns + 31) / 32;
    return {.flops = with_conversions({{flops<Sum>("add"), (s_.rows() - 1) * columns}}, s_.rows() * columns),
            .streams = {loaded("gradient of the gates", s_.rows() * columns, s_.rows() * columns, 2 * warps * s_.rows()),
                        stored("gradient of the bias", columns, real, 2 * warps)}};
  }

  LstmShape s_;
  LstmVariant variant_;
  std::uint64_t data_bytes_;
};

}  // namespace plumbline
