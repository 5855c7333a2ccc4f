// The heat equation in two dimensions, periodic, by explicit steps in time: a small application, which shows what one is made of
// (proxies/README.md), on CPUs (heat2d.cpp) and GPUs (heat2d.cu). Each rank has n rows of n points; rows at its edges go to the ranks
// before and after it.
#pragma once
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/kernel_data.hpp"
#include "core/rounding.hpp"
#include "proxies/grids/heat2d_loop.hpp"

namespace plumbline {

inline constexpr double heat_courant = 0.2;                      // diffusivity * step in time / spacing^2; stable below 1/4
inline constexpr double heat_mean = 0.75, heat_amplitude = 0.2;  // of the temperatures at first

/// The temperatures are a mean and one wave in each direction, which fades by a factor that is known: u(i, j) of the whole grid.
struct HeatWave {
  std::uint64_t rows, columns;

  long double angle(std::uint64_t length) const {
    const std::uint64_t waves = std::max<std::uint64_t>(1, length / 8);
    return 2 * std::numbers::pi_v<long double> * static_cast<long double>(waves) / static_cast<long double>(length);
  }
  long double factor_of_step() const {
    return 1 + 2 * static_cast<long double>(heat_courant) * (std::cos(angle(rows)) + std::cos(angle(columns)) - 2);
  }
  long double at(std::uint64_t i, std::uint64_t j, long double faded) const {
    return heat_mean + heat_amplitude * faded * std::cos(angle(rows) * static_cast<long double>(i)) *
                           std::cos(angle(columns) * static_cast<long double>(j));
  }
};

/// The data, the schedule and the check, without the operations: how those are fused and summed is the loop's.
template <class Real, template <class> class ArrayOf>
class HeatData : public ApplicationData {
 public:
  using Arguments = Heat2d<Real>;
  using Memory = typename ArrayOf<Real>::Memory;
  enum Phases : std::size_t { halo, update, energy, total, sum };

  /// The phases with what they send and move; each has no operations yet.
  static ApplicationWork traffic(const Parameters& p) {
    const std::uint64_t n = p.integer("n"), points = n * n, steps = p.integer("steps"), row = n * sizeof(Real);
    Stream in = loaded<Real>("in", points + 2 * n);
    in.loads = 5 * points;
    in.layers.push_back({.reuse_bytes = 4 * row, .fetched_bytes = 3 * n * row});  // from row to row three of `in` and one of `out` pass
    Work of_update, of_energy, of_total;
    of_update.streams = {in, stored<Real>("out", points)};
    of_energy.streams = {loaded<Real>("in", points), stored<Real>("of_rows", n)};
    of_total.streams = {loaded<Real>("of_rows", n), stored<double>("all", 1)};
    ApplicationWork heat;
    heat.data_bytes = 2 * (n + 2) * row + row;
    heat.phases = {{.name = "halo", .entries = steps, .messages = 2, .message_bytes = 2 * row},
                   {.name = "update", .work = of_update, .entries = steps},
                   {.name = "energy", .work = of_energy},
                   {.name = "total", .work = of_total},
                   {.name = "sum", .messages = 1, .message_bytes = sizeof(double)}};
    return heat;
  }

  HeatData(const Parameters& p, Memory& memory)
      : n_(p.integer("n")),
        steps_(p.integer("steps")),
        one_((n_ + 2) * n_, memory),
        other_(one_.size(), memory),
        initial_(n_ * n_, memory),
        of_rows_(n_, memory),
        all_(1, memory),
        unknown_(1, memory) {
    Arguments there{.loop = HeatLoop::update,
                    .n = n_,
                    .in = one_.data(),
                    .out = other_.data(),
                    .of_rows = of_rows_.data(),
                    .all = all_.data(),
                    .four = Real(4),
                    .courant = Real(heat_courant)};
    Arguments back = there;
    back.in = other_.data(), back.out = one_.data();
    const Arguments& last = steps_ % 2 == 0 ? there : back;  // whose input is what the last step left
    arguments_ = {there, back, last, last};
    arguments_[2].loop = HeatLoop::energy;
    arguments_[3].loop = HeatLoop::total;
    for (std::uint64_t step = 0; step < steps_; ++step) {
      Real* const rows = (step % 2 == 0 ? one_ : other_).data();
      schedule_.push_back({.phase = halo, .exchange = [this, rows](Peers& peers) { exchange_edges(rows, peers); }});
      schedule_.push_back({.phase = update, .arguments = &arguments_[step % 2], .extent = n_});
    }
    schedule_.push_back({.phase = energy, .arguments = &arguments_[2], .extent = n_});
    schedule_.push_back({.phase = total, .arguments = &arguments_[3], .extent = 1});
    schedule_.push_back({.phase = sum, .exchange = [this](Peers& peers) { peers.add_up({all_.data(), 1}); }});
  }

  void take_place(int rank, int ranks) override {
    first_row_ = static_cast<std::uint64_t>(rank) * n_;
    wave_ = {static_cast<std::uint64_t>(ranks) * n_, n_};
  }
  const std::vector<Step>& steps() const override { return schedule_; }

  std::size_t extent() const override { return n_; }
  void initialise(std::size_t begin, std::size_t end) override {
    initial_.fill(begin * n_, end * n_,
                  [this](std::size_t i) { return Real(static_cast<double>(wave_.at(first_row_ + i / n_, i % n_, 1))); });
    if (begin == 0) unknown_.fill(0, 1, [](std::size_t) { return 0.5; });
    restore(begin, end);
  }
  bool restores() const override { return true; }
  /// All that a sweep computes becomes a temperature of the beginning, which none of it is to be. Neighbours' rows belong to the threads of
  /// the rows beside them.
  void restore(std::size_t begin, std::size_t end) override {
    for (ArrayOf<Real>* const rows : {&one_, &other_}) {
      rows->copy((begin + 1) * n_, initial_, begin * n_, (end - begin) * n_);
      if (begin == 0) rows->copy(0, initial_, 0, n_);
      if (end == n_) rows->copy((n_ + 1) * n_, initial_, (n_ - 1) * n_, n_);
    }
    of_rows_.copy(begin, initial_, begin * n_, end - begin);
    if (begin == 0) all_.copy(0, unknown_, 0, 1);
  }

  /// The largest error of a temperature, and that of the energy of all ranks as far as its sum has more roundings.
  double error() const override {
    LargestError largest;
    const ArrayOf<Real>& rows = steps_ % 2 == 0 ? one_ : other_;
    const long double faded = std::pow(wave_.factor_of_step(), static_cast<long double>(steps_));
    rows.read(n_, (n_ + 1) * n_, [&](std::size_t i, const Real& temperature) {
      largest.compare(temperature, wave_.at(first_row_ + i / n_ - 1, i % n_, faded));
    });
    long double exact = 0;
    for (std::uint64_t i = 0; i < wave_.rows; ++i)
      for (std::size_t j = 0; j < n_; ++j) exact += std::pow(wave_.at(i, j, faded), 2.0L);
    largest.compare(all_.to_host()[0], exact,
                    exact * static_cast<long double>(roundings() + 2 * n_) / static_cast<long double>(roundings()));
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(static_cast<double>(2 * roundings())); }

 private:
  /// A temperature has so many roundings: of the value at first, the constants, and seven operations a step.
  std::uint64_t roundings() const { return 3 + 8 * steps_; }

  void exchange_edges(Real* rows, Peers& peers) const {
    const std::size_t bytes = n_ * sizeof(Real);
    const int before = (peers.rank() + peers.ranks() - 1) % peers.ranks(), after = (peers.rank() + 1) % peers.ranks();
    const Peers::Message up{.sent = rows + n_, .to = before, .received = rows + (n_ + 1) * n_, .from = after, .bytes = bytes};
    const Peers::Message down{.sent = rows + n_ * n_, .to = after, .received = rows, .from = before, .bytes = bytes};
    const Peers::Message both[] = {up, down};
    peers.exchange(both);
  }

  std::uint64_t n_, steps_;
  ArrayOf<Real> one_, other_, initial_, of_rows_;
  ArrayOf<double> all_, unknown_;  // the energy of all ranks, and what it is before a sweep
  std::uint64_t first_row_ = 0;
  HeatWave wave_{1, 1};
  std::array<Arguments, 4> arguments_{};
  std::vector<Step> schedule_;
};

inline KernelFacts heat2d_facts() {
  const auto heat = [](std::int64_t n, std::int64_t steps) { return Parameters{{"n", n}, {"steps", steps}}; };
  return {"proxies/heat2d",
          "2-D heat equation, explicit steps, halos exchanged between ranks: the smallest application",
          {{.name = "n", .preset = std::int64_t{512}, .description = "rows of a rank, and points of a row", .max = std::int64_t{1} << 20},
           {.name = "steps", .preset = std::int64_t{4}, .description = "steps in time", .max = 1000}},
          {.edges = {heat(67, 3)}, .caches = {heat(16, 2), heat(60, 3), heat(130, 1), heat(300, 1)}}};
}

}  // namespace plumbline
