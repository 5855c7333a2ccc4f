// The heat equation in two dimensions, periodic, by explicit steps in time: a small application, which shows what one is made of
// (proxies/README.md). Each rank has n rows of n points; rows at its edges go to the ranks before and after it.
#include <cmath>
#include <numbers>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"
#include "heat2d.flavors.hpp"
#include "proxies/grids/heat2d_loop.hpp"

namespace plumbline {
namespace {

enum HeatPhase : std::size_t { halo, update, energy, total, sum };

constexpr double courant = 0.2;                 // diffusivity * step in time / spacing^2; stable below 1/4
constexpr double mean = 0.75, amplitude = 0.2;  // of the temperatures at first

/// The temperatures are a mean and one wave in each direction, which fades by a factor that is known: u(i, j) of the whole grid.
struct HeatWave {
  std::uint64_t rows, columns;

  long double angle(std::uint64_t length) const {
    const std::uint64_t waves = std::max<std::uint64_t>(1, length / 8);
    return 2 * std::numbers::pi_v<long double> * static_cast<long double>(waves) / static_cast<long double>(length);
  }
  long double factor_of_step() const {
    return 1 + 2 * static_cast<long double>(courant) * (std::cos(angle(rows)) + std::cos(angle(columns)) - 2);
  }
  long double at(std::uint64_t i, std::uint64_t j, long double faded) const {
    return mean +
           amplitude * faded * std::cos(angle(rows) * static_cast<long double>(i)) * std::cos(angle(columns) * static_cast<long double>(j));
  }
};

template <class Real>
class HeatCase final : public ApplicationData {
 public:
  using Arguments = Heat2d<Real>;

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n, steps = p.integer("steps"), real = sizeof(Real), row = n * real;
    ApplicationWork heat;
    heat.data_bytes = 2 * (n + 2) * row + n * real;
    heat.phases = {
        {.name = "halo", .entries = steps, .messages = 2, .message_bytes = 2 * row},
        {.name = "update",
         .work = {.flops = {{flops<Real>("add"), 5 * points}, {flops<Real>("mul"), 2 * points}},
                  .streams = {{.array = "in",
                               .footprint_bytes = (n + 2) * row,
                               .read = true,
                               .loads = 5 * points,
                               .element_bytes = real,
                               // From one row to the next three rows of `in` and one of `out` pass.
                               .layers = {{.reuse_bytes = 4 * row, .fetched_bytes = 3 * n * row}}},
                              {.array = "out", .footprint_bytes = n * row, .written = true, .stores = points, .element_bytes = real}}},
         .entries = steps},
        {.name = "energy",
         .work = {.flops = {{flops<Real>("add"), points - n}, {flops<Real>("mul"), points}},
                  .streams = {{.array = "in", .footprint_bytes = n * row, .read = true, .loads = points, .element_bytes = real},
                              {.array = "of_rows", .footprint_bytes = n * real, .written = true, .stores = n, .element_bytes = real}}}},
        {.name = "total",
         .work = {.flops = {{flops<Real>("add"), n - 1}},
                  .streams = {{.array = "of_rows", .footprint_bytes = n * real, .read = true, .loads = n, .element_bytes = real},
                              {.array = "all", .footprint_bytes = real, .written = true, .stores = 1, .element_bytes = real}}}},
        {.name = "sum", .messages = 1, .message_bytes = sizeof(double)}};
    heat.phases[update].work.add_outer_loop(n, 4 * row);
    heat.phases[energy].work.add_outer_loop(n, row);
    return heat;
  }

  HeatCase(const Parameters& p, std::pmr::memory_resource& memory)
      : n_(p.integer("n")),
        steps_(p.integer("steps")),
        one_((n_ + 2) * n_, memory),
        other_(one_.size(), memory),
        initial_(n_ * n_, memory),
        of_rows_(n_, memory),
        all_(1, memory) {
    Arguments there{.loop = HeatLoop::update,
                    .n = n_,
                    .in = one_.data(),
                    .out = other_.data(),
                    .of_rows = of_rows_.data(),
                    .all = all_.data(),
                    .four = Real(4),
                    .courant = Real(courant)};
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
    schedule_.push_back({.phase = sum, .exchange = [this](Peers& peers) {
                           energy_ = static_cast<double>(all_[0]);
                           peers.add_up({&energy_, 1});
                         }});
  }

  void take_place(int rank, int ranks) override {
    first_row_ = static_cast<std::uint64_t>(rank) * n_;
    wave_ = {static_cast<std::uint64_t>(ranks) * n_, n_};
  }
  const std::vector<Step>& steps() const override { return schedule_; }

  std::size_t extent() const override { return n_; }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t r = begin; r < end; ++r)
      for (std::size_t j = 0; j < n_; ++j) initial_[r * n_ + j] = Real(static_cast<double>(wave_.at(first_row_ + r, j, 1)));
    restore(begin, end);
  }
  bool restores() const override { return true; }
  /// Neighbours' rows belong to the threads of the rows beside them.
  void restore(std::size_t begin, std::size_t end) override {
    const auto clear = [&](Array<Real>& rows, std::size_t r) { std::fill_n(rows.data() + r * n_, n_, Real(0.5)); };
    for (std::size_t r = begin; r < end; ++r) {
      std::copy_n(initial_.data() + r * n_, n_, one_.data() + (r + 1) * n_);
      clear(other_, r + 1);
      of_rows_[r] = Real(0.5);
    }
    if (begin == 0) clear(one_, 0), clear(other_, 0), all_[0] = Real(0.5), energy_ = 0;
    if (end == n_) clear(one_, n_ + 1), clear(other_, n_ + 1);
  }

  /// The largest error of a temperature, and that of the energy of all ranks as far as its sum has more roundings.
  double error() const override {
    LargestError largest;
    const Array<Real>& rows = steps_ % 2 == 0 ? one_ : other_;
    const long double faded = std::pow(wave_.factor_of_step(), static_cast<long double>(steps_));
    for (std::size_t r = 0; r < n_; ++r)
      for (std::size_t j = 0; j < n_; ++j) largest.compare(rows[(r + 1) * n_ + j], wave_.at(first_row_ + r, j, faded));
    long double exact = 0;
    for (std::uint64_t i = 0; i < wave_.rows; ++i)
      for (std::size_t j = 0; j < n_; ++j) exact += std::pow(wave_.at(i, j, faded), 2.0L);
    largest.compare(energy_, exact, exact * static_cast<long double>(roundings() + 2 * n_) / static_cast<long double>(roundings()));
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
  Array<Real> one_, other_, initial_, of_rows_, all_;
  double energy_ = 0;  // of all ranks
  std::uint64_t first_row_ = 0;
  HeatWave wave_{1, 1};
  std::array<Arguments, 4> arguments_{};
  std::vector<Step> schedule_;
};

Parameters heat(std::int64_t n, std::int64_t steps) { return {{"n", n}, {"steps", steps}}; }

const Register<HeatCase> registered{
    "proxies/heat2d",
    "2-D heat equation, explicit steps, halos exchanged between ranks: the smallest application",
    {{.name = "n", .preset = std::int64_t{512}, .description = "rows of a rank, and points of a row", .max = std::int64_t{1} << 20},
     {.name = "steps", .preset = std::int64_t{4}, .description = "steps in time", .max = 1000}},
    heat2d_flavors,
    {.edges = {heat(67, 3)}, .caches = {heat(16, 2), heat(60, 3), heat(130, 1), heat(300, 1)}}};

}  // namespace
}  // namespace plumbline
