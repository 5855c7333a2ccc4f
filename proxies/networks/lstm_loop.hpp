// These loops alone are a layer of long short-term memory, forward and backward through time, as products of matrices and arithmetic by
// elements. They are compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

#include "proxies/networks/lstm_activation.hpp"
#include "proxies/networks/matrix_product.hpp"

/// Panels are a matrix cut into columns as wide as the tiles of sums (matrix_product.hpp). A group is a few rows of the left matrix.
enum class LstmLoop {
  input_weights,      // weights of the inputs -> panels, for each half of the gates: features rows, 2 hidden columns
  recurrent_weights,  // weights of the hidden state -> panels: hidden rows, 4 hidden columns
  input,              // bias, inputs of all steps, panels -> one half of the gates of all steps, before they are activated
  recurrent,          // hidden state, panels -> gates of one step, added up
  gates,              // gates, cells -> activated gates, cells, hidden state of one step
  turned_weights,     // weights -> panels of the turned matrices: 4 hidden rows, features and hidden columns
  back_gates,         // gradients of hidden state and cells -> of the gates and, a step before, of the cells
  back_recurrent,     // gradient of the gates of one step, panels -> of the hidden state before
  back_input,         // gradient of the gates of all steps, panels -> of the inputs
  turned_inputs,      // inputs and hidden states -> turned: features + hidden rows, a column for each step and sequence
  packed_gates,       // gradient of the gates -> panels: a row for each step and sequence, 4 hidden columns
  back_weights,       // turned inputs, panels -> gradient of the weights
  back_bias           // gradient of the gates -> of the bias
};

/// Arrays have a row for each sequence of the batch, and these for each step in time. Gates are the input's, the forget gate, the
/// candidate and the output's, `hidden` columns of each. Cells and hidden state have a step more, what there was before the first one;
/// their gradients too, zero behind the last. `weights` are features rows, then hidden rows, then the bias, of 4 hidden columns.
template <class Real>
struct Lstm {
  LstmLoop loop;
  std::size_t batch, sequence, features, hidden;
  std::size_t at;                        // the step in time, or the half of the gates
  std::size_t pitch;                     // of the turned inputs' rows
  const Real *inputs, *weights, *above;  // `above`: the gradient by the hidden state of what follows this layer
  Real *panels, *gates, *cells, *cell_tanh, *hidden_state;
  Real *hidden_gradient, *cell_gradient, *gate_gradient, *input_gradient, *turned, *gate_panels, *weight_gradient;
  LstmConstants<LstmSum<Real>> constants;
};

namespace {

/// The rows of a group: two tiles of sums, so that the threads of a team find work in a small batch.
constexpr std::size_t lstm_group_rows = 2 * product_tile_rows;
/// The columns of the bias's gradient that a thread takes at once: whole lines.
constexpr std::size_t lstm_bias_columns = 16;
/// The rows of the turned inputs that are written side by side.
constexpr std::size_t lstm_turned_rows = 8;

/// Calls act(first, rows) for the groups [begin, end) of so many rows.
template <class Act>
PLUMBLINE_INLINE void lstm_for_groups(std::size_t begin, std::size_t end, std::size_t all_rows, const Act& act) {
  for (std::size_t group = begin; group < end; ++group) {
    const std::size_t first = group * lstm_group_rows, left = all_rows - first;
    act(first, left < lstm_group_rows ? left : lstm_group_rows);
  }
}

/// Calls act(k) of a vector's type for as many of [begin, end) as vectors hold, and of a number's for the rest.
template <class Real, class Act>
PLUMBLINE_INLINE void lstm_for_lanes(std::size_t begin, std::size_t end, const Act& act) {
  using V = Widest<Real>;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  std::size_t k = begin;
  for (; k + lanes <= end; k += lanes) act.template operator()<V>(k);
  for (; k < end; ++k) act.template operator()<Real>(k);
}

template <class Real>
static void lstm_pack_input_weights(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t half = 2 * x.hidden;
  pack_rows(x.weights, 2 * half, x.panels, half, x.features, begin, end);
  pack_rows(x.weights + half, 2 * half, x.panels + half * x.features, half, x.features, begin, end);
}
template <class Real>
static void lstm_pack_recurrent_weights(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden, input = x.features * gates;
  pack_rows(x.weights + input, gates, x.panels + input, gates, x.hidden, begin, end);
}

/// Computes one half of the gates in the groups [begin, end) of all steps.
template <class Real>
static void lstm_input(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden, half = 2 * x.hidden;
  const Real *const bias = x.weights + (x.features + x.hidden) * gates + x.at * half, *const panels = x.panels + x.at * half * x.features;
  lstm_for_groups(begin, end, x.sequence * x.batch, [&](std::size_t first, std::size_t rows) PLUMBLINE_LAMBDA {
    Real* const out = x.gates + first * gates + x.at * half;
    for (std::size_t row = 0; row < rows; ++row) copy_numbers(bias, out + row * gates, half);
    add_product(
        MatrixProduct<Real>{x.inputs + first * x.features, x.features, 1, panels, x.features, 0, 0, out, gates, rows, half, x.features});
  });
}
/// Adds to the gates of one step in the groups [begin, end) of the batch.
template <class Real>
static void lstm_recurrent(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden, row = x.at * x.batch;
  lstm_for_groups(begin, end, x.batch, [&](std::size_t first, std::size_t rows) PLUMBLINE_LAMBDA {
    add_product(MatrixProduct<Real>{x.hidden_state + (row + first) * x.hidden, x.hidden, 1, x.panels + x.features * gates, x.hidden, 0, 0,
                                    x.gates + (row + first) * gates, gates, rows, gates, x.hidden});
  });
}

/// A vector of cells, or one: its gates lie `hidden` apart.
template <class V, class Real>
PLUMBLINE_INLINE void lstm_cell(const Lstm<Real>& x, Real* gates, const Real* before, Real* cells, Real* cell_tanh, Real* hidden_state) {
  V input = loaded<V>(gates), forget = loaded<V>(gates + x.hidden), candidate = loaded<V>(gates + 2 * x.hidden),
    output = loaded<V>(gates + 3 * x.hidden);
  lstm_sigmoid<Real>(input, x.constants);
  lstm_sigmoid<Real>(forget, x.constants);
  lstm_tanh<Real>(candidate, x.constants.eighth, x.constants);
  lstm_sigmoid<Real>(output, x.constants);
  stored(gates, input);
  stored(gates + x.hidden, forget);
  stored(gates + 2 * x.hidden, candidate);
  stored(gates + 3 * x.hidden, output);
  V cell = forget * loaded<V>(before) + input * candidate;
  keep_apart<Real>(cell);
  stored(cells, cell);
  lstm_tanh<Real>(cell, x.constants.eighth, x.constants);
  stored(cell_tanh, cell);
  stored(hidden_state, output * cell);
}
/// Activates the gates of one step in the rows [begin, end) of the batch.
template <class Real>
static void lstm_gates(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t b = begin; b < end; ++b) {
    const std::size_t row = (x.at * x.batch + b) * x.hidden, after = row + x.batch * x.hidden;
    lstm_for_lanes<Real>(0, x.hidden, [&]<class V>(std::size_t k) PLUMBLINE_LAMBDA {
      lstm_cell<V>(x, x.gates + 4 * row + k, x.cells + row + k, x.cells + after + k, x.cell_tanh + row + k, x.hidden_state + after + k);
    });
  }
}

/// Turns the columns [begin, end) of so many rows of the weights into rows of panels.
template <class Real>
static void lstm_turn(const Lstm<Real>& x, const Real* weights, std::size_t rows, Real* panels, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden;
  for (std::size_t j = 0, width = 0; j < rows; j += width) {
    width = panel_width<Real>(rows - j);
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t c = 0; c < width; ++c) panels[j * gates + k * width + c] = weights[(j + c) * gates + k];
  }
}
template <class Real>
static void lstm_turn_weights(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t input = x.features * 4 * x.hidden;
  lstm_turn(x, x.weights, x.features, x.panels, begin, end);
  lstm_turn(x, x.weights + input, x.hidden, x.panels + input, begin, end);
}

/// A row of cells on the way back: where a vector of them, or one, reads and writes.
template <class Real>
struct LstmBackCell {
  const Real *gates, *before, *cell_tanh, *above, *hidden_gradient, *cell_gradient;
  Real *gradient, *cell_gradient_before;
};
/// factor <- factor (1 - gate).
template <class Real, class V>
PLUMBLINE_INLINE void lstm_times_rest(V& factor, const V& gate, Real one) {
  V rest = repeated<V>(one) - gate;
  keep_apart<Real>(rest);
  factor = factor * rest;
  keep_apart<Real>(factor);
}
/// The gradients by the gates before they were activated: 7 sums and 13 products.
template <class V, class Real>
PLUMBLINE_INLINE void lstm_back_cell(const Lstm<Real>& x, const LstmBackCell<Real>& at, std::size_t k) {
  const Real one = x.constants.one;
  const Real* const gates = at.gates + k;
  Real* const gradient = at.gradient + k;
  const V input = loaded<V>(gates), forget = loaded<V>(gates + x.hidden), candidate = loaded<V>(gates + 2 * x.hidden),
          output = loaded<V>(gates + 3 * x.hidden), tanh = loaded<V>(at.cell_tanh + k);
  V to_output = loaded<V>(at.above + k) + loaded<V>(at.hidden_gradient + k);
  keep_apart<Real>(to_output);
  to_output = to_output * output;
  keep_apart<Real>(to_output);
  V square = tanh * tanh, to_cell = to_output;
  keep_apart<Real>(square);
  lstm_times_rest<Real>(to_cell, square, one);
  to_cell = to_cell + loaded<V>(at.cell_gradient + k);
  keep_apart<Real>(to_cell);
  to_output = to_output * tanh;
  keep_apart<Real>(to_output);
  lstm_times_rest<Real>(to_output, output, one);
  stored(gradient + 3 * x.hidden, to_output);
  V to_forget = to_cell * forget;
  keep_apart<Real>(to_forget);
  stored(at.cell_gradient_before + k, to_forget);
  to_forget = to_forget * loaded<V>(at.before + k);
  keep_apart<Real>(to_forget);
  lstm_times_rest<Real>(to_forget, forget, one);
  stored(gradient + x.hidden, to_forget);
  to_cell = to_cell * input;
  keep_apart<Real>(to_cell);
  V to_input = to_cell * candidate;
  keep_apart<Real>(to_input);
  lstm_times_rest<Real>(to_input, input, one);
  stored(gradient, to_input);
  square = candidate * candidate;
  keep_apart<Real>(square);
  lstm_times_rest<Real>(to_cell, square, one);
  stored(gradient + 2 * x.hidden, to_cell);
}
/// Computes the gradients by the gates of one step in the rows [begin, end) of the batch.
template <class Real>
static void lstm_back_gates(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  for (std::size_t b = begin; b < end; ++b) {
    const std::size_t row = (x.at * x.batch + b) * x.hidden, after = row + x.batch * x.hidden;
    const LstmBackCell<Real> at{.gates = x.gates + 4 * row,
                                .before = x.cells + row,
                                .cell_tanh = x.cell_tanh + row,
                                .above = x.above + row,
                                .hidden_gradient = x.hidden_gradient + after,
                                .cell_gradient = x.cell_gradient + after,
                                .gradient = x.gate_gradient + 4 * row,
                                .cell_gradient_before = x.cell_gradient + row};
    lstm_for_lanes<Real>(0, x.hidden, [&]<class V>(std::size_t k) PLUMBLINE_LAMBDA { lstm_back_cell<V>(x, at, k); });
  }
}

/// Computes rows of gradients, so many columns of them, from those of the gates: in the groups [begin, end) of `all_rows` rows.
template <class Real>
static void lstm_back_product(const Lstm<Real>& x, const Real* gradient, const Real* panels, Real* out, std::size_t columns,
                              std::size_t all_rows, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden;
  lstm_for_groups(begin, end, all_rows, [&](std::size_t first, std::size_t rows) PLUMBLINE_LAMBDA {
    clear_numbers(out + first * columns, rows * columns);
    add_product(
        MatrixProduct<Real>{gradient + first * gates, gates, 1, panels, gates, 0, 0, out + first * columns, columns, rows, columns, gates});
  });
}
template <class Real>
static void lstm_back_recurrent(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden, row = x.at * x.batch;
  lstm_back_product(x, x.gate_gradient + row * gates, x.panels + x.features * gates, x.hidden_gradient + row * x.hidden, x.hidden, x.batch,
                    begin, end);
}
template <class Real>
static void lstm_back_input(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  lstm_back_product(x, x.gate_gradient, x.panels, x.input_gradient, x.features, x.sequence * x.batch, begin, end);
}

/// Turns so many columns of rows, a few at a time: those [begin, end).
template <class Real>
static void lstm_turn_columns(const Real* from, std::size_t columns, std::size_t rows, Real* to, std::size_t pitch, std::size_t begin,
                              std::size_t end) {
  for (std::size_t first = begin; first < end; first += lstm_turned_rows) {
    const std::size_t last = end - first < lstm_turned_rows ? end : first + lstm_turned_rows;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = first; c < last; ++c) to[c * pitch + r] = from[r * columns + c];
  }
}
/// Turns the inputs and the hidden states before each step: of their columns, side by side, those [begin, end).
template <class Real>
static void lstm_turn_inputs(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t rows = x.sequence * x.batch, middle = begin > x.features ? begin : end < x.features ? end : x.features;
  lstm_turn_columns(x.inputs, x.features, rows, x.turned, x.pitch, begin, middle);
  lstm_turn_columns<Real>(x.hidden_state, x.hidden, rows, x.turned + x.features * x.pitch, x.pitch, middle - x.features, end - x.features);
}

template <class Real>
static void lstm_pack_gates(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden;
  pack_rows<Real>(x.gate_gradient, gates, x.gate_panels, gates, x.sequence * x.batch, begin, end);
}
/// Computes the groups [begin, end) of the rows of the weights' gradient, block by block of steps and sequences.
template <class Real>
static void lstm_back_weights(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden, depth = x.sequence * x.batch;
  for (std::size_t at = 0; at < depth; at += product_block_depth)
    lstm_for_groups(begin, end, x.features + x.hidden, [&](std::size_t first, std::size_t rows) PLUMBLINE_LAMBDA {
      Real* const out = x.weight_gradient + first * gates;
      if (at == 0) clear_numbers(out, rows * gates);
      add_product(MatrixProduct<Real>{x.turned + first * x.pitch + at, x.pitch, 1, x.gate_panels, depth, at, 0, out, gates, rows, gates,
                                      depth - at < product_block_depth ? depth - at : product_block_depth});
    });
}

/// A vector of sums, or one, gains a vector of terms.
template <class V, class Real>
PLUMBLINE_INLINE void lstm_gain_terms(Real* sums, const Real* terms) {
  V sum = loaded<V>(sums) + loaded<V>(terms);
  keep_apart<Real>(sum);
  stored(sums, sum);
}
/// Adds up so many columns each of the parts [begin, end) of the gates' gradient.
template <class Real>
static void lstm_back_bias(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  const std::size_t gates = 4 * x.hidden, first = begin * lstm_bias_columns,
                    last = end * lstm_bias_columns < gates ? end * lstm_bias_columns : gates;
  Real* const sums = x.weight_gradient + (x.features + x.hidden) * gates;
  copy_numbers(x.gate_gradient + first, sums + first, last - first);
  for (std::size_t row = 1; row < x.sequence * x.batch; ++row) {
    const Real* const terms = x.gate_gradient + row * gates;
    lstm_for_lanes<Real>(first, last, [&]<class V>(std::size_t j) PLUMBLINE_LAMBDA { lstm_gain_terms<V>(sums + j, terms + j); });
  }
}

}  // namespace

/// Sweeps the range [begin, end) of one loop; what the range counts, each loop says.
template <class Real>
static void sweep(const Lstm<Real>& x, std::size_t begin, std::size_t end) {
  switch (x.loop) {
    case LstmLoop::input_weights:
      return lstm_pack_input_weights(x, begin, end);
    case LstmLoop::recurrent_weights:
      return lstm_pack_recurrent_weights(x, begin, end);
    case LstmLoop::input:
      return lstm_input(x, begin, end);
    case LstmLoop::recurrent:
      return lstm_recurrent(x, begin, end);
    case LstmLoop::gates:
      return lstm_gates(x, begin, end);
    case LstmLoop::turned_weights:
      return lstm_turn_weights(x, begin, end);
    case LstmLoop::back_gates:
      return lstm_back_gates(x, begin, end);
    case LstmLoop::back_recurrent:
      return lstm_back_recurrent(x, begin, end);
    case LstmLoop::back_input:
      return lstm_back_input(x, begin, end);
    case LstmLoop::turned_inputs:
      return lstm_turn_inputs(x, begin, end);
    case LstmLoop::packed_gates:
      return lstm_pack_gates(x, begin, end);
    case LstmLoop::back_weights:
      return lstm_back_weights(x, begin, end);
    case LstmLoop::back_bias:
      return lstm_back_bias(x, begin, end);
  }
}
