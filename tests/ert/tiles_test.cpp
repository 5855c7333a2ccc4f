// Products of matrix tiles are tried in words. Few CPUs have them: here the loop's schedule runs in words, and the model, the count and the
// check are held against that (instruction_table_test.py holds the machine code against the schedule, tiles_flavors_test.cpp runs it).
#include "ert/tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/kernel.hpp"
#include "ert/tile_arithmetic.hpp"
#include "points.hpp"

namespace plumbline {
namespace {

Parameters tiles(int iterations, int blocks = 2) {
  return parameters({"ert/tiles", {{"iterations", number(iterations)}, {"blocks", number(blocks)}}});
}

template <class Real>
class TileProductsOf : public testing::Test {
 protected:
  void SetUp() override {
    const Kernel* const kernel = find_kernel("ert/tiles");
    if (kernel == nullptr || std::find(kernel->precisions.begin(), kernel->precisions.end(), precision()) == kernel->precisions.end())
      GTEST_SKIP() << "SKIP: no assembler here knows AMX of " << precision();
  }
  static std::string precision() { return std::is_same_v<Real, signed char> ? "int8" : std::is_same_v<Real, Fp16> ? "fp16" : "bf16"; }
  static std::unique_ptr<Workload> prepared(int iterations) {
    auto data = find_kernel("ert/tiles")->prepare(tiles(iterations), precision(), *std::pmr::new_delete_resource());
    data->initialise(0, data->extent());
    return data;
  }
  static TileProducts<Real> arguments(const Workload& data) { return *static_cast<const TileProducts<Real>*>(data.arguments()); }
};
using Types = testing::Types<unsigned short, Fp16, signed char>;  // bf16 as its bits
TYPED_TEST_SUITE(TileProductsOf, Types);

TYPED_TEST(TileProductsOf, the_check_takes_what_the_schedule_computes_in_words) {
  for (const int iterations : {1, 2, 9}) {
    const auto data = this->prepared(iterations);
    EXPECT_GT(data->error(), data->tolerance()) << "without a sweep";
    sweep_in_words(this->arguments(*data), 0, data->extent());
    EXPECT_EQ(data->error(), 0) << iterations;
  }
}

TYPED_TEST(TileProductsOf, an_iteration_left_out_is_noticed) {
  const auto data = this->prepared(9);
  auto shortened = this->arguments(*data);
  --shortened.iterations;
  sweep_in_words(shortened, 0, data->extent());
  EXPECT_GT(data->error(), data->tolerance());
}

TYPED_TEST(TileProductsOf, any_one_product_left_out_of_the_schedule_is_noticed) {
  using Real = TypeParam;
  for (std::size_t left_out = 0; left_out < tile_schedule.size(); ++left_out) {
    const auto data = this->prepared(2);
    std::size_t step = 0;
    sweep_in_words(this->arguments(*data), 0, data->extent(), [&](TileOfSums<Real>& sums, const Real* left, const Real* right) {
      if (step++ % tile_schedule.size() != left_out) add_product(sums, left, right);
    });
    EXPECT_GT(data->error(), data->tolerance()) << left_out;
  }
}

TYPED_TEST(TileProductsOf, one_wrong_sum_is_noticed) {
  const auto data = this->prepared(2);
  const auto x = this->arguments(*data);
  sweep_in_words(x, 0, data->extent());
  x.result[1500] += typename TileProducts<TypeParam>::Sum(std::is_same_v<TypeParam, signed char> ? 1 : 0x1p-16);
  EXPECT_GT(data->error(), data->tolerance());
}

/// Rows of the right as they are in a matrix, not in groups of 4 bytes a column.
TYPED_TEST(TileProductsOf, operands_in_another_layout_are_noticed) {
  using Real = TypeParam;
  const auto data = this->prepared(2);
  sweep_in_words(this->arguments(*data), 0, data->extent(), [&](TileOfSums<Real>& sums, const Real* left, const Real* right) {
    for (std::size_t row = 0; row < tile_rows; ++row)
      for (std::size_t column = 0; column < tile_rows; ++column)
        for (std::size_t k = 0; k < tile_depth<Real>; ++k)
          sums[row * tile_rows + column] += tile_value(left[row * tile_depth<Real> + k]) * tile_value(right[k * tile_rows + column]);
  });
  EXPECT_GT(data->error(), data->tolerance());
}

/// The manual's order for floating-point numbers: the first and the second elements of the pairs apart, both added up, then to the sum.
TYPED_TEST(TileProductsOf, the_order_in_which_hardware_adds_up_changes_no_bit) {
  using Real = TypeParam;
  using Sum = typename TileProducts<Real>::Sum;
  const auto data = this->prepared(9);
  sweep_in_words(this->arguments(*data), 0, data->extent(), [](TileOfSums<Real>& sums, const Real* left, const Real* right) {
    for (std::size_t row = 0; row < tile_rows; ++row)
      for (std::size_t column = 0; column < tile_rows; ++column) {
        Sum apart[2] = {};
        for (std::size_t k = 0; k < tile_depth<Real>; ++k)
          apart[k % 2] += tile_value(left[row * tile_depth<Real> + k]) * tile_value(right[right_at<Real>(k, column)]);
        sums[row * tile_rows + column] += apart[0] + apart[1];
      }
  });
  EXPECT_EQ(data->error(), 0);
}

/// The numbers are whole ones of a unit, all below what a sum holds, for the most iterations that can be asked for.
TYPED_TEST(TileProductsOf, every_sum_is_exact_up_to_the_most_iterations) {
  using Real = TypeParam;
  const auto data = this->prepared(1);
  const auto x = this->arguments(*data);
  sweep_in_words(x, 0, data->extent());
  const double unit = std::is_same_v<Real, signed char> ? 1 : 0x1p-16, most_iterations = 1 << 16, largest = unit == 1 ? 128 * 128 : 1;
  const double holds = std::exp2(std::numeric_limits<typename TileProducts<Real>::Sum>::digits) * unit;
  std::set<double> drifts;
  for (std::size_t i = 0; i < 2 * tile_block_sums; ++i) {
    const auto drift = static_cast<double>(x.result[i]);
    EXPECT_EQ(std::floor(drift / unit) * unit, drift) << i;
    EXPECT_NE(drift, 0) << i;
    EXPECT_LT(std::fabs(drift) * most_iterations + static_cast<double>(tile_depth<Real>) * largest, holds) << i;
    drifts.insert(drift);
  }
  EXPECT_GE(drifts.size(), 30u);
  for (const Real* operand : {x.a, x.b, x.c})
    for (std::size_t i = 0; i < tile_bytes / sizeof(Real); ++i) {
      EXPECT_GE(static_cast<double>(tile_value(operand[i])), unit == 1 ? 64 : 0.5);
      EXPECT_LT(static_cast<double>(tile_value(operand[i])), unit == 1 ? 128 : 1);
    }
}

/// A multiply-add is two operations: 16,384 of 16-bit numbers, 32,768 of int8 an instruction.
TYPED_TEST(TileProductsOf, the_model_is_the_operations_of_the_instructions_that_run) {
  using Real = TypeParam;
  const auto data = this->prepared(3);
  std::uint64_t instructions = 0;
  sweep_in_words(this->arguments(*data), 0, data->extent(), [&](TileOfSums<Real>&, const Real*, const Real*) { ++instructions; });
  const Work work = find_kernel("ert/tiles")->model(tiles(3), this->precision(), "gcc12-O3-v4amxbf16");
  ASSERT_EQ(work.flops.size(), 1u);
  EXPECT_EQ(work.flops.begin()->first, "flops.tensor." + this->precision());
  EXPECT_EQ(work.flops.begin()->second, Amount(instructions * (sizeof(Real) == 1 ? 32768 : 16384)));
  EXPECT_EQ(total_flops(work.flops), work.flops.begin()->second);
}

/// The witness of every kernel's model, for the type whose shape it stands for.
TEST(TileArithmetic, a_counting_number_counts_what_the_model_says_of_16_bits) {
  if (find_kernel("ert/tiles") == nullptr) GTEST_SKIP() << "SKIP: no assembler here knows AMX";
  std::vector<Counted> operand(tile_rows * tile_depth<Counted>, 0.5), result(2 * tile_block_sums);
  const TileProducts<Counted> x{3, operand.data(), operand.data(), operand.data(), operand.data(), result.data()};
  Counted::tally() = {};
  sweep_in_words(x, 0, 2);
  const Tally counted = Counted::tally();
  EXPECT_EQ(counted.add, counted.mul);
  EXPECT_EQ(Amount(counted.total()), total_flops(find_kernel("ert/tiles")->model(tiles(3), "bf16", "").flops));
}

/// An instruction takes 16 clocks and its sums are there after 52: a sum must rest for three others in between.
TEST(TileArithmetic, no_product_waits_for_one_of_the_three_before_it) {
  for (std::size_t i = 0; i < tile_schedule.size(); ++i)
    for (std::size_t before = 1; before <= 3; ++before) {
      const TileStep &step = tile_schedule[i], &earlier = tile_schedule[(i + tile_schedule.size() - before) % tile_schedule.size()];
      EXPECT_NE(step.sum, earlier.sum) << i << " " << before;
    }
}

}  // namespace
}  // namespace plumbline
