// The ceilings of matrix tiles (AMX) come from products of 16 x 16 from eight tiles that never leave their registers. (Intel, Optimization
// Reference Manual, 248966: an instruction takes 16 clocks, and 52 until the next one may have its sums; four sums hide that.)
#include "ert/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "ert/tile_arithmetic.hpp"
#include "tiles.flavors.hpp"

namespace plumbline {
namespace {

/// The type that the flavored loop sees.
template <class Precision>
struct TileElement {
  using type = Precision;
};
template <>
struct TileElement<Bf16> {
  using type = unsigned short;  // its bits
};

/// Operands are whole numbers times a unit, of as many bits as the narrowest type holds, so that every sum is exact, in whatever order the
/// hardware adds up: below 2^23 for 2^16 iterations, where fp32 holds 2^24.
template <class Precision>
class TileCase final : public Workload {
  using Real = typename TileElement<Precision>::type;
  using Sum = typename TileProducts<Real>::Sum;
  static constexpr std::size_t depth = tile_depth<Real>, pairs = depth / 2;
  static constexpr int half = sizeof(Real) == 1 ? 64 : 128;           // the numbers of the operands are half to 2 half - 1
  static constexpr double unit = sizeof(Real) == 1 ? 1 : 0.5 / half;  // floating-point ones are then in [0.5, 1)
  static constexpr std::size_t elements = tile_bytes / sizeof(Real);  // of a tile

 public:
  static Work model(const Parameters& p) {
    const std::uint64_t blocks = p.integer("blocks"), sums = blocks * tile_block_sums;
    const std::uint64_t multiply_adds = tile_rows * tile_rows * depth;  // of an instruction
    const auto operand = [&](const char* name) {
      return Stream{.array = name,
                    .footprint_bytes = tile_bytes,
                    .read = true,
                    .loads = blocks * elements,
                    .element_bytes = sizeof(Real),
                    .shared = true};
    };
    return {.flops = {{"flops.tensor." + std::string(precision_of<Precision>()),
                       blocks * p.integer("iterations") * tile_schedule.size() * 2 * multiply_adds}},
            .streams = {
                operand("a"),
                operand("minus a"),
                operand("b"),
                operand("c"),
                {.array = "result", .footprint_bytes = sums * sizeof(Sum), .written = true, .stores = sums, .element_bytes = sizeof(Sum)}}};
  }

  TileCase(const Parameters& p, std::pmr::memory_resource& memory)
      : blocks_(p.integer("blocks")),
        a_(elements, memory),
        minus_a_(elements, memory),
        b_(elements, memory),
        c_(elements, memory),
        result_(blocks_ * tile_block_sums, memory),
        arguments_{static_cast<std::size_t>(p.integer("iterations")), a_.data(), minus_a_.data(), b_.data(), c_.data(), result_.data()} {}

  std::size_t extent() const override { return blocks_; }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin * tile_block_sums; i < end * tile_block_sums; ++i) result_[i] = Sum(0.5);
    if (begin != 0) return;
    for (std::size_t i = 0; i < tile_rows; ++i)
      for (std::size_t k = 0; k < depth; ++k) {
        a_[i * depth + k] = stored(a(i, k));
        minus_a_[i * depth + k] = stored(-a(i, k));
        b_[right_at<Real>(k, i)] = stored(b(k, i));
        c_[right_at<Real>(k, i)] = stored(c(k, i));
      }
  }
  const void* arguments() const override { return &arguments_; }

  double error() const override {
    const std::vector<double> block = expected();
    double worst = 0;
    for (std::size_t i = 0; i < result_.size(); ++i) {
      const double error = std::fabs(static_cast<double>(result_[i]) - block[i % tile_block_sums]);
      worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error);
    }
    return worst;
  }
  double tolerance() const override { return 0; }

 private:
  static Real stored(int number) {
    if constexpr (std::is_same_v<Precision, Bf16>)
      return Bf16(number * unit).bits();
    else
      return Real(number * unit);
  }

  /// A varied whole number in [lo, hi).
  static int between(int lo, int hi, std::uint64_t stream, std::size_t i) {
    return static_cast<int>(std::floor(lo + (hi - lo) * (2 * varied(stream, i) - 1)));
  }
  /// The element of A in a row at k; in a pair the second is 1 to 4 larger.
  static int a(std::size_t row, std::size_t k) {
    return between(half, 2 * half - 4, 1, row * pairs + k / 2) + static_cast<int>(k % 2 * (1 + (row + k / 2) % 4));
  }
  static int b(std::size_t k, std::size_t column) { return between(half + 1, 2 * half - 1, 2, k * tile_rows + column); }
  /// The factor c is b, in some of a column's pairs, one at least, by 1 more for the first and less for the second: A C is then A B but for
  /// the sum of those pairs' differences in A, and what an iteration leaves of both is small, never zero, and another in most places.
  static int c(std::size_t k, std::size_t column) {
    const std::size_t pair = k / 2;
    const bool differs = pair == column || varied(3, pair * tile_rows + column) < 0.75;
    return b(k, column) + (differs ? k % 2 == 0 ? 1 : -1 : 0);
  }

  /// The sums of a block, by whole numbers.
  std::vector<double> expected() const {
    std::vector<double> sums(tile_block_sums);
    for (const TileStep& step : tile_schedule)
      for (std::size_t row = 0; row < tile_rows; ++row)
        for (std::size_t column = 0; column < tile_rows; ++column) {
          int product = 0;
          for (std::size_t k = 0; k < depth; ++k) product += a(row, k) * (step.right == 6 ? b(k, column) : c(k, column));
          sums[(step.sum * tile_rows + row) * tile_rows + column] += (step.left == 4 ? 1 : -1) * product * unit * unit;
        }
    for (double& sum : sums) sum *= static_cast<double>(arguments_.iterations);
    return sums;
  }

  std::size_t blocks_;
  Array<Real> a_, minus_a_, b_, c_;
  Array<Sum> result_;
  TileProducts<Real> arguments_;
};

using Types = Reals<Bf16, Fp16, std::int8_t>;

struct RegisterTiles {
  RegisterTiles() {
    register_kernel(
        {.name = "ert/tiles",
         .summary = "Products of matrix tiles that stay in their registers (AMX: TDPBF16PS, TDPFP16PS, TDPBSSD)",
         .parameters = {{.name = "iterations", .preset = std::int64_t{100}, .description = "of eight products each", .max = 1 << 16},
                        {.name = "blocks",
                         .preset = std::int64_t{8},
                         .description = "of four tiles of 256 sums, which the team divides",
                         .max = 1 << 20}},
         .precisions = Types::precisions(tiles_flavors),
         .model = [](const Parameters& p, std::string_view precision,
                     std::string_view) { return Types::select(precision, [&]<class Real> { return TileCase<Real>::model(p); }); },
         .prepare =
             [](const Parameters& p, std::string_view precision, std::pmr::memory_resource& memory) {
               return Types::select(precision,
                                    [&]<class Real> { return std::unique_ptr<Workload>(std::make_unique<TileCase<Real>>(p, memory)); });
             },
         .count = [](const Parameters&) { return Tally{}; },
         .flavors = [] { return std::span<const Flavor>(tiles_flavors); },
         .only = "its arithmetic is that of matrix tiles, none of vectors; tests/ert/tiles_test.cpp counts it"});
  }
};
const RegisterTiles registered;

}  // namespace
}  // namespace plumbline
