// A layer of long short-term memory, forward and backward through time (Wang, Yang, Farrell, Zhang, Kurth, Williams 2020, equation 5): in
// each step of time, of the input x, the hidden state h and the cells c before it,
//   i, f, o = sigmoid(W [x, h] + b),  g = tanh(W [x, h] + b),  c <- f c + i g,  h <- o tanh c.
#include <vector>

#include "core/application.hpp"
#include "lstm.flavors.hpp"
#include "proxies/networks/lstm_data.hpp"
#include "proxies/networks/lstm_libraries.hpp"
#include "proxies/networks/lstm_work.hpp"

namespace plumbline {
namespace {

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

  LstmCase(const Parameters& p, std::pmr::memory_resource& memory) : LstmCase(LstmShape::of<Real>(p), memory) {}
  void take_place(int rank, int ranks) override { data_.take_place(rank, ranks); }
  const std::vector<Step>& steps() const override { return schedule_; }

  /// The sequences of the batch.
  std::size_t extent() const override { return s_.batch; }
  void initialise(std::size_t begin, std::size_t end) override { data_.initialise(begin, end); }
  double error() const override { return data_.error(); }
  double tolerance() const override { return data_.tolerance(); }

 private:
  static constexpr std::size_t library_groups = 2;  // so that a library's kernels pad the last rows of a call alone

  LstmCase(const LstmShape& s, std::pmr::memory_resource& memory) : data_(s, {s.weights(), s.rows() * s.gates()}, memory) {
    arguments_.reserve(7 + 2 * s_.sequence);
    if (s_.is_forward)
      plan_forward();
    else
      plan_backward();
  }

  void add_step(std::size_t phase, LstmLoop loop, std::size_t extent, std::size_t at = 0) {
    arguments_.push_back(data_.arrays.arguments(s_, loop, at));
    schedule_.push_back({.phase = phase, .arguments = &arguments_.back(), .extent = extent});
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
    add_step(LstmBackPhase::turned_weights, LstmLoop::turned_weights, s_.gates());
    for (std::size_t step = s_.sequence; step-- != 0;) {
      add_step(LstmBackPhase::back_gates, LstmLoop::back_gates, s_.batch, step);
      add_product_step(LstmBackPhase::back_recurrent, LstmLoop::back_recurrent, s_.batch, step);
    }
    add_product_step(LstmBackPhase::back_input, LstmLoop::back_input, s_.rows());
    add_step(LstmBackPhase::turned_inputs, LstmLoop::turned_inputs, s_.inputs());
    add_step(LstmBackPhase::packed_gates, LstmLoop::packed_gates, s_.rows());
    add_product_step(LstmBackPhase::back_weights, LstmLoop::back_weights, s_.inputs());
    add_step(LstmBackPhase::back_bias, LstmLoop::back_bias, parts);
    schedule_.push_back({.phase = LstmBackPhase::sum, .exchange = [this](Peers& peers) {
                           Array<double>& summed = data_.summed;
                           for (std::size_t i = 0; i < summed.size(); ++i) summed[i] = static_cast<double>(data_.arrays.weight_gradient[i]);
                           peers.add_up({summed.data(), summed.size()});
                         }});
  }

  LstmData<Real> data_;
  const LstmShape& s_ = data_.s;
  std::vector<Arguments> arguments_;
  std::vector<Step> schedule_;
};

std::span<const Flavor> all_flavors() {
  static const std::vector<Flavor> flavors = with_openblas(lstm_flavors, sweep_openblas_lstm<double>, sweep_openblas_lstm<float>);
  return flavors;
}

const Register<LstmCase> registered{
    // Rows that groups and tiles do not divide, panels of every width, products of two blocks in each direction.
    lstm_facts({.edges = lstm_points({{"forward", 13, 2, 5, 35},
                                      {"forward", 1, 1, 131, 3},
                                      {"backward", 5, 3, 35, 19},
                                      {"backward", 1, 2, 3, 40},
                                      {"backward", 26, 5, 2, 3}}),
                .caches = lstm_points({{"forward", 2, 2, 5, 4},
                                       {"forward", 8, 3, 40, 32},
                                       {"forward", 16, 8, 32, 40},
                                       {"backward", 2, 2, 5, 4},
                                       {"backward", 8, 3, 24, 32},
                                       {"backward", 16, 8, 24, 40}})}),
    all_flavors, absent_openblas};

}  // namespace
}  // namespace plumbline
