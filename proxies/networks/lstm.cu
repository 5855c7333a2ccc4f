// The LSTM of lstm.cpp on GPUs: products by tiles in shared memory, cells by threads, the same phases in the same order. How they are
// launched is the variant: one after the other, both halves of the gates side by side, or all as one graph. Halves are multiplied by tensor
// cores, and computed with in fp32 beside that.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/graph.cuh"
#include "cuda/register.cuh"
#include "proxies/networks/lstm_cells.cuh"
#include "proxies/networks/lstm_data.hpp"
#include "proxies/networks/lstm_gpu_work.cuh"
#include "proxies/networks/lstm_pieces.cuh"

namespace plumbline {
namespace {

LstmVariant variant_of(const Parameters& p) {
  const std::string& word = p.word("variant");
  return word == "streams" ? LstmVariant::streams : word == "graph" ? LstmVariant::graph : LstmVariant::launches;
}

/// The sizes that the parameters name, for GPUs, which count in 32 bits.
template <class Real>
LstmShape shape_of(const Parameters& p) {
  const LstmShape s = LstmShape::of<LstmSum<Real>>(p);
  const auto [panels, gate_panels] = LstmGpuWork<Real>::panel_sizes(s, variant_of(p));
  const auto count = [](const char* what, std::uint64_t is, const char* smaller) {
    if (is >= std::uint64_t{1} << 31)
      throw std::invalid_argument("proxies/lstm: the numbers of the " + std::string(what) + " are " + std::to_string(is) +
                                  ", and GPUs count below 2147483648: take a smaller " + smaller);
  };
  count("gates of all steps", s.rows() * s.gates(), "batch, sequence or hidden");
  count("inputs of all steps", s.rows() * s.features, "batch, sequence or features");
  count("panels of weights", panels, "features or hidden");
  count("panels of gradients", gate_panels, "batch, sequence or hidden");
  count("turned inputs", s.inputs() * s.pitch(), "batch, sequence, features or hidden");
  return s;
}

/// The data lie on the device; the host has the same, to fill them from and to check them.
template <class Real>
class LstmCase final : public ApplicationData {
  using Panel = LstmPanel<Real>;

 public:
  using Arguments = LstmPieces<Real>;
  static constexpr int from_architecture() { return sizeof(Real) == 2 ? 75 : 0; }

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const LstmShape s = shape_of<Real>(p);
    return LstmGpuWork<Real>(s, variant_of(p), data_bytes(s, variant_of(p))).application();
  }

  LstmCase(const Parameters& p, DeviceMemory& memory)
      : variant_(variant_of(p)),
        host_(shape_of<Real>(p), {1, 1}, *std::pmr::new_delete_resource()),
        there_(s_, LstmGpuWork<Real>::panel_sizes(s_, variant_), memory),
        summed_(s_.of_backward(s_.weights_and_bias()), memory) {
    if (s_.is_forward)
      plan_forward();
    else
      plan_backward();
    finish_plan();
  }

  void take_place(int rank, int ranks) override { host_.take_place(rank, ranks); }
  const std::vector<Step>& steps() const override { return schedule_; }

  /// The sequences of the batch. A step's launches are whole.
  std::size_t extent() const override { return s_.batch; }
  void initialise(std::size_t begin, std::size_t end) override {
    host_.initialise(begin, end);
    const auto on_host = host_.arrays.data();
    const auto on_device = there_.data();
    for (std::size_t i = 0; i < on_host.size(); ++i)
      on_device[i]->fill(0, on_device[i]->size(), [&](std::size_t at) { return (*on_host[i])[at]; });
    summed_.fill(0, summed_.size(), [&](std::size_t at) { return host_.summed[at]; });
  }

  static void launch(const LstmPieces<Real>& x, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    const auto all = [&] {
      for (const LstmPiece<Real>& piece : x.pieces) launch_piece(piece, cuda::stream());
    };
    if (x.graph != nullptr) {
      std::vector<const void*> kernels;
      for (const LstmPiece<Real>& piece : x.pieces) kernels.push_back(kernel_of(piece));
      x.graph->launch(kernels, all);
    } else if (x.side != nullptr && x.pieces.size() == 2 && std::holds_alternative<LstmProduct<Real>>(x.pieces.front())) {
      x.side->run([&](cudaStream_t stream) { launch_piece(x.pieces[0], stream); },
                  [&](cudaStream_t stream) { launch_piece(x.pieces[1], stream); });
    } else {
      all();
    }
  }
  static void on_host(const LstmPieces<Real>& x, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    for (const LstmPiece<Real>& piece : x.pieces)
      std::visit(
          [](const auto& one) {
            if constexpr (requires { one.on_host(); })
              one.on_host();
            else
              lstm_product_on_host(one);
          },
          piece);
  }

  double error() const override {
    const auto on_host = host_.arrays.data();
    const auto on_device = there_.data();
    for (std::size_t i = 0; i < on_host.size(); ++i)
      on_device[i]->read(0, on_device[i]->size(), [&](std::size_t at, const Real& number) { (*on_host[i])[at] = number; });
    summed_.read(0, summed_.size(), [&](std::size_t at, double number) { host_.summed[at] = number; });
    return host_.error();
  }
  double tolerance() const override { return host_.tolerance(); }

 private:
  static std::uint64_t data_bytes(const LstmShape& s, LstmVariant variant) {
    const auto [panels, gate_panels] = LstmGpuWork<Real>::panel_sizes(s, variant);
    const std::uint64_t forward = s.rows() * (s.features + s.gates()) + s.weights_and_bias() + 3 * s.states() + 2 * s.before() + panels,
                        back = s.rows() * (s.features + s.gates()) + 3 * s.states() + 2 * s.before() + s.inputs() * s.pitch() +
                               s.weights_and_bias() + gate_panels;
    return (forward + (s.is_forward ? 0 : back)) * sizeof(Real) + (s.is_forward ? 0 : s.weights_and_bias() * sizeof(double));
  }

  template <class Number>
  static unsigned number(Number value) {
    return static_cast<unsigned>(value);
  }
  unsigned halves() const { return variant_ == LstmVariant::streams ? 2 : 1; }
  /// Adds a step of one phase; in a graph there is one alone, whose phase is the first.
  void add(std::size_t phase, std::vector<LstmPiece<Real>> pieces) {
    if (variant_ != LstmVariant::graph || plan_.empty())
      plan_.emplace_back(variant_ == LstmVariant::graph ? 0 : phase,
                         Arguments{.side = variant_ == LstmVariant::streams ? &side_ : nullptr});
    auto& of_step = plan_.back().second.pieces;
    of_step.insert(of_step.end(), pieces.begin(), pieces.end());
  }
  /// Adds what is done for so many elements of a step in time.
  template <class Body>
  void add_elements(std::size_t phase, std::size_t count, std::size_t step = 0, std::optional<std::uint64_t> trips = {}) {
    add(phase, {LstmElements<Body, Lstm<Real>>{there_.arguments(s_, LstmLoop::gates, step), count, trips}});
  }
  void add_panel(std::size_t phase, const Panel& panel) { add(phase, {pack(panel)}); }
  static LstmPiece<Real> pack(const Panel& panel) { return LstmElements<LstmPacked, Panel>{panel, panel.size()}; }
  void finish_plan() {
    for (auto& [phase, step] : plan_) {
      if (variant_ == LstmVariant::graph) step.graph = &graph_;
      schedule_.push_back({.phase = phase, .arguments = &step, .extent = 1});
    }
    if (s_.is_forward) return;
    const std::size_t sum = variant_ == LstmVariant::graph ? std::size_t{1} : std::size_t{LstmGpuBackPhase::sum};
    schedule_.push_back({.phase = sum, .exchange = [this](Peers& peers) { peers.add_up({summed_.data(), summed_.size()}); }});
  }

  const Real* weights_of_state() const { return there_.weights.data() + s_.features * s_.gates(); }
  /// The panels of columns of the weights, in parts.
  Panel panel_of(const Real* from, std::size_t panel, std::size_t depth, unsigned parts) const {
    return {from, there_.panels.data() + panel, number(depth), number(s_.gates() / parts), parts, s_.gates(), 1};
  }
  /// The products of rows by the parts of a panel, whose results lie one beside the other.
  std::vector<LstmPiece<Real>> by_parts(LstmProduct<Real> product, unsigned parts) const {
    std::vector<LstmPiece<Real>> pieces;
    product.columns /= parts;
    for (unsigned part = 0; part < parts; ++part) {
      pieces.push_back(product);
      product.panel += Panel::size_of(product.depth, product.columns);
      product.out += product.columns;
      if (product.first != nullptr) product.first += product.columns;
    }
    return pieces;
  }

  void plan_forward() {
    const std::size_t of_state = 2 * Panel::size_of(s_.features, s_.gates() / 2), gates = s_.gates();
    const unsigned across = number(gates);
    const auto inputs = by_parts({.left = there_.inputs.data(),
                                  .panel = there_.panels.data(),
                                  .first = there_.weights.data() + s_.weights(),
                                  .out = there_.gates.data(),
                                  .rows = number(s_.rows()),
                                  .columns = across,
                                  .depth = number(s_.features),
                                  .pitch = number(s_.features),
                                  .first_pitch = 0,
                                  .out_pitch = across},
                                 2);
    for (const LstmLaunch& launch : lstm_forward_launches(s_)) {
      const auto phase = static_cast<std::size_t>(launch.phase);
      switch (launch.phase) {
        case LstmPhase::input_weights:
          add_panel(phase, panel_of(there_.weights.data(), 0, s_.features, 2));
          break;
        case LstmPhase::recurrent_weights:
          add_panel(phase, panel_of(weights_of_state(), of_state, s_.hidden, halves()));
          break;
        case LstmPhase::input:
          if (variant_ != LstmVariant::streams)
            add(phase, {inputs[launch.half]});
          else if (launch.half == 0)
            add(phase, inputs);
          break;
        case LstmPhase::recurrent: {
          Real* const of_step = there_.gates.data() + *launch.step * s_.batch * gates;
          add(phase, by_parts({.left = there_.hidden_state.data() + *launch.step * s_.before(),
                               .panel = there_.panels.data() + of_state,
                               .first = of_step,
                               .out = of_step,
                               .rows = number(s_.batch),
                               .columns = across,
                               .depth = number(s_.hidden),
                               .pitch = number(s_.hidden),
                               .first_pitch = across,
                               .out_pitch = across},
                              halves()));
          break;
        }
        case LstmPhase::gates:
          add_elements<LstmForwardCell>(phase, s_.before(), *launch.step);
          break;
      }
    }
  }

  /// Rows of the gates' gradient by turned weights.
  LstmPiece<Real> back_product(const Real* gradient, std::size_t panel, Real* out, std::size_t rows, std::size_t columns) const {
    const unsigned gates = number(s_.gates());
    return LstmProduct<Real>{.left = gradient,
                             .panel = there_.panels.data() + panel,
                             .first = nullptr,
                             .out = out,
                             .rows = number(rows),
                             .columns = number(columns),
                             .depth = gates,
                             .pitch = gates,
                             .first_pitch = 0,
                             .out_pitch = number(columns)};
  }
  void plan_backward() {
    using Phase = LstmGpuBackPhase;
    const std::size_t gates = s_.gates(), of_state = Panel::size_of(gates, s_.features);
    const auto turned = [&](const Real* from, std::size_t panel, std::size_t columns) {
      return pack({from, there_.panels.data() + panel, number(gates), number(columns), 1, 1, gates});
    };
    plan_.reserve(8 + 2 * s_.sequence);
    add(Phase::turned_weights, {turned(there_.weights.data(), 0, s_.features), turned(weights_of_state(), of_state, s_.hidden)});
    for (std::size_t step = s_.sequence; step-- != 0;) {
      add_elements<LstmBackwardCell>(Phase::back_gates, s_.before(), step);
      add(Phase::back_recurrent, {back_product(there_.gate_gradient.data() + step * s_.batch * gates, of_state,
                                               there_.hidden_gradient.data() + step * s_.before(), s_.batch, s_.hidden)});
    }
    add(Phase::back_input, {back_product(there_.gate_gradient.data(), 0, there_.input_gradient.data(), s_.rows(), s_.features)});
    add_elements<LstmTurned>(Phase::turned_inputs, s_.inputs() * s_.rows());
    add_panel(Phase::packed_gates,
              {there_.gate_gradient.data(), there_.gate_panels.data(), number(s_.rows()), number(gates / halves()), halves(), gates, 1});
    add(Phase::back_weights, by_parts({.left = there_.turned.data(),
                                       .panel = there_.gate_panels.data(),
                                       .first = nullptr,
                                       .out = there_.weight_gradient.data(),
                                       .rows = number(s_.inputs()),
                                       .columns = number(gates),
                                       .depth = number(s_.rows()),
                                       .pitch = number(s_.pitch()),
                                       .first_pitch = 0,
                                       .out_pitch = number(gates)},
                                      halves()));
    add_elements<LstmBiasSum>(Phase::back_bias, gates, 0, s_.rows() - 1);
    add(Phase::converted,
        {LstmElements<LstmConverted, LstmConversion<Real>>{{there_.weight_gradient.data(), summed_.data()}, s_.weights_and_bias()}});
  }

  LstmVariant variant_;
  mutable LstmData<Real> host_;  // what lies on the device, as it was last read
  const LstmShape& s_ = host_.s;
  mutable LstmArrays<Real, DeviceArray> there_;
  DeviceArray<double> summed_;
  std::vector<std::pair<std::size_t, Arguments>> plan_;  // phases, and what is launched in each
  std::vector<Step> schedule_;
  cuda::SideStream side_;
  cuda::Graph graph_;
};

KernelFacts lstm_facts_of_gpu() {
  // Whole tiles and others, one step of the depth and some, rows that no vector divides.
  ProofSizes proof{.edges = lstm_points({{"forward", 16, 2, 32, 16},
                                         {"forward", 13, 2, 5, 35},
                                         {"forward", 1, 1, 131, 3},
                                         {"backward", 16, 2, 32, 32},
                                         {"backward", 5, 3, 35, 19},
                                         {"backward", 1, 2, 3, 40}})};
  std::vector<Parameters> edges;
  for (const char* variant : {"launches", "streams"})
    for (Parameters point : proof.edges) {
      point.set("variant", std::string(variant));
      edges.push_back(point);
    }
  proof.edges = edges;
  KernelFacts all = lstm_facts(std::move(proof));
  all.parameters.push_back(
      {.name = "variant",
       .preset = std::string("launches"),
       .description = "on GPUs: kernels one after the other, both halves of the gates side by side in two streams, or all as one graph",
       .choices = {"launches", "streams", "graph"}});
  return all;
}

const cuda::Register<LstmCase, double, float, Fp16> lstm_registered{lstm_facts_of_gpu()};

}  // namespace
}  // namespace plumbline
