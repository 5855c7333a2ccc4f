// The exact work of an LSTM, forward and backward, phase by phase: the streams of each loop.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/application.hpp"
#include "core/rimmed_cube.hpp"
#include "core/rounding.hpp"
#include "proxies/networks/lstm_launches.hpp"
#include "proxies/networks/lstm_loop.hpp"
#include "proxies/networks/matrix_product_work.hpp"

namespace plumbline {

/// The sizes of a layer, and which way it goes.
struct LstmShape : LstmSizes {
  bool is_forward;

  /// Throws std::invalid_argument where sums would have more terms than the precision has digits for: those over steps and sequences.
  template <class Real>
  static LstmShape of(const Parameters& p) {
    const LstmShape s(p);
    if (static_cast<double>(s.terms()) * unit_roundoff < Real >> 0.5)
      throw std::invalid_argument("proxies/lstm: batch and sequence make sums of " + std::to_string(s.terms()) +
                                  " terms, of which no digit would be sure: take fewer, or a wider precision");
    return s;
  }

  std::uint64_t states() const { return rows() * hidden; }  // of all steps
  std::uint64_t before() const { return batch * hidden; }   // of the one before the first
  /// The size of an array that only a backward pass has.
  std::uint64_t of_backward(std::uint64_t elements) const { return is_forward ? 1 : elements; }
  std::uint64_t weights() const { return inputs() * gates(); }
  std::uint64_t weights_and_bias() const { return weights() + gates(); }
  /// The most products that one result is a sum of.
  std::uint64_t terms() const { return is_forward ? inputs() : std::max(rows(), gates()); }
  /// The elements from one row of the turned inputs to the next: lines, and one more, so that rows do not meet in the same sets of a cache.
  std::uint64_t pitch() const { return (rows() + 15) / 16 * 16 + 16; }
  static std::uint64_t groups(std::uint64_t rows) { return (rows + lstm_group_rows - 1) / lstm_group_rows; }

 private:
  explicit LstmShape(const Parameters& p)
      : LstmSizes{p.integer("batch"), p.integer("sequence"), p.integer("features"), p.integer("hidden")},
        is_forward(p.word("direction") == "forward") {}
};

/// The phases of a backward pass, as LstmWork::backward() lists them.
struct LstmBackPhase {
  enum : std::size_t { turned_weights, back_gates, back_recurrent, back_input, turned_inputs, packed_gates, back_weights, back_bias, sum };
};

/// The work of the loops that make up an LSTM, each of one entry.
template <class Real>
class LstmWork : ProductWork<Real> {
 public:
  LstmWork(const LstmShape& shape, std::string_view flavor) : ProductWork<Real>(flavor), s_(shape) {}

  /// The phases that lstm_forward_launches() enters.
  ApplicationWork forward() const {
    ApplicationWork lstm;
    lstm.data_bytes = data_bytes();
    for (const std::string_view name : lstm_phase_names) lstm.phases.push_back({.name = std::string(name), .entries = 0});
    for (const LstmLaunch& launch : lstm_forward_launches(s_)) ++lstm.phases[static_cast<std::size_t>(launch.phase)].entries;
    const auto work = [&](LstmPhase phase) -> Work& { return lstm.phases[static_cast<std::size_t>(phase)].work; };
    work(LstmPhase::input_weights) = packed("weights", s_.features, s_.gates());
    work(LstmPhase::recurrent_weights) = packed("weights", s_.hidden, s_.gates());
    work(LstmPhase::input) = input();
    work(LstmPhase::recurrent) = recurrent();
    work(LstmPhase::gates) = gates();
    return lstm;
  }
  ApplicationWork backward() const {
    ApplicationWork lstm;
    lstm.data_bytes = data_bytes();
    lstm.phases = {{"turned_weights", turned_weights()},
                   {"gates", back_gates(), s_.sequence},
                   {"recurrent", back_product(s_.batch, s_.hidden), s_.sequence},
                   {"input", back_product(s_.rows(), s_.features)},
                   {"turned_inputs", turned_inputs()},
                   {"packed_gates", packed("gradient", s_.rows(), s_.gates())},
                   {"weights", back_weights()},
                   {"bias", back_bias()},
                   {.name = "sum", .messages = 1, .message_bytes = s_.weights_and_bias() * sizeof(double)}};
    return lstm;
  }

 private:
  using Base = ProductWork<Real>;
  using Base::again, Base::block_depth, Base::blocks_of, Base::left, Base::out, Base::product, Base::real, Base::right, Base::tiles_;
  using typename Base::Product;
  static constexpr std::uint64_t group_rows = lstm_group_rows;

  /// The bytes of all arrays and of the stack.
  std::uint64_t data_bytes() const {
    const std::uint64_t states = s_.states(), before = s_.batch * s_.hidden, both = s_.weights() + s_.weights_and_bias();
    const std::uint64_t forward = s_.rows() * (s_.features + s_.gates()) + 3 * states + 2 * before + both;
    const std::uint64_t back = s_.rows() * (s_.features + 2 * s_.gates()) + 3 * states + 2 * before + s_.inputs() * s_.pitch() +
                               s_.weights_and_bias() + s_.weights_and_bias() * sizeof(double) / real;
    return (forward + (s_.is_forward ? 0 : back)) * real + this->stack_bytes();
  }

  Stream read(const char* array, std::uint64_t elements) const {
    return {.array = array, .footprint_bytes = elements * real, .read = true, .loads = elements, .element_bytes = real};
  }
  Stream written(const char* array, std::uint64_t elements) const {
    return {.array = array, .footprint_bytes = elements * real, .written = true, .stores = elements, .element_bytes = real};
  }

  /// Rows become panels.
  Work packed(const char* name, std::uint64_t rows, std::uint64_t columns) const {
    return this->copied(name, rows * columns, packed_rows * columns * real, (tiles_.panels(columns) + 1) * LineCover::line_bytes, rows);
  }

  Product groups_of(std::uint64_t rows, std::uint64_t columns, std::uint64_t depth, std::uint64_t out_row) const {
    const std::uint64_t calls = LstmShape::groups(rows), in_call = std::min(rows, group_rows);
    return {.calls = calls,
            .rows = in_call,
            .columns = columns,
            .depth = depth,
            .left_line = in_call * depth * real,
            .out_line = in_call * out_row,
            .last_rows = rows - (calls - 1) * group_rows};
  }
  /// Products of groups of rows by the same panels, one group after the other.
  Work products(const Product& p, const char* name) const {
    const std::uint64_t rows = this->rows_of(p), blocks = blocks_of(p.depth), of_panels = p.depth * p.columns * real,
                        of_group = p.left_line + of_panels + p.out_line, panels = p.calls * blocks * tiles_.panels(p.columns);
    Work work = product(p, name, rows * p.depth * real, p.depth * p.columns, rows * p.columns, rows * p.columns * p.depth);
    work.streams[right].layers.push_back({.reuse_bytes = of_group, .fetched_bytes = p.calls * of_panels, .upper_bound = true});
    work.streams[again].layers.push_back({.reuse_bytes = p.left_line + block_depth(p.depth) * p.columns * real + p.out_line,
                                          .fetched_bytes = p.calls * blocks * p.out_line,
                                          .upper_bound = true});
    work.add_outer_loop(p.calls, of_group);
    work.add_outer_loop(panels, p.left_line + p.out_line);
    this->add_stack(work, panels, data_bytes());
    return work;
  }

  /// One half of the gates of all steps begins as the bias and gains what the inputs give.
  Work input() const {
    const std::uint64_t half = s_.gates() / 2, row = half * real;
    LineCover cover;
    for (std::uint64_t r = 0; r < s_.rows(); ++r) cover.add(r * 2 * row, row);
    const Product p = groups_of(s_.rows(), half, s_.features, row + 2 * LineCover::line_bytes);
    Work work = products(p, "inputs");
    work.streams[out].footprint_bytes = cover.bytes();
    Stream bias = read("bias", half);
    bias.loads = s_.rows() * half;
    bias.layers = {{.reuse_bytes = p.left_line + s_.features * row + p.out_line, .fetched_bytes = p.calls * row, .upper_bound = true}};
    work.streams.push_back(bias);
    return work;
  }
  /// The gates of one step gain what the hidden state gives.
  Work recurrent() const {
    Work work = products(groups_of(s_.batch, s_.gates(), s_.hidden, s_.gates() * real), "hidden state");
    work.streams[out].read = true;
    work.streams[out].stores = 0;
    return work;
  }
  /// The gates of one step are activated, in place.
  Work gates() const {
    const std::uint64_t cells = s_.batch * s_.hidden;
    Stream in_place = read("gates", 4 * cells);
    in_place.written = true;
    in_place.stores = in_place.loads;
    Work work{.flops = {{flops<Real>("add"), lstm_cell_sums * cells},
                        {flops<Real>("mul"), lstm_cell_products * cells},
                        {flops<Real>("div"), lstm_cell_quotients * cells}},
              .streams = {in_place, read("cells before", cells), written("cells", cells), written("tanh of cells", cells),
                          written("hidden state", cells)}};
    work.add_outer_loop(s_.batch, 8 * s_.hidden * real);
    this->add_stack(work, s_.batch, data_bytes());
    return work;
  }

  /// Columns of the weights become rows of panels: of a panel as many lines are read side by side as it is wide.
  Work turned_weights() const {
    const std::uint64_t lines = 2 * tiles_.vectors * tiles_.lanes * LineCover::line_bytes;
    Work work{.streams = {read("weights", s_.weights()), written("panels", s_.weights())}};
    work.streams[0].layers = {{.reuse_bytes = 2 * lines, .fetched_bytes = s_.weights() * LineCover::line_bytes, .upper_bound = true}};
    work.add_outer_loop(s_.gates() * (tiles_.panels(s_.features) + tiles_.panels(s_.hidden)), 2 * lines);
    return work;
  }
  Work back_gates() const {
    const std::uint64_t cells = s_.batch * s_.hidden;
    Work work{.flops = {{flops<Real>("add"), 7 * cells}, {flops<Real>("mul"), 13 * cells}},
              .streams = {read("gates", 4 * cells), read("cells before", cells), read("tanh of cells", cells), read("above", cells),
                          read("gradient of the hidden state", cells), read("gradient of the cells", cells),
                          written("gradient of the gates", 4 * cells), written("gradient of the cells before", cells)}};
    work.add_outer_loop(s_.batch, 14 * s_.hidden * real);
    this->add_stack(work, s_.batch, data_bytes());
    return work;
  }
  /// Rows of the gates' gradient are multiplied by turned weights.
  Work back_product(std::uint64_t rows, std::uint64_t columns) const {
    return products(groups_of(rows, columns, s_.gates(), columns * real), "gradient of the gates");
  }
  /// Inputs and hidden states are turned, a few columns at a time, of each row a line or two.
  Work turned_inputs() const {
    const std::uint64_t lines = (lstm_turned_rows + 2) * LineCover::line_bytes, elements = s_.inputs() * s_.rows(),
                        pieces = s_.inputs() / lstm_turned_rows + 2, of_piece = s_.rows() * 2 * LineCover::line_bytes;
    Work work{.streams = {read("inputs", s_.rows() * s_.features), read("hidden state", s_.states()), written("turned", elements)}};
    for (std::size_t stream = 0; stream < 2; ++stream)
      work.streams[stream].layers = {
          {.reuse_bytes = of_piece + lstm_turned_rows * s_.rows() * real, .fetched_bytes = pieces * of_piece, .upper_bound = true}};
    work.streams[2].footprint_bytes =
        s_.inputs() * ((s_.rows() * real + LineCover::line_bytes - 1) / LineCover::line_bytes) * LineCover::line_bytes;
    work.streams[2].layers = {{.reuse_bytes = 2 * lines, .fetched_bytes = elements * LineCover::line_bytes, .upper_bound = true}};
    work.add_outer_loop(s_.rows() * pieces, lines);
    return work;
  }
  /// The weights' gradient gains block by block what so many rows of the turned inputs and of the gates' gradient give.
  Work back_weights() const {
    const std::uint64_t block = block_depth(s_.rows()), blocks = blocks_of(s_.rows()), row = s_.gates() * real;
    const Product p = groups_of(s_.inputs(), s_.gates(), s_.rows(), row);
    const std::uint64_t of_group = group_rows * (block * real + LineCover::line_bytes) + p.out_line, of_block = block * row,
                        panels = p.calls * blocks * tiles_.panels(s_.gates());
    Work work = product(p, "turned inputs", s_.inputs() * s_.rows() * real, s_.rows() * s_.gates(), s_.weights(), s_.weights() * s_.rows());
    work.streams[left].layers = {
        {.reuse_bytes = of_group + of_block, .fetched_bytes = panels * (of_group - p.out_line), .upper_bound = true}};
    work.streams[right].layers.push_back(
        {.reuse_bytes = of_group + of_block, .fetched_bytes = p.calls * s_.rows() * row, .upper_bound = true});
    work.streams[again].layers.push_back(
        {.reuse_bytes = p.calls * of_group + of_block, .fetched_bytes = 2 * blocks * s_.weights() * real, .upper_bound = true});
    work.add_outer_loop(p.calls * blocks, of_group + of_block);
    work.add_outer_loop(panels, of_group);
    this->add_stack(work, panels, data_bytes());
    return work;
  }
  /// The bias's gradient gains a row of the gates' gradient after the other.
  Work back_bias() const {
    const std::uint64_t columns = s_.gates(), gained = (s_.rows() - 1) * columns;
    Work work{
        .flops = {{flops<Real>("add"), gained}},
        .streams = {read("gradient of the gates", s_.rows() * columns),
                    written("gradient of the bias", columns),
                    {.array = "gradient of the bias, accumulated",
                     .read = true,
                     .written = true,
                     .loads = gained,
                     .stores = gained,
                     .element_bytes = real,
                     .layers = {{.reuse_bytes = 2 * columns * real, .fetched_bytes = s_.rows() * columns * real, .upper_bound = true}}}}};
    work.add_outer_loop(s_.rows(), 2 * columns * real);
    return work;
  }

  LstmShape s_;
};

}  // namespace plumbline
