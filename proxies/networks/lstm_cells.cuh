// Elements of an LSTM are computed on GPUs, one a thread: cells forward and back, sums of gradients, and what brings operands into
// order.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cuda/newton.cuh"
#include "cuda/register.cuh"
#include "proxies/networks/lstm_loop.hpp"

namespace plumbline {

/// The FMAs, products and sums of a tangent by lstm_activation.hpp's formula, whose division is Newton's (cuda/newton.cuh). A logistic
/// function has an FMA more.
template <class Real>
constexpr std::uint64_t lstm_tanh_fmas = 6 + 3 + cuda::reciprocal_fmas<Real> + cuda::quotient_fmas;
constexpr std::uint64_t lstm_tanh_gpu_products = 3 + 3 * 2 + 1, lstm_tanh_gpu_sums = 3;

/// The polynomial 1 + a s + b s^2 + c s^3.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real lstm_cubic_of(Real s, const Real (&terms)[3], Real one) {
  return cuda::fused(s, cuda::fused(s, cuda::fused(s, terms[2], terms[1]), terms[0]), one);
}
/// The value of tanh(8 scale x).
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real lstm_tanh_of(Real x, Real scale, const LstmConstants<Real>& constants) {
  const Real z = cuda::times(x, scale), s = cuda::times(z, z);
  Real p = cuda::times(z, lstm_cubic_of(s, constants.above, constants.one)), q = lstm_cubic_of(s, constants.below, constants.one);
#pragma unroll
  for (int doubled = 0; doubled < 3; ++doubled) {
    const Real of_p = cuda::times(p, p);
    p = cuda::times(cuda::plus(p, p), q);
    q = cuda::fused(q, q, of_p);
  }
  return cuda::quotient_by(p, q, cuda::reciprocal(q));
}
/// The value of 1 / (1 + exp(-x)).
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real lstm_sigmoid_of(Real x, const LstmConstants<Real>& constants) {
  return cuda::fused(constants.half, lstm_tanh_of(x, constants.sixteenth, constants), constants.half);
}

/// The place of a cell of the batch in a step: its gates, and it in arrays of cells, before and after the step.
struct LstmPlace {
  template <class Real>
  PLUMBLINE_BOTH LstmPlace(const Lstm<Real>& x, std::size_t cell) {
    const auto hidden = static_cast<unsigned>(x.hidden), at = static_cast<unsigned>(cell);
    const std::size_t first = x.at * x.batch * x.hidden;
    before = first + cell;
    after = before + x.batch * x.hidden;
    gates = 4 * first + std::size_t{at / hidden} * 4 * hidden + at % hidden;
  }
  std::size_t gates, before, after;
};

/// Activates the gates of a cell.
struct LstmForwardCell {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Lstm<Real>& x, std::size_t cell) {
    const LstmPlace at(x, cell);
    Real* const gates = x.gates + at.gates;
    const Real input = lstm_sigmoid_of(gates[0], x.constants), forget = lstm_sigmoid_of(gates[x.hidden], x.constants),
               candidate = lstm_tanh_of(gates[2 * x.hidden], x.constants.eighth, x.constants),
               output = lstm_sigmoid_of(gates[3 * x.hidden], x.constants);
    gates[0] = input;
    gates[x.hidden] = forget;
    gates[2 * x.hidden] = candidate;
    gates[3 * x.hidden] = output;
    const Real now = cuda::fused(forget, x.cells[at.before], cuda::times(input, candidate));
    const Real tanh = lstm_tanh_of(now, x.constants.eighth, x.constants);
    x.cells[at.after] = now;
    x.cell_tanh[at.before] = tanh;
    x.hidden_state[at.after] = cuda::times(output, tanh);
  }
  /// The operations of a cell.
  template <class Real>
  static constexpr std::uint64_t fmas = 5 * lstm_tanh_fmas<Real> + 3 + 1;
  static constexpr std::uint64_t products = 5 * lstm_tanh_gpu_products + 2, sums = 5 * lstm_tanh_gpu_sums;
};

/// The gradients by the gates of a cell before they were activated, and by the cell before the step.
struct LstmBackwardCell {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Lstm<Real>& x, std::size_t cell) {
    using cuda::fused, cuda::plus, cuda::times;
    const LstmPlace at(x, cell);
    const Real* const gates = x.gates + at.gates;
    Real* const gradient = x.gate_gradient + at.gates;
    const Real one = x.constants.one, input = gates[0], forget = gates[x.hidden], candidate = gates[2 * x.hidden],
               output = gates[3 * x.hidden], tanh = x.cell_tanh[at.before];
    const Real shown = times(plus(x.above[at.before], x.hidden_gradient[at.after]), output);
    const Real to_cell = fused(shown, fused(-tanh, tanh, one), x.cell_gradient[at.after]);
    const Real to_forget = times(to_cell, forget), to_gained = times(to_cell, input);
    gradient[3 * x.hidden] = times(times(shown, tanh), plus(one, -output));
    x.cell_gradient[at.before] = to_forget;
    gradient[x.hidden] = times(times(to_forget, x.cells[at.before]), plus(one, -forget));
    gradient[0] = times(times(to_gained, candidate), plus(one, -input));
    gradient[2 * x.hidden] = times(to_gained, fused(-candidate, candidate, one));
  }
  static constexpr std::uint64_t fmas = 3, products = 10, sums = 4;
};

/// Inputs and hidden states before each step are turned: a row of the result for each of their columns, a column for each step and
/// sequence.
struct LstmTurned {
  template <class Real>
  PLUMBLINE_BOTH static void element(const Lstm<Real>& x, std::size_t i) {
    const auto at = static_cast<unsigned>(i), rows = static_cast<unsigned>(x.sequence * x.batch), column = at / rows, row = at % rows;
    const bool is_input = column < x.features;
    const Real* const from = is_input ? x.inputs : x.hidden_state;
    const std::size_t columns = is_input ? x.features : x.hidden, first = is_input ? 0 : x.features;
    x.turned[column * x.pitch + row] = from[row * columns + column - first];
  }
};

/// The gradient by a gate's bias is the sum over steps and sequences.
struct LstmBiasSum {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Lstm<Real>& x, std::size_t gate) {
    const std::size_t gates = 4 * x.hidden;
    const auto rows = static_cast<unsigned>(x.sequence * x.batch);
    const Real* term = x.gate_gradient + gate;
    Real sum = *term;
#pragma unroll 1
    for (unsigned row = 1; row < rows; ++row) sum = cuda::plus(sum, *(term += gates));
    x.weight_gradient[(x.features + x.hidden) * gates + gate] = sum;
  }
};

/// Numbers are converted to the precision in which ranks add them up.
template <class Real>
struct LstmConversion {
  const Real* from;
  double* to;
};
struct LstmConverted {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const LstmConversion<Real>& x, std::size_t i) {
    x.to[i] = static_cast<double>(x.from[i]);
  }
};

}  // namespace plumbline
