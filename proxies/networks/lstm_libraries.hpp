// An LSTM with OpenBLAS's products, as a flavor of its own: what of the schedule the library does, and its work.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "core/application.hpp"
#include "libraries/openblas.hpp"
#include "proxies/networks/lstm_loop.hpp"
#include "proxies/networks/lstm_work.hpp"

namespace plumbline {

/// The work of a phase by OpenBLAS: of products, which it does by matrices as they are, and otherwise none.
inline Work openblas_phase(const std::string& phase, const LstmShape& s, std::uint64_t element_bytes) {
  Work work;
  const auto add = [&](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    const Work product = openblas_work(m, n, k, element_bytes, LstmShape::groups(m));
    for (const auto& [name, amount] : product.flops) work.flops[name] += amount;
    work.streams.insert(work.streams.end(), product.streams.begin(), product.streams.end());
    work.note = product.note;
  };
  if (phase == "input") s.is_forward ? add(s.rows(), s.gates() / 2, s.features) : add(s.rows(), s.features, s.gates());
  if (phase == "recurrent") s.is_forward ? add(s.batch, s.gates(), s.hidden) : add(s.batch, s.hidden, s.gates());
  if (phase == "weights") add(s.features, s.gates(), s.rows()), add(s.hidden, s.gates(), s.rows());
  if (phase == "recurrent" && s.is_forward)  // adds to what the inputs gave
    for (Stream& stream : work.streams) stream.read = stream.read || stream.array == "c";
  return work;
}

/// Gives phases the work of OpenBLAS. Gates are activated, and the bias added up, by the loops that are compiled here.
inline void take_openblas(ApplicationWork& lstm, const LstmShape& s, std::uint64_t element_bytes) {
  lstm.data_bytes -= (s.weights() + (s.is_forward ? 0 : s.rows() * s.gates() + s.inputs() * s.pitch())) * element_bytes;
  for (Phase& phase : lstm.phases) {
    if (phase.name == "gates" || phase.name == "bias" || phase.name == "sum") continue;
    phase.work = openblas_phase(phase.name, s, element_bytes);
    // What the library keeps from one product to the next may have left a cache that other phases' data fill.
    for (Stream& stream : phase.work.streams)
      for (Stream::Layer& layer : stream.layers) layer.reuse_bytes = std::max(layer.reuse_bytes, lstm.data_bytes);
  }
}

/// Multiplies where a loop is a product, and does nothing where it would bring operands into order. The weights' gradient is that thread's
/// that has its first rows.
template <class Real>
void sweep_openblas_lstm(const void* arguments, std::size_t begin, std::size_t end) {
  const auto& x = *static_cast<const Lstm<Real>*>(arguments);
  const std::size_t gates = 4 * x.hidden, half = 2 * x.hidden, step = x.at * x.batch, all_rows = x.sequence * x.batch;
  const std::size_t first = begin * lstm_group_rows;
  const auto rows_of = [&](std::size_t rows) { return std::min(end * lstm_group_rows, rows) - first; };
  const Real* const recurrent_weights = x.weights + x.features * gates;
  switch (x.loop) {
    case LstmLoop::input: {
      const Real* const bias = x.weights + (x.features + x.hidden) * gates + x.at * half;
      Real* const out = x.gates + first * gates + x.at * half;
      for (std::size_t row = 0; row < rows_of(all_rows); ++row) std::copy_n(bias, half, out + row * gates);
      return openblas_product<Real>(rows_of(all_rows), half, x.features, {x.inputs + first * x.features, x.features},
                                    {x.weights + x.at * half, gates}, Real(1), out, gates);
    }
    case LstmLoop::recurrent:
      return openblas_product<Real>(rows_of(x.batch), gates, x.hidden, {x.hidden_state + (step + first) * x.hidden, x.hidden},
                                    {recurrent_weights, gates}, Real(1), x.gates + (step + first) * gates, gates);
    case LstmLoop::back_recurrent:
      return openblas_product<Real>(rows_of(x.batch), x.hidden, gates, {x.gate_gradient + (step + first) * gates, gates},
                                    {recurrent_weights, gates, true}, Real(0), x.hidden_gradient + (step + first) * x.hidden, x.hidden);
    case LstmLoop::back_input:
      return openblas_product<Real>(rows_of(all_rows), x.features, gates, {x.gate_gradient + first * gates, gates},
                                    {x.weights, gates, true}, Real(0), x.input_gradient + first * x.features, x.features);
    case LstmLoop::back_weights:
      if (begin != 0 || end == 0) return;
      openblas_product<Real>(x.features, gates, all_rows, {x.inputs, x.features, true}, {x.gate_gradient, gates}, Real(0),
                             x.weight_gradient, gates);
      return openblas_product<Real>(x.hidden, gates, all_rows, {x.hidden_state, x.hidden, true}, {x.gate_gradient, gates}, Real(0),
                                    x.weight_gradient + x.features * gates, gates);
    case LstmLoop::gates:
    case LstmLoop::back_gates:
    case LstmLoop::back_bias:
      return sweep(x, begin, end);
    default:  // brings operands into order
      return;
  }
}

}  // namespace plumbline
