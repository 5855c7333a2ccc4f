// Elements of an LSTM are computed on GPUs, one a thread: cells forward and back, sums of gradients, and what brings operands into
// order.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cuda/halves.cuh"
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

/// Stores a number, and gives it as it is kept.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH LstmSum<Real> lstm_keep(Real& place, LstmSum<Real> number) {
  place = cuda::narrowed<Real>(number);
  if constexpr (std::is_same_v<Real, LstmSum<Real>>) return number;
  return cuda::widened(place);
}

/// Activates the gates of a cell. What follows from a number follows from it as it is kept.
struct LstmForwardCell {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Lstm<Real>& x, std::size_t cell) {
    using Sum = LstmSum<Real>;
    const LstmPlace at(x, cell);
    Real* const gates = x.gates + at.gates;
    const auto gate = [&](unsigned which) { return cuda::widened(gates[which * x.hidden]); };
    const Sum of_input = lstm_sigmoid_of(gate(0), x.constants), of_forget = lstm_sigmoid_of(gate(1), x.constants),
              of_candidate = lstm_tanh_of(gate(2), x.constants.eighth, x.constants), of_output = lstm_sigmoid_of(gate(3), x.constants);
    const Sum input = lstm_keep(gates[0], of_input), forget = lstm_keep(gates[x.hidden], of_forget),
              candidate = lstm_keep(gates[2 * x.hidden], of_candidate), output = lstm_keep(gates[3 * x.hidden], of_output);
    const Sum of_cell = cuda::fused(forget, cuda::widened(x.cells[at.before]), cuda::times(input, candidate));
    const Sum now = lstm_keep(x.cells[at.after], of_cell);
    const Sum tanh = lstm_keep(x.cell_tanh[at.before], lstm_tanh_of(now, x.constants.eighth, x.constants));
    lstm_keep(x.hidden_state[at.after], cuda::times(output, tanh));
  }
  /// The operations of a cell.
  template <class Real>
  static constexpr std::uint64_t fmas = 5 * lstm_tanh_fmas<Real> + 3 + 1;
  static constexpr std::uint64_t products = 5 * lstm_tanh_gpu_products + 2, sums = 5 * lstm_tanh_gpu_sums;
  /// The numbers that are widened where they are kept in 16 bits: five that are loaded, and six as they are kept.
  static constexpr std::uint64_t conversions = 5 + 6;
};

/// The gradients by the gates of a cell before they were activated, and by the cell before the step.
struct LstmBackwardCell {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Lstm<Real>& x, std::size_t cell) {
    using cuda::fused, cuda::narrowed, cuda::plus, cuda::times, cuda::widened;
    using Sum = LstmSum<Real>;
    const LstmPlace at(x, cell);
    const Real* const gates = x.gates + at.gates;
    Real* const gradient = x.gate_gradient + at.gates;
    const Sum one = x.constants.one, input = widened(gates[0]), forget = widened(gates[x.hidden]), candidate = widened(gates[2 * x.hidden]),
              output = widened(gates[3 * x.hidden]), tanh = widened(x.cell_tanh[at.before]);
    const Sum shown = times(plus(widened(x.above[at.before]), widened(x.hidden_gradient[at.after])), output);
    const Sum to_cell = fused(shown, fused(-tanh, tanh, one), widened(x.cell_gradient[at.after]));
    const Sum to_forget = times(to_cell, forget), to_gained = times(to_cell, input);
    gradient[3 * x.hidden] = narrowed<Real>(times(times(shown, tanh), plus(one, -output)));
    x.cell_gradient[at.before] = narrowed<Real>(to_forget);
    gradient[x.hidden] = narrowed<Real>(times(times(to_forget, widened(x.cells[at.before])), plus(one, -forget)));
    gradient[0] = narrowed<Real>(times(times(to_gained, candidate), plus(one, -input)));
    gradient[2 * x.hidden] = narrowed<Real>(times(to_gained, fused(-candidate, candidate, one)));
  }
  template <class Sum>
  static constexpr std::uint64_t fmas = 3;
  static constexpr std::uint64_t products = 10, sums = 4, conversions = 9;
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
    LstmSum<Real> sum = cuda::widened(*term);
#pragma unroll 1
    for (unsigned row = 1; row < rows; ++row) sum = cuda::plus(sum, cuda::widened(*(term += gates)));
    x.weight_gradient[(x.features + x.hidden) * gates + gate] = cuda::narrowed<Real>(sum);
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
    x.to[i] = static_cast<double>(cuda::widened(x.from[i]));
  }
};

}  // namespace plumbline
