// Latency by working set is measured by a chain of dependent loads through all lines of 64 bytes, each visited once a round, in an order
// that no prefetcher knows (lmbench's lat_mem_rd with random order, McVoy and Staelin 1996).
#include "ert/chase.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "chase.flavors.hpp"
#include "core/kernel_data.hpp"

namespace plumbline {
namespace {

static_assert(sizeof(ChaseLine) == 64 && sizeof(ChaseState) == 64);

/// A random permutation of [0, size) in closed form, both ways: a round through memory is laid out, and checked, from front to back.
/// A number is two digits, each moved by a random amount for each value of the other (three rounds of a Feistel network), again where
/// that leads beyond `size` (Black and Rogaway 2002).
class RandomOrder {
 public:
  RandomOrder(std::uint64_t size, std::uint64_t seed)
      : size_(size),
        high_(root_above(size)),
        low_((size + high_ - 1) / high_),
        reciprocal_(1 / static_cast<double>(low_)),
        first_(shifts(3 * seed, low_, high_)),
        second_(shifts(3 * seed + 1, high_, low_)),
        third_(shifts(3 * seed + 2, low_, high_)) {}

  /// The k-th of the order.
  std::uint64_t at(std::uint64_t k) const {
    do {
      auto [high, low] = digits(k);
      high = sum(high, first_[low], high_);
      low = sum(low, second_[high], low_);
      high = sum(high, third_[low], high_);
      k = high * low_ + low;
    } while (k >= size_);
    return k;
  }
  /// The place of `i` in the order: at(place(i)) = i.
  std::uint64_t place(std::uint64_t i) const {
    do {
      auto [high, low] = digits(i);
      high = sum(high, high_ - third_[low], high_);
      low = sum(low, low_ - second_[high], low_);
      high = sum(high, high_ - first_[low], high_);
      i = high * low_ + low;
    } while (i >= size_);
    return i;
  }
  /// The line that follows `i`, round and round.
  std::uint64_t after(std::uint64_t i) const {
    const std::uint64_t k = place(i) + 1;
    return at(k < size_ ? k : 0);
  }

 private:
  static std::uint64_t root_above(std::uint64_t x) {
    auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(x)));
    while (root * root < x) ++root;
    return root;
  }
  /// A random number below `limit` for each value of a digit.
  static std::vector<std::uint32_t> shifts(std::uint64_t seed, std::uint64_t values, std::uint64_t limit) {
    std::vector<std::uint32_t> all(values);
    for (std::uint64_t i = 0; i < values; ++i)
      all[i] = static_cast<std::uint32_t>((varied(seed, i) - 0.5) * 2 * static_cast<double>(limit));
    return all;
  }
  /// The quotient and remainder by low_, without the slow division.
  std::pair<std::uint64_t, std::uint64_t> digits(std::uint64_t k) const {
    auto high = static_cast<std::uint64_t>(static_cast<double>(k) * reciprocal_);
    high -= high * low_ > k;
    high += k - high * low_ >= low_;
    return {high, k - high * low_};
  }
  /// The sum (a + b) mod `modulus` of two numbers up to it, without a branch that nobody could predict.
  static std::uint64_t sum(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
    const std::uint64_t difference = a + b - modulus;
    return difference + (modulus & -(difference >> 63));
  }

  std::uint64_t size_, high_, low_;  // high_ x low_ just reaches size_: two digits
  double reciprocal_;
  std::vector<std::uint32_t> first_, second_, third_;  // by how much the high, low and high digit is moved, for each value of the other
};

template <class Real>
class ChaseCase final : public KernelData<Chase<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t chains = p.integer("chains"), n = p.integer("n"), steps = p.integer("steps"), line = sizeof(ChaseLine);
    Stream lines{
        .array = "lines", .footprint_bytes = chains * n * line, .read = true, .loads = chains * steps, .element_bytes = sizeof(void*)};
    if (steps < n) lines.touched_bytes = chains * steps * line;
    if (steps > n) lines.layers = {{.reuse_bytes = n * line, .fetched_bytes = chains * steps * line}};
    return {.streams = {lines}};
  }

  ChaseCase(const Parameters& p, std::pmr::memory_resource& memory)
      : n_(p.integer("n")), lines_(n_ * p.integer("chains"), memory), chains_(p.integer("chains"), memory) {
    arguments_ = {chains_.data(), p.integer("steps")};
  }

  std::size_t extent() const override { return chains_.size(); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t chain = begin; chain < end; ++chain) {
      const RandomOrder order(n_, chain);
      ChaseLine* const lines = &lines_[chain * n_];
      chains_[chain] = {.at = lines + order.at(0), .loads = 0, .unused = {}};
      for (std::uint64_t i = 0; i < n_; ++i) {
        const std::uint64_t varied_bits = (i + 1) * 0x9e3779b97f4a7c15U;
        lines[i].next = lines + order.after(i);
        for (unsigned k = 0; k < 7; ++k) lines[i].filler[k] = varied_bits ^ varied_bits << (k + 1);
      }
    }
  }

  /// The error is 0 where every chain is one round through all its lines, and stands where its loads lead; else, or where it was never
  /// swept, 1.
  double error() const override {
    for (std::size_t chain = 0; chain < chains_.size(); ++chain)
      if (!is_right(chain)) return 1;
    return 0;
  }
  double tolerance() const override { return 0; }

 private:
  bool is_right(std::size_t chain) const {
    const RandomOrder order(n_, chain);
    const ChaseLine* const lines = &lines_[chain * n_];
    const ChaseState& state = chains_[chain];
    if (state.loads == 0 || state.loads % arguments_.steps != 0 || state.at != lines + order.at(state.loads % n_)) return false;
    for (std::uint64_t i = 0; i < n_; ++i)
      if (lines[i].next != lines + order.after(i)) return false;
    return true;
  }

  std::size_t n_;
  Array<ChaseLine> lines_;
  Array<ChaseState> chains_;
  using KernelData<Chase<Real>>::arguments_;
};

Parameters chase(std::int64_t n, std::int64_t steps, std::int64_t chains) { return {{"n", n}, {"steps", steps}, {"chains", chains}}; }

const Register<ChaseCase, double> registered{
    "ert/chase",
    "Latency: dependent loads through all lines in random order (lat_mem_rd, McVoy and Staelin 1996)",
    {{.name = "n", .preset = std::int64_t{4096}, .description = "lines of 64 bytes of each chain", .max = std::int64_t{1} << 40},
     {.name = "steps",
      .preset = std::int64_t{4096},
      .description = "loads on each chain in one sweep, which goes on where the last one stopped"},
     {.name = "chains", .preset = std::int64_t{1}, .description = "one for each thread, which the team divides", .max = 1 << 20}},
    chase_flavors,
    {.caches = {chase(50, 50, 1), chase(300, 1000, 1), chase(1000, 1000, 1), chase(4000, 9000, 1), chase(5000, 1500, 1),
                chase(40000, 40000, 1), chase(40000, 10000, 3)}}};

}  // namespace
}  // namespace plumbline
