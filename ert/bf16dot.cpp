// The ceiling of bf16: dot products of pairs of bf16 numbers added to fp32 sums, four FLOPs a lane (AVX512_BF16's VDPBF16PS, Arm's BFDOT).
#include "ert/bf16dot.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "bf16dot.flavors.hpp"
#include "core/array.hpp"
#include "core/kernel.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t flops_of_dot = 2;  // multiply-adds
constexpr std::uint64_t dots = 2;          // of an iteration: with b, and with c
constexpr double unit = 0x1p-8;            // of the factors; products are multiples of its square
constexpr std::size_t factors = 2 * bf16dot_lanes;

/// The type that the flavored loop sees: a bf16 number as its bits.
template <class Real>
struct Stored {
  using type = Real;
};
template <>
struct Stored<Bf16> {
  using type = unsigned short;
};

/// All numbers are multiples of 2^-16 and below 2^8, so that fp32 holds every sum exactly, however the hardware orders and rounds the
/// parts of a dot product (Intel rounds twice, others once or not at all), and the check is exact.
template <class Real>
class Bf16DotCase final : public Workload {
  using Factor = typename Stored<Real>::type;
  using Sum = typename Bf16Dot<Factor>::Sum;

 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t sums = p.integer("blocks") * bf16dot_sums, bytes = sizeof(float);
    return {.flops = {{"flops.bf16.fma", sums * p.integer("iterations") * dots * flops_of_dot}},
            .streams = {{.array = "start", .footprint_bytes = sums * bytes, .read = true, .loads = sums, .element_bytes = bytes},
                        {.array = "result", .footprint_bytes = sums * bytes, .written = true, .stores = sums, .element_bytes = bytes},
                        {.array = "factors",
                         .footprint_bytes = 3 * factors * 2,
                         .read = true,
                         .loads = 3 * factors,
                         .element_bytes = 2,
                         .shared = true}}};
  }

  Bf16DotCase(const Parameters& p, std::pmr::memory_resource& memory)
      : blocks_(p.integer("blocks")),
        start_(blocks_ * bf16dot_sums, memory),
        result_(start_.size(), memory),
        a_(factors, memory),
        b_(factors, memory),
        c_(factors, memory),
        arguments_{p.integer("iterations"), start_.data(), result_.data(), a_.data(), b_.data(), c_.data()} {}

  std::size_t extent() const override { return blocks_; }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin * bf16dot_sums; i < end * bf16dot_sums; ++i) {
      start_[i] = static_cast<Sum>(start(i));
      result_[i] = Sum(0.5);
    }
    if (begin == 0)
      for (std::size_t i = 0; i < factors; ++i) {
        a_[i] = stored(a(i));
        b_[i] = stored(b(i));
        c_[i] = stored(c(i));
      }
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

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
  static Factor stored(double value) {
    if constexpr (std::is_same_v<Real, Bf16>)
      return Bf16(value).bits();
    else
      return Factor(value);
  }

  static double start(std::size_t i) { return std::floor(varied(1, i) * 0x1p16) * 0x1p-16; }
  /// Of a pair the second is 1 to 4 units larger; all in [0.5, 1).
  static double a(std::size_t i) { return (between(128, 251, 2, i / 2) + static_cast<double>(i % 2 * (1 + i / 2 % 4))) * unit; }
  static double b(std::size_t i) { return between(129, 255, 3, i) * unit; }
  /// A varied whole number in [lo, hi).
  static double between(double lo, double hi, std::uint64_t stream, std::size_t i) {
    return std::floor(lo + (hi - lo) * (2 * varied(stream, i) - 1));
  }
  /// -b, but by one unit more for the first of a pair and less for the second: with c a sum loses all that it won with b but the
  /// difference of the pair in a, 1 to 4 units, times a unit.
  static double c(std::size_t i) { return i % 2 == 0 ? -b(i) - unit : -b(i) + unit; }

  double expected(std::size_t i) const {
    const std::size_t pair = i % bf16dot_lanes * 2;
    double iteration = 0;
    for (const std::size_t k : {pair, pair + 1}) iteration += a(k) * b(k) + a(k) * c(k);
    return start(i) + static_cast<double>(arguments_.iterations) * iteration;
  }

  std::size_t blocks_;
  Array<Sum> start_, result_;
  Array<Factor> a_, b_, c_;
  Bf16Dot<Factor> arguments_;
};

const Register<Bf16DotCase, Bf16> registered{
    "ert/bf16dot",
    "Register-only chains of dot products: pairs of bf16 numbers into fp32 sums (VDPBF16PS, BFDOT)",
    {{.name = "iterations", .preset = std::int64_t{100}, .description = "of the inner loop", .max = 1 << 18},
     {.name = "blocks", .preset = std::int64_t{8}, .description = "of 384 sums, which the team divides", .max = 1 << 20}},
    bf16dot_flavors};

}  // namespace
}  // namespace plumbline
