// The launches of an LSTM's forward pass, as data: what a GPU is given one after the other, and the steps of a sweep here.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "proxies/networks/lstm_activation.hpp"

namespace plumbline {

/// The sizes of a layer: sequences of a batch, steps in time of each, features of an input, cells.
struct LstmSizes {
  std::uint64_t batch, sequence, features, hidden;

  std::uint64_t rows() const { return sequence * batch; }
  std::uint64_t gates() const { return 4 * hidden; }
  std::uint64_t inputs() const { return features + hidden; }  // of a cell
  /// The FLOPs of the products of a forward pass; twice as many go back.
  std::uint64_t product_flops() const { return 2 * rows() * gates() * inputs(); }
};

/// Kinds of launches as a profile tells them apart.
enum class LaunchKind { without_flops, tensor_product, product, element_wise };
/// The phases of a forward pass, in the order in which they are first entered.
enum class LstmPhase { input_weights, recurrent_weights, input, recurrent, gates };
inline constexpr std::string_view lstm_phase_names[] = {"input_weights", "recurrent_weights", "input", "recurrent", "gates"};

struct LstmLaunch {
  LstmPhase phase;
  LaunchKind kind;
  std::uint64_t flops;
  std::optional<std::uint64_t> step = {};  // in time, of which it is; none where it is of all
  std::uint64_t half = 0;                  // of the gates, where each is launched by itself
};

/// The operations of a cell's step beside the products: three logistic functions, two tangents, f c + i g and o tanh c.
inline constexpr std::uint64_t lstm_cell_sums = 5 * lstm_tanh_sums + 3 + 1, lstm_cell_products = 5 * lstm_tanh_products + 3 + 2 + 1,
                               lstm_cell_quotients = 5;
inline constexpr std::uint64_t lstm_cell_flops = lstm_cell_sums + lstm_cell_products + lstm_cell_quotients;

/// The launches of a forward pass: 4, and two for each step in time. The numbers are the paper's (Wang, Yang, Farrell, Zhang, Kurth,
/// Williams 2020, section IV.B): PyTorch's 36 for 16 steps were 16 products of matrices, as many element-wise ones beside them, 2 products
/// by tensor cores in half precision and 2 without FLOPs. It says what the first 32 do, a step in time each; what the other four do is read
/// into it here: the inputs of all steps are multiplied at once, as cuDNN does (Appleyard, Kocisky, Blunsom 2016), by half of the gates
/// each time, and both parts of the weights are brought into order first. FLOPs are those of the loops here.
inline std::vector<LstmLaunch> lstm_forward_launches(const LstmSizes& s) {
  std::vector<LstmLaunch> launches{{LstmPhase::input_weights, LaunchKind::without_flops, 0},
                                   {LstmPhase::recurrent_weights, LaunchKind::without_flops, 0}};
  for (std::uint64_t half = 0; half < 2; ++half)
    launches.push_back(
        {.phase = LstmPhase::input, .kind = LaunchKind::tensor_product, .flops = 2 * s.rows() * s.gates() / 2 * s.features, .half = half});
  for (std::uint64_t step = 0; step < s.sequence; ++step) {
    launches.push_back({LstmPhase::recurrent, LaunchKind::product, 2 * s.batch * s.gates() * s.hidden, step});
    launches.push_back({LstmPhase::gates, LaunchKind::element_wise, lstm_cell_flops * s.batch * s.hidden, step});
  }
  return launches;
}

}  // namespace plumbline
