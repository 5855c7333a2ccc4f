// A layer of long short-term memory, forward and backward through time (Wang, Yang, Farrell, Zhang, Kurth, Williams 2020, equation 5): in
// each step of time, of the input x, the hidden state h and the cells c before it,
//   i, f, o = sigmoid(W [x, h] + b),  g = tanh(W [x, h] + b),  c <- f c + i g,  h <- o tanh c.
#include <cmath>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/rounding.hpp"
#include "lstm.flavors.hpp"
#include "proxies/networks/lstm_libraries.hpp"
#include "proxies/networks/lstm_loop.hpp"
#include "proxies/networks/lstm_reference.hpp"
#include "proxies/networks/lstm_work.hpp"

namespace plumbline {
namespace {

/// The phases of a backward pass, as LstmWork::backward() lists them.
enum BackPhase : std::size_t {
  turned_weights,
  back_gates,
  back_recurrent,
  back_input,
  turned_inputs,
  packed_gates,
  back_weights,
  back_bias,
  sum
};

template <class Real>
class LstmCase final : public ApplicationData {
 public:
  using Arguments = Lstm<Real>;

  static ApplicationWork application(const Parameters& p, std::string_view flavor) {
    const LstmShape s = LstmShape::of<Real>(p);
    const LstmWork<Real> work(s, flavor);
    ApplicationWork lstm = s.is_forward ? work.forward() : work.backward();
    if (flavor == openblas_flavor) take_openblas(lstm, s, sizeof(Real));
    return lstm;
  }

  LstmCase(const Parameters& p, std::pmr::memory_resource& memory)
      : s_(LstmShape::of<Real>(p)),
        inputs_(s_.rows() * s_.features, memory),
        weights_(s_.weights_and_bias(), memory),
        panels_(s_.weights(), memory),
        gates_(s_.rows() * s_.gates(), memory),
        cells_(s_.states() + before(), memory),
        cell_tanh_(s_.states(), memory),
        hidden_state_(s_.states() + before(), memory),
        above_(of_backward(s_.states()), memory),
        hidden_gradient_(of_backward(s_.states() + before()), memory),
        cell_gradient_(of_backward(s_.states() + before()), memory),
        gate_gradient_(of_backward(gates_.size()), memory),
        input_gradient_(of_backward(inputs_.size()), memory),
        turned_(of_backward(s_.inputs() * s_.pitch()), memory),
        gate_panels_(of_backward(gates_.size()), memory),
        weight_gradient_(of_backward(weights_.size()), memory),
        summed_(of_backward(weights_.size()), memory) {
    arguments_.reserve(7 + 2 * s_.sequence);
    if (s_.is_forward)
      plan_forward();
    else
      plan_backward();
  }

  void take_place(int rank, int ranks) override { rank_ = rank, ranks_ = ranks; }
  const std::vector<Step>& steps() const override { return schedule_; }

  /// The sequences of the batch; of what no sequence has its own, a like share.
  std::size_t extent() const override { return s_.batch; }
  void initialise(std::size_t begin, std::size_t end) override {
    const auto share = [&](auto& array, auto value) { array.fill(array.size() * begin / s_.batch, array.size() * end / s_.batch, value); };
    for (Array<Real>* const results : {&panels_, &gate_gradient_, &input_gradient_, &gate_panels_, &weight_gradient_, &turned_})
      share(*results, [](std::size_t) { return Real(unknown); });
    share(summed_, [](std::size_t) { return unknown; });
    share(weights_, [&](std::size_t i) { return weight(i); });
    for (std::size_t b = begin; b < end; ++b) initialise_sequence(b);
    if (!s_.is_forward) {
      const LstmForward<Real> forward(s_, [&](std::size_t i) { return weight(i); });
      for (std::size_t b = begin; b < end; ++b)
        forward.run(b, {inputs_.data(), gates_.data(), cells_.data(), cell_tanh_.data(), hidden_state_.data()});
    }
  }

  /// The error of each step against exact arithmetic on what it read, of as many results as 2^24 products of each kind allow.
  double error() const override {
    LargestError largest;
    const LstmCheck<Real> check(s_, *arguments_.data(), largest);
    if (s_.is_forward) {
      for_some(s_.rows(), s_.weights(), [&](std::size_t row) { check.forward(row); });
    } else {
      for_some(s_.rows(), s_.weights(), [&](std::size_t row) { check.backward(row); });
      for_some(weights_.size(), s_.rows(), [&](std::size_t i) { check.weight_gradient(i); });
      for (std::size_t i = 0; i < weights_.size(); ++i)
        largest.compare(summed_[i], static_cast<long double>(weight_gradient_[i]) * gradients_of_all_ranks());
    }
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(LstmCheck<Real>::roundings(s_))); }

 private:
  static constexpr double unknown = 0.5;  // what a sweep computes, before it
  static constexpr double largest_bias = 0.5, largest_sum = 2;
  static constexpr std::size_t library_groups = 2;  // so that a library's kernels pad the last rows of a call alone

  std::uint64_t before() const { return s_.batch * s_.hidden; }
  std::uint64_t of_backward(std::uint64_t elements) const { return s_.is_forward ? 1 : elements; }

  /// A number in [-1, 1).
  static double centred(std::uint64_t stream, std::uint64_t i) { return 4 * (varied(stream, i) - 0.75); }
  /// Weights become smaller the more of them are added up, so that gates are neither open nor shut.
  Real weight(std::size_t i) const {
    const double scale = i < s_.weights() ? largest_sum / std::sqrt(static_cast<double>(s_.inputs())) : largest_bias;
    return Real(scale * centred(2, i));
  }
  /// Gradients from above are halved from rank to rank, and with them all that follows from them: so each rank knows the sum over all.
  double gradients_of(int rank) const { return std::ldexp(1.0, -(rank % 8)); }
  long double gradients_of_all_ranks() const {
    long double all = 0;
    for (int rank = 0; rank < ranks_; ++rank) all += gradients_of(rank);
    return all / gradients_of(rank_);
  }

  /// Fills what sequence b of the batch has of its own. Forward, where ranks have nothing to do with each other, inputs differ by rank.
  void initialise_sequence(std::size_t b) {
    const std::uint64_t of_rank = s_.is_forward ? static_cast<std::uint64_t>(rank_) * inputs_.size() : 0;
    const auto fill = [](Array<Real>& array, std::size_t row, std::size_t columns, auto value) {
      array.fill(row * columns, (row + 1) * columns, [&](std::size_t i) { return Real(value(i)); });
    };
    const auto not_known = [](std::size_t) { return unknown; };
    for (std::size_t step = 0; step < s_.sequence; ++step) {
      const std::size_t row = step * s_.batch + b;
      fill(inputs_, row, s_.features, [&](std::size_t i) { return centred(1, of_rank + i); });
      fill(gates_, row, s_.gates(), not_known);
      fill(cell_tanh_, row, s_.hidden, not_known);
      if (!s_.is_forward) fill(above_, row, s_.hidden, [&](std::size_t i) { return gradients_of(rank_) * centred(5, i); });
    }
    for (std::size_t step = 0; step <= s_.sequence; ++step) {
      const std::size_t row = step * s_.batch + b;
      fill(cells_, row, s_.hidden, [&](std::size_t i) { return step == 0 ? centred(3, i) : unknown; });
      fill(hidden_state_, row, s_.hidden, [&](std::size_t i) { return step == 0 ? centred(4, i) : unknown; });
      if (s_.is_forward) continue;
      for (Array<Real>* const gradient : {&hidden_gradient_, &cell_gradient_})
        fill(*gradient, row, s_.hidden, [&](std::size_t) { return step == s_.sequence ? 0 : unknown; });
    }
  }

  Arguments* planned(LstmLoop loop, std::size_t at = 0) {
    arguments_.push_back({.loop = loop,
                          .batch = s_.batch,
                          .sequence = s_.sequence,
                          .features = s_.features,
                          .hidden = s_.hidden,
                          .at = at,
                          .pitch = s_.pitch(),
                          .inputs = inputs_.data(),
                          .weights = weights_.data(),
                          .above = above_.data(),
                          .panels = panels_.data(),
                          .gates = gates_.data(),
                          .cells = cells_.data(),
                          .cell_tanh = cell_tanh_.data(),
                          .hidden_state = hidden_state_.data(),
                          .hidden_gradient = hidden_gradient_.data(),
                          .cell_gradient = cell_gradient_.data(),
                          .gate_gradient = gate_gradient_.data(),
                          .input_gradient = input_gradient_.data(),
                          .turned = turned_.data(),
                          .gate_panels = gate_panels_.data(),
                          .weight_gradient = weight_gradient_.data(),
                          .constants = {}});
    return &arguments_.back();
  }
  void add_step(std::size_t phase, LstmLoop loop, std::size_t extent, std::size_t at = 0) {
    schedule_.push_back({.phase = phase, .arguments = planned(loop, at), .extent = extent});
  }
  /// Adds a product of so many rows, which threads divide by groups.
  void add_product_step(std::size_t phase, LstmLoop loop, std::size_t rows, std::size_t at = 0) {
    add_step(phase, loop, LstmShape::groups(rows), at);
    schedule_.back().grain = library_groups;
  }

  /// Each launch is a step.
  void plan_forward() {
    for (const LstmLaunch& launch : lstm_forward_launches(s_)) {
      const auto phase = static_cast<std::size_t>(launch.phase);
      switch (launch.phase) {
        case LstmPhase::input_weights:
          add_step(phase, LstmLoop::input_weights, s_.features);
          break;
        case LstmPhase::recurrent_weights:
          add_step(phase, LstmLoop::recurrent_weights, s_.hidden);
          break;
        case LstmPhase::input:
          add_product_step(phase, LstmLoop::input, s_.rows(), launch.half);
          break;
        case LstmPhase::recurrent:
          add_product_step(phase, LstmLoop::recurrent, s_.batch, *launch.step);
          break;
        case LstmPhase::gates:
          add_step(phase, LstmLoop::gates, s_.batch, *launch.step);
          break;
      }
    }
  }
  void plan_backward() {
    const std::size_t parts = (s_.gates() + lstm_bias_columns - 1) / lstm_bias_columns;
    add_step(turned_weights, LstmLoop::turned_weights, s_.gates());
    for (std::size_t step = s_.sequence; step-- != 0;) {
      add_step(back_gates, LstmLoop::back_gates, s_.batch, step);
      add_product_step(back_recurrent, LstmLoop::back_recurrent, s_.batch, step);
    }
    add_product_step(back_input, LstmLoop::back_input, s_.rows());
    add_step(turned_inputs, LstmLoop::turned_inputs, s_.inputs());
    add_step(packed_gates, LstmLoop::packed_gates, s_.rows());
    add_product_step(back_weights, LstmLoop::back_weights, s_.inputs());
    add_step(back_bias, LstmLoop::back_bias, parts);
    schedule_.push_back({.phase = sum, .exchange = [this](Peers& peers) {
                           for (std::size_t i = 0; i < summed_.size(); ++i) summed_[i] = static_cast<double>(weight_gradient_[i]);
                           peers.add_up({summed_.data(), summed_.size()});
                         }});
  }

  /// Calls check(i) for as many of `count` results as 2^24 products allow, evenly from the first to the last.
  template <class Check>
  static void for_some(std::uint64_t count, std::uint64_t products, Check check) {
    const std::uint64_t some = std::min(count, std::max<std::uint64_t>(2, (std::uint64_t{1} << 24) / products));
    for (std::uint64_t i = 0; i < some; ++i) check(some == 1 ? 0 : (count - 1) * i / (some - 1));
  }

  LstmShape s_;
  Array<Real> inputs_, weights_, panels_, gates_, cells_, cell_tanh_, hidden_state_;
  Array<Real> above_, hidden_gradient_, cell_gradient_, gate_gradient_, input_gradient_, turned_, gate_panels_, weight_gradient_;
  Array<double> summed_;  // the weights' gradient, over all ranks
  int rank_ = 0, ranks_ = 1;
  std::vector<Arguments> arguments_;
  std::vector<Step> schedule_;
};

struct Sizes {
  const char* direction;
  std::int64_t batch, sequence, features, hidden;
};
std::vector<Parameters> all(std::initializer_list<Sizes> sizes) {
  std::vector<Parameters> sets;
  for (const Sizes& s : sizes)
    sets.push_back({{"direction", std::string(s.direction)},
                    {"batch", s.batch},
                    {"sequence", s.sequence},
                    {"features", s.features},
                    {"hidden", s.hidden}});
  return sets;
}

std::span<const Flavor> all_flavors() {
  static const std::vector<Flavor> flavors = with_openblas(lstm_flavors, sweep_openblas_lstm<double>, sweep_openblas_lstm<float>);
  return flavors;
}

const Register<LstmCase> registered{
    {"proxies/lstm",
     "Long short-term memory, forward and backward through time (Wang, Yang, Farrell, Zhang, Kurth, Williams 2020, equation 5)",
     {{.name = "direction",
       .preset = std::string("forward"),
       .description = "the hidden states, or the gradients by weights and inputs, added up over ranks",
       .choices = {"forward", "backward"}},
      {.name = "batch", .preset = std::int64_t{64}, .description = "sequences of a rank", .max = 1 << 16},
      {.name = "sequence", .preset = std::int64_t{16}, .description = "steps in time", .max = 1 << 12},
      {.name = "features", .preset = std::int64_t{256}, .description = "of the input of a step", .max = 1 << 14},
      {.name = "hidden", .preset = std::int64_t{256}, .description = "cells", .max = 1 << 14}},
     // Rows that groups and tiles do not divide, panels of every width, products of two blocks in each direction.
     {.edges = all({{"forward", 13, 2, 5, 35},
                    {"forward", 1, 1, 131, 3},
                    {"backward", 5, 3, 35, 19},
                    {"backward", 1, 2, 3, 40},
                    {"backward", 26, 5, 2, 3}}),
      .caches = all({{"forward", 2, 2, 5, 4},
                     {"forward", 8, 3, 40, 32},
                     {"forward", 16, 8, 32, 40},
                     {"backward", 2, 2, 5, 4},
                     {"backward", 8, 3, 24, 32},
                     {"backward", 16, 8, 24, 40}}),
      .at_most = {{"batch", std::int64_t{7}}, {"sequence", std::int64_t{2}}}}},
    all_flavors,
    absent_openblas};

}  // namespace
}  // namespace plumbline
