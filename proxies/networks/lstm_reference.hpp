// An LSTM's steps once more, plainly: forward, for the activations that go back starts from, and each step's results held against exact
// arithmetic on what it read.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/rounding.hpp"
#include "proxies/networks/lstm_work.hpp"

namespace plumbline {

/// The forward pass of one sequence of the batch after the other, in double precision from step to step, what it keeps rounded.
template <class Real>
class LstmForward {
 public:
  struct Kept {
    const Real* inputs;
    Real *gates, *cells, *cell_tanh, *hidden_state;
  };

  template <class Weight>
  LstmForward(const LstmShape& shape, Weight weight) : s_(shape), weights_(s_.weights_and_bias()) {
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = static_cast<double>(weight(i));
  }

  void run(std::size_t sequence, const Kept& kept) const {
    std::vector<double> sums(s_.gates());
    for (std::size_t step = 0; step < s_.sequence; ++step) {
      const std::size_t row = step * s_.batch + sequence, after = row + s_.batch;
      sums.assign(weights_.begin() + static_cast<std::ptrdiff_t>(s_.weights()), weights_.end());
      gain(sums, kept.inputs + row * s_.features, s_.features, 0);
      gain(sums, kept.hidden_state + row * s_.hidden, s_.hidden, s_.features);
      for (std::size_t k = 0; k < s_.hidden; ++k) {
        Real* const gates = kept.gates + row * s_.gates() + k;
        for (std::size_t gate = 0; gate < 4; ++gate) {
          const double sum = sums[gate * s_.hidden + k];
          gates[gate * s_.hidden] = Real(gate == 2 ? std::tanh(sum) : 1 / (1 + std::exp(-sum)));
        }
        const auto at = [&](std::size_t gate) { return static_cast<double>(gates[gate * s_.hidden]); };
        const double cell = at(1) * static_cast<double>(kept.cells[row * s_.hidden + k]) + at(0) * at(2);
        kept.cells[after * s_.hidden + k] = Real(cell);
        const double tanh = std::tanh(static_cast<double>(kept.cells[after * s_.hidden + k]));
        kept.cell_tanh[row * s_.hidden + k] = Real(tanh);
        kept.hidden_state[after * s_.hidden + k] = Real(at(3) * static_cast<double>(kept.cell_tanh[row * s_.hidden + k]));
      }
    }
  }

 private:
  void gain(std::vector<double>& sums, const Real* factors, std::size_t count, std::size_t first_row) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto factor = static_cast<double>(factors[i]);
      const double* const row = weights_.data() + (first_row + i) * s_.gates();
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += factor * row[j];
    }
  }

  LstmShape s_;
  std::vector<double> weights_;
};

/// Compares what a sweep left. A row is a step and a sequence, steps first.
template <class Real>
class LstmCheck {
 public:
  using Number = long double;

  LstmCheck(const LstmShape& shape, const Lstm<Real>& data, LargestError& largest) : s_(shape), x_(data), largest_(largest) {}

  /// The most roundings that a result passes: a sum's, and beside it those of an activation or of the arithmetic of a cell. Numbers of 16
  /// bits are rounded where they are kept, a gate's sum once more in between.
  static double roundings(const LstmShape& s) {
    return of_sum(s.terms()) + static_cast<double>(lstm_roundings_of_activation) * smaller + 2 * is_narrow;
  }

  /// Compares the gates, cells and hidden state of a row.
  void forward(std::size_t row) const {
    for (std::size_t k = 0; k < s_.hidden; ++k) {
      for (std::size_t which = 0; which < 4; ++which) compare_gate(row, which, k);
      const std::size_t before = row * s_.hidden + k, after = (row + s_.batch) * s_.hidden + k;
      const Number kept = gate(row, 1, k) * at(x_.cells, before), gained = gate(row, 0, k) * gate(row, 2, k);
      compare(x_.cells[after], kept + gained, std::fabs(kept) + std::fabs(gained), of_operations(3));
      compare(x_.cell_tanh[before], std::tanh(at(x_.cells, after)), 1, of_operations(lstm_roundings_of_activation));
      const Number shown = gate(row, 3, k) * at(x_.cell_tanh, before);
      compare(x_.hidden_state[after], shown, std::fabs(shown), of_operations(1));
    }
  }

  /// Compares the gradients by the gates of a row, by its inputs and by cells and hidden state before it.
  void backward(std::size_t row) const {
    for (std::size_t k = 0; k < s_.hidden; ++k) {
      compare_cell(row, k);
      compare_sum(x_.hidden_gradient[row * s_.hidden + k], s_.gates(),
                  [&](std::size_t j) { return gradient(row, j) * weight(s_.features + k, j); });
    }
    for (std::size_t f = 0; f < s_.features; ++f)
      compare_sum(x_.input_gradient[row * s_.features + f], s_.gates(), [&](std::size_t j) { return gradient(row, j) * weight(f, j); });
  }

  /// Compares element i of the gradient by the weights and the bias.
  void weight_gradient(std::size_t i) const {
    const std::size_t from = i / s_.gates(), j = i % s_.gates();
    compare_sum(x_.weight_gradient[i], s_.rows(), [&](std::size_t row) { return input(row, from) * gradient(row, j); });
  }

 private:
  static constexpr bool is_narrow = !std::is_same_v<Real, LstmSum<Real>>;
  /// A rounding of a number as it is computed with, in units of one as it is kept.
  static constexpr double smaller = unit_roundoff<LstmSum<Real>> / unit_roundoff<Real>;
  /// The roundings of so many operations one after the other, and of what is kept of them.
  static double of_operations(double count) { return is_narrow ? 1 + count * smaller : count; }
  /// The roundings of a sum. Tensor cores cut off what lies below the last digit of the largest term, as in conv2d.cu: four for one.
  static double of_sum(std::uint64_t terms) { return of_operations(static_cast<double>(is_narrow ? 4 * terms : terms + 1)); }

  static Number at(const Real* array, std::size_t i) { return static_cast<Number>(array[i]); }
  Number gate(std::size_t row, std::size_t which, std::size_t k) const { return at(x_.gates, row * s_.gates() + which * s_.hidden + k); }
  Number gradient(std::size_t row, std::size_t j) const { return at(x_.gate_gradient, row * s_.gates() + j); }
  Number weight(std::size_t from, std::size_t j) const { return at(x_.weights, from * s_.gates() + j); }
  /// A gradient by what a step left: none behind the last.
  Number after_step(const Real* gradient, std::size_t i) const { return i < s_.states() ? at(gradient, i) : 0; }
  /// A row's weights are multiplied by the inputs and by the hidden state before the step, and the bias by one.
  Number input(std::size_t row, std::size_t from) const {
    if (from < s_.features) return at(x_.inputs, row * s_.features + from);
    return from < s_.inputs() ? at(x_.hidden_state, row * s_.hidden + from - s_.features) : 1;
  }

  /// Below the smallest normal number the digits of 16 bits end: 2^-14.
  static constexpr Number smallest = is_narrow ? 0x1p-14L : 0;
  /// Takes in an error of a result of so many roundings, relative to the magnitude of its terms.
  void compare(const Real& computed, Number exact, Number magnitude, double of_roundings) const {
    largest_.compare(computed, exact, (magnitude + smallest) * static_cast<Number>(of_roundings) / static_cast<Number>(roundings(s_)));
  }
  template <class Term>
  void compare_sum(const Real& computed, std::size_t terms, Term term) const {
    Number sum = 0, magnitude = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      const Number of_i = term(i);
      sum += of_i, magnitude += std::fabs(of_i);
    }
    compare(computed, sum, magnitude, of_sum(terms));
  }
  /// A gate errs by its sum, of which the logistic function passes on a fourth at most, and by its activation.
  void compare_gate(std::size_t row, std::size_t which, std::size_t k) const {
    Number sum = 0, magnitude = 0;
    for (std::size_t from = 0; from <= s_.inputs(); ++from) {
      const Number term = input(row, from) * weight(from, which * s_.hidden + k);
      sum += term, magnitude += std::fabs(term);
    }
    const bool is_tanh = which == 2;
    compare(x_.gates[row * s_.gates() + which * s_.hidden + k], is_tanh ? std::tanh(sum) : 1 / (1 + std::exp(-sum)),
            magnitude * (is_tanh ? 1 : 0.25L) + 1, roundings(s_));
  }
  /// A gradient by a cell or a gate passes ten roundings at most.
  void compare_cell(std::size_t row, std::size_t k) const {
    const double most = of_operations(10);
    const std::size_t before = row * s_.hidden + k, after = (row + s_.batch) * s_.hidden + k;
    const Number in = gate(row, 0, k), forget = gate(row, 1, k), candidate = gate(row, 2, k), out = gate(row, 3, k),
                 tanh = at(x_.cell_tanh, before), above = at(x_.above, before), below = after_step(x_.hidden_gradient, after),
                 later = after_step(x_.cell_gradient, after), shown = above + below, all_shown = std::fabs(above) + std::fabs(below);
    const Number cell = shown * out * (1 - tanh * tanh) + later, all_cell = all_shown * out * (1 + tanh * tanh) + std::fabs(later);
    const auto compare_product = [&](const Real& computed, Number factor, Number rest, Number of_shown, Number of_all, Number of_rest) {
      compare(computed, of_shown * factor * rest, of_all * std::fabs(factor) * of_rest, most);
    };
    const Real* const gradients = x_.gate_gradient + row * s_.gates() + k;
    compare_product(gradients[0], in * candidate, 1 - in, cell, all_cell, 1 + in);
    compare_product(gradients[s_.hidden], forget * at(x_.cells, before), 1 - forget, cell, all_cell, 1 + forget);
    compare_product(gradients[2 * s_.hidden], in, 1 - candidate * candidate, cell, all_cell, 1 + candidate * candidate);
    compare_product(gradients[3 * s_.hidden], out * tanh, 1 - out, shown, all_shown, 1 + out);
    compare_product(x_.cell_gradient[before], forget, 1, cell, all_cell, 1);
  }

  const LstmShape& s_;
  const Lstm<Real>& x_;
  LargestError& largest_;
};

}  // namespace plumbline
