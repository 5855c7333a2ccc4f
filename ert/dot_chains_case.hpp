// Cases of dot products share this, whatever their numbers: blocks of sums, two dot products an iteration (with b, then with c), and a
// check that allows no difference.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/kernel_data.hpp"
#include "ert/dot_chains.hpp"

namespace plumbline {

/// A case over `Numbers`, which has the types Loop (the flavored loop's arguments), A and B (of the factors); `flops`, the quantity;
/// `of_dot`, products a dot product; `element_bytes` of a factor; start(i), a(k), b(k), c(k), whose sums a double holds exactly;
/// stored<T>(number).
template <class Numbers>
class DotChainsCase : public KernelData<typename Numbers::Loop> {
  using Loop = typename Numbers::Loop;
  using Sum = typename Loop::Sum;
  static constexpr std::size_t factors = Numbers::of_dot * dot_lanes;

 public:
  static Work model(const Parameters& p, std::string_view) {
    constexpr std::uint64_t dots = 2, bytes = 4, loads = 3 * factors;
    const std::uint64_t sums = p.integer("blocks") * dot_sums;
    return {.flops = {{Numbers::flops, sums * p.integer("iterations") * dots * Numbers::of_dot}},
            .streams = {{.array = "start", .footprint_bytes = sums * bytes, .read = true, .loads = sums, .element_bytes = bytes},
                        {.array = "result", .footprint_bytes = sums * bytes, .written = true, .stores = sums, .element_bytes = bytes},
                        {.array = "factors",
                         .footprint_bytes = loads * Numbers::element_bytes,
                         .read = true,
                         .loads = loads,
                         .element_bytes = Numbers::element_bytes,
                         .shared = true}}};
  }

  DotChainsCase(const Parameters& p, std::pmr::memory_resource& memory)
      : blocks_(p.integer("blocks")),
        start_(blocks_ * dot_sums, memory),
        result_(start_.size(), memory),
        a_(factors, memory),
        b_(factors, memory),
        c_(factors, memory) {
    arguments_ = {static_cast<std::size_t>(p.integer("iterations")), start_.data(), result_.data(), a_.data(), b_.data(), c_.data()};
  }

  std::size_t extent() const override { return blocks_; }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin * dot_sums; i < end * dot_sums; ++i) {
      start_[i] = Sum(Numbers::start(i));
      result_[i] = Sum(-1);
    }
    if (begin == 0)
      for (std::size_t k = 0; k < factors; ++k) {
        a_[k] = Numbers::template stored<typename Numbers::A>(Numbers::a(k));
        b_[k] = Numbers::template stored<typename Numbers::B>(Numbers::b(k));
        c_[k] = Numbers::template stored<typename Numbers::B>(Numbers::c(k));
      }
  }

  double error() const override {
    double worst = 0;
    for (std::size_t i = 0; i < result_.size(); ++i) {
      const double error = std::fabs(static_cast<double>(result_[i]) - expected(i));
      worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error);
    }
    return worst;
  }
  double tolerance() const override { return 0; }

 private:
  double expected(std::size_t i) const {
    const std::size_t first = i % dot_lanes * Numbers::of_dot;
    double iteration = 0;
    for (std::size_t k = first; k < first + Numbers::of_dot; ++k)
      iteration += static_cast<double>(Numbers::a(k)) * static_cast<double>(Numbers::b(k) + Numbers::c(k));
    return static_cast<double>(Numbers::start(i)) + static_cast<double>(arguments_.iterations) * iteration;
  }

  std::size_t blocks_;
  Array<Sum> start_, result_;
  Array<typename Numbers::A> a_;
  Array<typename Numbers::B> b_, c_;
  using KernelData<Loop>::arguments_;
};

/// A varied whole number in [lo, hi).
inline double varied_between(double lo, double hi, std::uint64_t stream, std::size_t i) {
  return std::floor(lo + (hi - lo) * (2 * varied(stream, i) - 1));
}

/// The parameters of such a kernel.
inline std::vector<ParameterSpec> dot_chain_parameters() {
  return {{.name = "iterations", .preset = std::int64_t{100}, .description = "of the inner loop", .max = 1 << 18},
          {.name = "blocks", .preset = std::int64_t{8}, .description = "of 384 sums, which the team divides", .max = 1 << 20}};
}

}  // namespace plumbline
