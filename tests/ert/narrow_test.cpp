// The ceilings of 16-bit numbers, and of int8, are tried in software. Few machines have their instructions: here their loops run in
// software, and their checks are held against that (narrow_flavors_test.cpp runs the flavors).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/kernel.hpp"
#include "ert/bf16dot.hpp"
#include "ert/int8dot.hpp"
#include "ert/peak.hpp"
#include "ert/peak_fp16.hpp"
#include "points.hpp"

namespace plumbline {
namespace {

KernelPoint peak(const std::string& form, int iterations, int blocks = 2) {
  return {"ert/peak", {{"form", form}, {"iterations", number(iterations)}, {"blocks", number(blocks)}}};
}
KernelPoint dots(int iterations) { return {"ert/bf16dot", {{"iterations", number(iterations)}, {"blocks", number(2)}}}; }

std::unique_ptr<Workload> prepared(const KernelPoint& point, std::string_view precision) {
  auto data = find_kernel(point.kernel)->prepare(parameters(point), precision, *std::pmr::new_delete_resource());
  data->initialise(0, data->extent());
  return data;
}

bool has(std::string_view kernel, std::string_view precision) {
  const Kernel* const found = find_kernel(kernel);
  return found != nullptr && std::find(found->precisions.begin(), found->precisions.end(), precision) != found->precisions.end();
}

template <class Arguments>
void sweep_in_software(const Workload& data, std::size_t iterations) {
  Arguments arguments = *static_cast<const Arguments*>(data.arguments());
  arguments.iterations = iterations;
  sweep(arguments, 0, data.extent());
}

class PeakInFp16 : public testing::Test {
 protected:
  void SetUp() override {
    if (!has("ert/peak", "fp16")) GTEST_SKIP() << "SKIP: no compiler here makes fp16 flavors";
  }
};

TEST_F(PeakInFp16, the_check_takes_what_the_loop_computes) {
  for (const std::string& form : peak_words())
    for (const int iterations : {1, 2, 101}) {
      const auto data = prepared(peak(form, iterations), "fp16");
      sweep_in_software<Peak<Fp16>>(*data, static_cast<std::size_t>(iterations));
      EXPECT_EQ(data->error(), 0) << form << " " << iterations;
    }
}

TEST_F(PeakInFp16, an_iteration_left_out_is_noticed) {
  for (const std::string& form : peak_words())
    for (const int iterations : {2, 101}) {
      const auto data = prepared(peak(form, iterations), "fp16");
      sweep_in_software<Peak<Fp16>>(*data, static_cast<std::size_t>(iterations - 1));
      EXPECT_GT(data->error(), data->tolerance()) << form << " " << iterations;
    }
}

TEST_F(PeakInFp16, one_wrong_bit_is_noticed) {
  for (const std::string& form : peak_words()) {
    const auto data = prepared(peak(form, 50), "fp16");
    sweep_in_software<Peak<Fp16>>(*data, 50);
    Fp16& result = static_cast<const Peak<Fp16>*>(data->arguments())->result[700];
    result = Fp16::from_bits(static_cast<std::uint16_t>(result.bits() ^ 1));
    EXPECT_GT(data->error(), data->tolerance()) << form;
  }
}

/// The values are neither zero nor subnormal, neither growing nor all alike: of 1024 starting values a tenth or more stay apart.
TEST_F(PeakInFp16, values_stay_varied_and_normal_for_a_quarter_of_a_million_iterations) {
  for (const std::string& form : peak_words())
    for (const bool multiplied : {true, false})
      for (const std::size_t iterations : {1000u, 1u << 18}) {
        Peak<Fp16> x = *static_cast<const Peak<Fp16>*>(prepared(peak(form, 1), "fp16")->arguments());
        const Fp16Iterations made(x, iterations, multiplied);
        std::set<std::uint16_t> results;
        for (int i = 1024; i < 2048; ++i) {
          const Fp16 result = made(Fp16(i * 0x1p-11));
          const double magnitude = std::fabs(static_cast<double>(result));
          EXPECT_GE(magnitude, 0x1p-12) << form << " from " << i * 0x1p-11;
          EXPECT_LE(magnitude, 1) << form << " from " << i * 0x1p-11;
          results.insert(result.bits());
        }
        EXPECT_GE(results.size(), 100u) << form << " " << iterations;
      }
}

TEST_F(PeakInFp16, a_block_is_as_much_work_as_in_any_precision) {
  const Kernel& kernel = *find_kernel("ert/peak");
  for (const std::string& form : peak_words()) {
    const Parameters p = parameters(peak(form, 10));
    EXPECT_EQ(total_flops(kernel.model(p, "fp16", "gcc12-O3-v4fp16").flops, "fp16"),
              total_flops(kernel.model(p, "fp32", "gcc12-O3-v4").flops, "fp32"))
        << form;
  }
}

class Bf16DotProducts : public testing::Test {
 protected:
  void SetUp() override {
    if (!has("ert/bf16dot", "bf16")) GTEST_SKIP() << "SKIP: no compiler here makes bf16 flavors";
  }
};

TEST_F(Bf16DotProducts, the_check_takes_what_the_loop_computes) {
  for (const int iterations : {1, 2, 1000}) {
    const auto data = prepared(dots(iterations), "bf16");
    sweep_in_software<Bf16Dot<unsigned short>>(*data, static_cast<std::size_t>(iterations));
    EXPECT_EQ(data->error(), 0) << iterations;
  }
}

TEST_F(Bf16DotProducts, an_iteration_left_out_is_noticed) {
  const auto data = prepared(dots(1000), "bf16");
  sweep_in_software<Bf16Dot<unsigned short>>(*data, 999);
  EXPECT_GT(data->error(), data->tolerance());
}

/// The factors are multiples of 2^-16 below 2^8, so that any order and rounding of a dot product's parts gives the same.
TEST_F(Bf16DotProducts, every_sum_and_product_is_exact_in_fp32) {
  const auto data = prepared(dots(1), "bf16");
  const auto& x = *static_cast<const Bf16Dot<unsigned short>*>(data->arguments());
  const auto exact = [](double value) { return std::fabs(value) < 256 && std::floor(value * 0x1p16) == value * 0x1p16; };
  for (std::size_t i = 0; i < 2 * dot_sums; ++i) {
    EXPECT_TRUE(exact(static_cast<double>(x.start[i]))) << i;
    const std::size_t pair = i % dot_lanes * 2;
    double drift = 0;
    for (const std::size_t k : {pair, pair + 1}) {
      const double a = static_cast<double>(value_of(x.a[k])), b = static_cast<double>(value_of(x.b[k])),
                   c = static_cast<double>(value_of(x.c[k]));
      for (const double factor : {a, b, -c}) {
        EXPECT_GE(factor, 0.5) << k;
        EXPECT_LT(factor, 1) << k;
      }
      EXPECT_TRUE(exact(a * b) && exact(a * c)) << k;
      drift += a * b + a * c;
    }
    EXPECT_NE(drift, 0) << i;
    EXPECT_TRUE(exact(3 + drift * (1 << 18))) << drift;
  }
}

TEST_F(Bf16DotProducts, a_dot_product_is_four_flops_a_sum) {
  const Work work = find_kernel("ert/bf16dot")->model(parameters(dots(10)), "bf16", "gcc12-O3-v4bf16");
  EXPECT_EQ(total_flops(work.flops, "bf16").lo, 2 * dot_sums * 10 * 2 * 4);
}

class Int8DotProducts : public testing::Test {
 protected:
  void SetUp() override {
    if (!has("ert/int8dot", "int8")) GTEST_SKIP() << "SKIP: no compiler here makes int8 flavors";
  }
  static KernelPoint int8_dots(int iterations) { return {"ert/int8dot", {{"iterations", number(iterations)}, {"blocks", number(2)}}}; }
};

TEST_F(Int8DotProducts, the_check_takes_what_the_loop_computes) {
  for (const int iterations : {1, 2, 1000}) {
    const auto data = prepared(int8_dots(iterations), "int8");
    sweep_in_software<Int8Dot<signed char>>(*data, static_cast<std::size_t>(iterations));
    EXPECT_EQ(data->error(), 0) << iterations;
  }
}

TEST_F(Int8DotProducts, an_iteration_left_out_is_noticed) {
  const auto data = prepared(int8_dots(1000), "int8");
  sweep_in_software<Int8Dot<signed char>>(*data, 999);
  EXPECT_GT(data->error(), data->tolerance());
}

TEST_F(Int8DotProducts, no_sum_leaves_int32_up_to_the_most_iterations) {
  const auto data = prepared(int8_dots(1), "int8");
  sweep_in_software<Int8Dot<signed char>>(*data, 1);
  const auto& x = *static_cast<const Int8Dot<signed char>*>(data->arguments());
  for (std::size_t i = 0; i < 2 * dot_sums; ++i) {
    const double drift = x.result[i] - x.start[i];
    EXPECT_NE(drift, 0) << i;
    EXPECT_LT(std::fabs(drift) * (1 << 18) + x.start[i] + 4 * 256 * 128, 0x1p31) << i;
  }
}

/// VPDPBUSD takes the first factors unsigned: as signed ones these would be another number.
TEST_F(Int8DotProducts, factors_taken_for_signed_ones_are_noticed) {
  const auto data = prepared(int8_dots(3), "int8");
  const auto& x = *static_cast<const Int8Dot<signed char>*>(data->arguments());
  for (std::size_t i = 0; i < 2 * dot_sums; ++i) {
    x.result[i] = x.start[i];
    for (std::size_t n = 0; n < x.iterations; ++n)
      for (std::size_t k = i % dot_lanes * 4, left = 4; left != 0; ++k, --left)
        x.result[i] += static_cast<signed char>(x.a[k]) * (x.b[k] + x.c[k]);
  }
  EXPECT_GT(data->error(), data->tolerance());
}

TEST_F(Int8DotProducts, a_dot_product_is_eight_operations_a_sum) {
  const Work work = find_kernel("ert/int8dot")->model(parameters(int8_dots(10)), "int8", "gcc12-O3-v4vnni");
  EXPECT_EQ(total_flops(work.flops, "int8").lo, 2 * dot_sums * 10 * 2 * 8);
  EXPECT_EQ(total_flops(work.flops), total_flops(work.flops, "int8"));
}

}  // namespace
}  // namespace plumbline
