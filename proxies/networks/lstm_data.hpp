// An LSTM's arrays, what they hold at first, and the check of what a sweep left: the same on CPUs (lstm.cpp) and on GPUs (lstm.cu).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "proxies/networks/lstm_loop.hpp"
#include "proxies/networks/lstm_reference.hpp"
#include "proxies/networks/lstm_work.hpp"

namespace plumbline {

/// The arrays of Lstm, in the host's memory (Array) or a device's (DeviceArray). Those that a forward pass has not are of one number.
template <class Real, template <class> class ArrayOf>
struct LstmArrays {
  using Memory = typename ArrayOf<Real>::Memory;

  /// `panel_sizes`: the numbers of the panels of the weights, and of those of the gates' gradient.
  LstmArrays(const LstmShape& s, std::pair<std::uint64_t, std::uint64_t> panel_sizes, Memory& memory)
      : inputs(s.rows() * s.features, memory),
        weights(s.weights_and_bias(), memory),
        panels(panel_sizes.first, memory),
        gates(s.rows() * s.gates(), memory),
        cells(s.states() + s.before(), memory),
        cell_tanh(s.states(), memory),
        hidden_state(s.states() + s.before(), memory),
        above(s.of_backward(s.states()), memory),
        hidden_gradient(s.of_backward(s.states() + s.before()), memory),
        cell_gradient(s.of_backward(s.states() + s.before()), memory),
        gate_gradient(s.of_backward(gates.size()), memory),
        input_gradient(s.of_backward(inputs.size()), memory),
        turned(s.of_backward(s.inputs() * s.pitch()), memory),
        gate_panels(s.of_backward(panel_sizes.second), memory),
        weight_gradient(s.of_backward(weights.size()), memory) {}

  /// All but what only brings operands into order.
  auto data() {
    return std::array{&inputs, &weights,         &gates,         &cells,         &cell_tanh,      &hidden_state,
                      &above,  &hidden_gradient, &cell_gradient, &gate_gradient, &input_gradient, &weight_gradient};
  }
  Lstm<Real> arguments(const LstmShape& s, LstmLoop loop, std::size_t at = 0) {
    return {.loop = loop,
            .batch = s.batch,
            .sequence = s.sequence,
            .features = s.features,
            .hidden = s.hidden,
            .at = at,
            .pitch = s.pitch(),
            .inputs = inputs.data(),
            .weights = weights.data(),
            .above = above.data(),
            .panels = panels.data(),
            .gates = gates.data(),
            .cells = cells.data(),
            .cell_tanh = cell_tanh.data(),
            .hidden_state = hidden_state.data(),
            .hidden_gradient = hidden_gradient.data(),
            .cell_gradient = cell_gradient.data(),
            .gate_gradient = gate_gradient.data(),
            .input_gradient = input_gradient.data(),
            .turned = turned.data(),
            .gate_panels = gate_panels.data(),
            .weight_gradient = weight_gradient.data(),
            .constants = {}};
  }

  ArrayOf<Real> inputs, weights, panels, gates, cells, cell_tanh, hidden_state;
  ArrayOf<Real> above, hidden_gradient, cell_gradient, gate_gradient, input_gradient, turned, gate_panels, weight_gradient;
};

/// The data of a rank in the host's memory.
template <class Real>
class LstmData {
 public:
  LstmData(const LstmShape& shape, std::pair<std::uint64_t, std::uint64_t> panel_sizes, std::pmr::memory_resource& memory)
      : s(shape), arrays(s, panel_sizes, memory), summed(s.of_backward(arrays.weights.size()), memory) {}

  void take_place(int rank, int ranks) { rank_ = rank, ranks_ = ranks; }

  /// Fills what the sequences [begin, end) of the batch have of their own; of what no sequence has its own, a like share.
  void initialise(std::size_t begin, std::size_t end) {
    const auto share = [&](auto& array, auto value) { array.fill(array.size() * begin / s.batch, array.size() * end / s.batch, value); };
    for (Array<Real>* const results :
         {&arrays.panels, &arrays.gate_gradient, &arrays.input_gradient, &arrays.gate_panels, &arrays.weight_gradient, &arrays.turned})
      share(*results, [](std::size_t) { return Real(unknown); });
    share(summed, [](std::size_t) { return unknown; });
    share(arrays.weights, [&](std::size_t i) { return weight(i); });
    for (std::size_t b = begin; b < end; ++b) initialise_sequence(b);
    if (!s.is_forward) {
      const LstmForward<Real> forward(s, [&](std::size_t i) { return weight(i); });
      for (std::size_t b = begin; b < end; ++b)
        forward.run(b,
                    {arrays.inputs.data(), arrays.gates.data(), arrays.cells.data(), arrays.cell_tanh.data(), arrays.hidden_state.data()});
    }
  }

  /// The error of each step against exact arithmetic on what it read, of as many results as 2^24 products of each kind allow.
  double error() const {
    LargestError largest;
    const LstmCheck<Real> check(s, here_, largest);
    if (s.is_forward) {
      for_some(s.rows(), s.weights(), [&](std::size_t row) { check.forward(row); });
    } else {
      for_some(s.rows(), s.weights(), [&](std::size_t row) { check.backward(row); });
      for_some(arrays.weights.size(), s.rows(), [&](std::size_t i) { check.weight_gradient(i); });
      for (std::size_t i = 0; i < arrays.weights.size(); ++i)
        largest.compare(summed[i], static_cast<long double>(arrays.weight_gradient[i]) * gradients_of_all_ranks());
    }
    return largest.value();
  }
  double tolerance() const { return rounding_bound<Real>(LstmCheck<Real>::roundings(s)); }

  const LstmShape s;
  LstmArrays<Real, Array> arrays;
  Array<double> summed;  // the weights' gradient, over all ranks

 private:
  static constexpr double unknown = 0.5;  // what a sweep computes, before it
  static constexpr double largest_bias = 0.5, largest_sum = 2;

  /// A number in [-1, 1).
  static double centred(std::uint64_t stream, std::uint64_t i) { return 4 * (varied(stream, i) - 0.75); }
  /// Weights become smaller the more of them are added up, so that gates are neither open nor shut.
  Real weight(std::size_t i) const {
    const double scale = i < s.weights() ? largest_sum / std::sqrt(static_cast<double>(s.inputs())) : largest_bias;
    return Real(scale * centred(2, i));
  }
  /// Gradients from above are halved from rank to rank, and with them all that follows from them: so each rank knows the sum over all. In
  /// 16 bits small numbers lose digits when they are halved, so there ranks have the same.
  static double gradients_of(int rank) { return sizeof(Real) == 2 ? 1 : std::ldexp(1.0, -(rank % 8)); }
  long double gradients_of_all_ranks() const {
    long double all = 0;
    for (int rank = 0; rank < ranks_; ++rank) all += gradients_of(rank);
    return all / gradients_of(rank_);
  }

  /// Fills what sequence b of the batch has of its own. Forward, where ranks have nothing to do with each other, inputs differ by rank.
  void initialise_sequence(std::size_t b) {
    const std::uint64_t of_rank = s.is_forward ? static_cast<std::uint64_t>(rank_) * arrays.inputs.size() : 0;
    const auto fill = [](Array<Real>& array, std::size_t row, std::size_t columns, auto value) {
      array.fill(row * columns, (row + 1) * columns, [&](std::size_t i) { return Real(value(i)); });
    };
    const auto not_known = [](std::size_t) { return unknown; };
    for (std::size_t step = 0; step < s.sequence; ++step) {
      const std::size_t row = step * s.batch + b;
      fill(arrays.inputs, row, s.features, [&](std::size_t i) { return centred(1, of_rank + i); });
      fill(arrays.gates, row, s.gates(), not_known);
      fill(arrays.cell_tanh, row, s.hidden, not_known);
      if (!s.is_forward) fill(arrays.above, row, s.hidden, [&](std::size_t i) { return gradients_of(rank_) * centred(5, i); });
    }
    for (std::size_t step = 0; step <= s.sequence; ++step) {
      const std::size_t row = step * s.batch + b;
      fill(arrays.cells, row, s.hidden, [&](std::size_t i) { return step == 0 ? centred(3, i) : unknown; });
      fill(arrays.hidden_state, row, s.hidden, [&](std::size_t i) { return step == 0 ? centred(4, i) : unknown; });
      if (s.is_forward) continue;
      for (Array<Real>* const gradient : {&arrays.hidden_gradient, &arrays.cell_gradient})
        fill(*gradient, row, s.hidden, [&](std::size_t) { return step == s.sequence ? 0 : unknown; });
    }
  }

  /// Calls check(i) for as many of `count` results as 2^24 products allow, evenly from the first to the last.
  template <class Check>
  static void for_some(std::uint64_t count, std::uint64_t products, Check check) {
    const std::uint64_t some = std::min(count, std::max<std::uint64_t>(2, (std::uint64_t{1} << 24) / products));
    for (std::uint64_t i = 0; i < some; ++i) check(some == 1 ? 0 : (count - 1) * i / (some - 1));
  }

  const Lstm<Real> here_ = arrays.arguments(s, LstmLoop::gates);
  int rank_ = 0, ranks_ = 1;
};

struct LstmPoint {
  const char* direction;
  std::int64_t batch, sequence, features, hidden;
};
inline std::vector<Parameters> lstm_points(std::initializer_list<LstmPoint> points) {
  std::vector<Parameters> sets;
  for (const LstmPoint& s : points)
    sets.push_back({{"direction", std::string(s.direction)},
                    {"batch", s.batch},
                    {"sequence", s.sequence},
                    {"features", s.features},
                    {"hidden", s.hidden}});
  return sets;
}

inline KernelFacts lstm_facts(ProofSizes proof) {
  proof.at_most = {{"batch", std::int64_t{7}}, {"sequence", std::int64_t{2}}};
  return {"proxies/lstm",
          "Long short-term memory, forward and backward through time (Wang, Yang, Farrell, Zhang, Kurth, Williams 2020, equation 5)",
          {{.name = "direction",
            .preset = std::string("forward"),
            .description = "the hidden states, or the gradients by weights and inputs, added up over ranks",
            .choices = {"forward", "backward"}},
           {.name = "batch", .preset = std::int64_t{64}, .description = "sequences of a rank", .max = 1 << 16},
           {.name = "sequence", .preset = std::int64_t{16}, .description = "steps in time", .max = 1 << 12},
           {.name = "features", .preset = std::int64_t{256}, .description = "of the input of a step", .max = 1 << 14},
           {.name = "hidden", .preset = std::int64_t{256}, .description = "cells", .max = 1 << 14}},
          std::move(proof)};
}

}  // namespace plumbline
