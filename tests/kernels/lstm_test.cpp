// An LSTM shows what the paper found, the launches of a forward pass, FLOPs as its formula gives and time proportional to the sequence; its
// activations err as little as they say, its gradients are those of finite differences, and ranks add them up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <map>
#include <memory_resource>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/kernel.hpp"
#include "machine/cpu.hpp"
#include "proxies/networks/lstm_launches.hpp"
#include "proxies/networks/lstm_loop.hpp"
#include "tests/kernels/ranks_as_threads.hpp"
#include "tests/kernels/refusal.hpp"
#include "tests/kernels/whole_sweep.hpp"
#include "tests/printed_amounts.hpp"

namespace plumbline {
namespace {

const Kernel& lstm() { return *find_kernel("proxies/lstm"); }

/// The paper's default: batch and sequence of 16, 32 features, 16 cells.
struct CellSizes {
  std::int64_t batch = 16, sequence = 16, features = 32, hidden = 16;
  LstmSizes as_sizes() const {
    const auto whole = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    return {whole(batch), whole(sequence), whole(features), whole(hidden)};
  }
};
Parameters sized_cells(const CellSizes& s, const std::string& direction = "forward") {
  return {{"direction", direction}, {"batch", s.batch}, {"sequence", s.sequence}, {"features", s.features}, {"hidden", s.hidden}};
}

TEST(lstm, sixteen_steps_are_the_papers_36_launches) {
  std::map<LaunchKind, int> kinds;
  std::map<std::uint64_t, int> of_step;
  for (const LstmLaunch& launch : lstm_forward_launches(CellSizes{}.as_sizes())) {
    ++kinds[launch.kind];
    if (launch.step) ++of_step[*launch.step];
    EXPECT_EQ(launch.step.has_value(), launch.kind == LaunchKind::product || launch.kind == LaunchKind::element_wise);
    EXPECT_EQ(launch.flops == 0, launch.kind == LaunchKind::without_flops);
  }
  EXPECT_EQ(kinds[LaunchKind::product], 16);
  EXPECT_EQ(kinds[LaunchKind::element_wise], 16);
  EXPECT_EQ(kinds[LaunchKind::tensor_product], 2);
  EXPECT_EQ(kinds[LaunchKind::without_flops], 2);
  EXPECT_EQ(of_step.size(), 16U);
  for (const auto& [step, launches] : of_step) EXPECT_EQ(launches, 2) << step;
}

TEST(lstm, launches_grow_with_the_sequence_alone) {
  const auto launches = [](const CellSizes& s) { return lstm_forward_launches(s.as_sizes()).size(); };
  for (const std::int64_t sequence : {1, 16, 32, 64, 128}) EXPECT_EQ(launches({.sequence = sequence}), 4U + 2 * sequence);
  for (const std::int64_t batch : {1, 32, 128}) EXPECT_EQ(launches({.batch = batch}), 36U);
  EXPECT_EQ(launches({.features = 64, .hidden = 128}), 36U);
}

TEST(lstm, launches_do_the_flops_of_the_model_and_are_its_steps) {
  for (const CellSizes& s : {CellSizes{}, CellSizes{3, 5, 7, 9}}) {
    const auto launches = lstm_forward_launches(s.as_sizes());
    std::uint64_t flops = 0;
    for (const LstmLaunch& launch : launches) flops += launch.flops;
    EXPECT_EQ(total_flops(lstm().model(sized_cells(s), "fp32", "").flops), Amount(flops));
    const auto data = lstm().prepare(sized_cells(s), "fp32", *std::pmr::new_delete_resource());
    const auto& steps = dynamic_cast<const ApplicationData&>(*data).steps();
    ASSERT_EQ(steps.size(), launches.size());
    for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i].phase, static_cast<std::size_t>(launches[i].phase));
  }
}

/// The FLOPs of the phases whose work begins with a product.
std::uint64_t product_flops(const CellSizes& s, const std::string& direction) {
  std::uint64_t flops = 0;
  for (const Phase& phase : lstm().application(sized_cells(s, direction), "fp32", "").phases)
    if (phase.name == "input" || phase.name == "recurrent" || phase.name == "weights")
      flops += phase.entries * total_flops(phase.work.flops).lo;
  return flops;
}

TEST(lstm, products_do_as_many_flops_as_the_papers_formula_and_twice_as_many_back) {
  EXPECT_EQ(CellSizes{}.as_sizes().product_flops(), 2ULL * 16 * 16 * 4 * 16 * (32 + 16));  // 2 B S 4H (F + H)
  for (const CellSizes& s : {CellSizes{}, CellSizes{3, 5, 7, 9}, CellSizes{1, 1, 1, 1}}) {
    EXPECT_EQ(product_flops(s, "forward"), s.as_sizes().product_flops());
    EXPECT_EQ(product_flops(s, "backward"), 2 * s.as_sizes().product_flops());
  }
}

TEST(lstm, flops_are_proportional_to_the_sequence) {
  const auto flops = [](std::int64_t sequence) { return total_flops(lstm().model(sized_cells({.sequence = sequence}), "fp32", "").flops); };
  for (const std::uint64_t times : {2U, 4U, 8U}) EXPECT_EQ(flops(static_cast<std::int64_t>(16 * times)), times * flops(16));
}

/// The largest error of an activation on [-40, 40] in units of the roundoff.
template <class Real, class Activation, class Exact>
double largest_error(Activation activation, Exact exact) {
  double largest = 0;
  for (int i = -200000; i <= 200000; ++i) {
    const Real x = static_cast<Real>(i) / Real(5000) * (i % 2 == 0 ? Real(1) : Real(0.1));
    Real y = x;
    activation(y);
    largest = std::max(largest, std::fabs(static_cast<double>(static_cast<long double>(y) - exact(static_cast<long double>(x)))));
  }
  return largest / (std::numeric_limits<Real>::epsilon() / 2);
}

template <class Real>
void activations_err_little() {
  const LstmConstants<Real> constants;
  const double of_tanh =
      largest_error<Real>([&](Real& x) { lstm_tanh<Real>(x, constants.eighth, constants); }, [](long double x) { return std::tanh(x); });
  const double of_sigmoid =
      largest_error<Real>([&](Real& x) { lstm_sigmoid<Real>(x, constants); }, [](long double x) { return 1 / (1 + std::exp(-x)); });
  EXPECT_LT(of_tanh, lstm_roundings_of_activation);
  EXPECT_LT(of_sigmoid, lstm_roundings_of_activation);
  EXPECT_GT(of_tanh, 0.1);
}
TEST(lstm, activations_err_as_little_as_their_roundings) {
  activations_err_little<double>();
  activations_err_little<float>();
}

TEST(lstm, the_tangents_formula_errs_by_less_than_a_roundoff) {
  const LstmConstants<long double> constants{.above = {5 / 39.0L, 2 / 715.0L, 1 / 135135.0L},
                                             .below = {6 / 13.0L, 10 / 429.0L, 4 / 19305.0L}};
  long double largest = 0;
  for (int i = -4000; i <= 4000; ++i) {
    const long double angle = i / 100.0L, z = angle / 8, s = z * z;
    const auto cubic = [&](const long double(&terms)[3]) { return 1 + s * (terms[0] + s * (terms[1] + s * terms[2])); };
    long double tanh = z * cubic(constants.above) / cubic(constants.below);
    for (int doubled = 0; doubled < 3; ++doubled) tanh = 2 * tanh / (1 + tanh * tanh);
    largest = std::max(largest, std::fabs(tanh - std::tanh(angle)));
  }
  EXPECT_LT(largest, 2e-17L);
}

/// A layer's numbers in long double, and the sum of all hidden states times what is above them, by equation 5 as it stands.
struct Layer {
  std::size_t batch, sequence, features, hidden;
  std::vector<long double> inputs, weights, above, cells, states;

  explicit Layer(const Lstm<double>& x)
      : batch(x.batch),
        sequence(x.sequence),
        features(x.features),
        hidden(x.hidden),
        inputs(x.inputs, x.inputs + sequence * batch * features),
        weights(x.weights, x.weights + (features + hidden + 1) * 4 * hidden),
        above(x.above, x.above + sequence * batch * hidden),
        cells(x.cells, x.cells + batch * hidden),
        states(x.hidden_state, x.hidden_state + batch * hidden) {}

  long double gate(std::size_t step, std::size_t b, std::size_t column, const std::vector<long double>& h) const {
    const auto weight = [&](std::size_t row) { return weights[row * 4 * hidden + column]; };
    long double sum = weight(features + hidden);
    for (std::size_t f = 0; f < features; ++f) sum += inputs[(step * batch + b) * features + f] * weight(f);
    for (std::size_t k = 0; k < hidden; ++k) sum += h[b * hidden + k] * weight(features + k);
    return sum;
  }
  long double loss() const {
    const auto sigmoid = [](long double x) { return 1 / (1 + std::exp(-x)); };
    long double all = 0;
    std::vector<long double> c = cells, h = states;
    for (std::size_t step = 0; step < sequence; ++step) {
      const std::vector<long double> before = h;
      for (std::size_t i = 0; i < batch * hidden; ++i) {
        const std::size_t b = i / hidden, k = i % hidden;
        const auto of = [&](std::size_t which) { return gate(step, b, which * hidden + k, before); };
        c[i] = sigmoid(of(1)) * c[i] + sigmoid(of(0)) * std::tanh(of(2));
        h[i] = sigmoid(of(3)) * std::tanh(c[i]);
        all += h[i] * above[step * batch * hidden + i];
      }
    }
    return all;
  }
};

/// Holds gradients against what the loss does when each number changes a little.
void expect_gradients(Layer& layer, std::vector<long double>& numbers, const double* gradients, const char* name) {
  constexpr long double little = 1e-5L;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const long double was = numbers[i];
    numbers[i] = was + little;
    const long double more = layer.loss();
    numbers[i] = was - little;
    const long double less = layer.loss();
    numbers[i] = was;
    EXPECT_NEAR(gradients[i], static_cast<double>((more - less) / (2 * little)), 1e-8) << name << " " << i;
  }
}

const Flavor& flavor_here(const std::string& precision) {
  for (const Flavor& flavor : lstm().flavors()) {
    const FlavorName name = split_flavor(flavor.name);
    if (flavor.precision == precision && name.level == "O3" && runs_isa(name.isa)) return flavor;
  }
  throw std::runtime_error("no flavor of this CPU");
}

TEST(lstm, gradients_are_those_of_finite_differences) {
  const auto data = lstm().prepare(sized_cells({3, 4, 5, 6}, "backward"), "fp64", *std::pmr::new_delete_resource());
  initialise_whole(*data);
  sweep_whole(*data, flavor_here("fp64").sweep);
  const auto& x = *static_cast<const Lstm<double>*>(dynamic_cast<const ApplicationData&>(*data).steps().front().arguments);
  Layer layer(x);
  expect_gradients(layer, layer.weights, x.weight_gradient, "weight or bias");
  expect_gradients(layer, layer.inputs, x.input_gradient, "input");
  expect_gradients(layer, layer.states, x.hidden_gradient, "hidden state");
  expect_gradients(layer, layer.cells, x.cell_gradient, "cell");
}

TEST(lstm, ranks_add_up_their_gradients) {
  const Parameters p = sized_cells({3, 4, 5, 6}, "backward");
  for (const auto& rank : swept_by_ranks(lstm(), p, flavor_here("fp32"), 3)) EXPECT_LE(rank->error(), rank->tolerance());
  const auto alone = lstm().prepare(p, "fp32", *std::pmr::new_delete_resource());
  dynamic_cast<ApplicationData&>(*alone).take_place(1, 3);
  alone->initialise(0, alone->extent());
  sweep_whole(*alone, flavor_here("fp32").sweep);
  EXPECT_GT(alone->error(), alone->tolerance()) << "without the other ranks'";
}

/// The shortest time that the processor spent on a sweep of each of both in turn, in ticks: other programs may run beside.
std::pair<double, double> shortest_times(const Workload& one, const Workload& other, Sweep sweep) {
  const auto timed = [&](const Workload& workload) {
    const std::clock_t begin = std::clock();
    sweep_whole(workload, sweep);
    return static_cast<double>(std::clock() - begin);
  };
  std::pair<double, double> shortest{INFINITY, INFINITY};
  for (int round = 0; round < 40; ++round) {
    shortest.first = std::min(shortest.first, timed(one));
    shortest.second = std::min(shortest.second, timed(other));
  }
  return shortest;
}

TEST(lstm, time_is_proportional_to_the_sequence) {
  for (const char* direction : {"forward", "backward"}) {
    const auto of = [&](std::int64_t sequence) {
      auto data = lstm().prepare(sized_cells({32, sequence, 64, 64}, direction), "fp32", *std::pmr::new_delete_resource());
      initialise_whole(*data);
      return data;
    };
    const auto [one, four] = shortest_times(*of(16), *of(64), flavor_here("fp32").sweep);
    EXPECT_GT(four / one, 2.5) << direction;
    EXPECT_LT(four / one, 6.5) << direction;
  }
}

TEST(lstm, sums_of_which_no_digit_would_be_sure_are_refused) {
  const auto why = [](const std::string& precision) {
    return refusal(lstm(), sized_cells({.batch = 1 << 16, .sequence = 1 << 8}, "backward"), precision);
  };
  EXPECT_EQ(why("fp64"), "");
  EXPECT_EQ(why("fp32"),
            "proxies/lstm: batch and sequence make sums of 16777216 terms, of which no digit would be sure: take fewer, or a "
            "wider precision");
}

}  // namespace
}  // namespace plumbline
