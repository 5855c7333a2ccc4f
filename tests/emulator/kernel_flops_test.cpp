// SPDX-License-Identifier: BSD-3-Clause
//
// The FLOPs of kernels.c, exact for whatever the compiler made of them. Linked once with each flavor of kernels.c.
#include <type_traits>
#include <vector>

#include "kernels.h"
#include "measured.hpp"

namespace {

using measured::Counts;
using measured::counts_of;

// The size is no multiple of 8, so that remainder loops run too; it is a multiple of 4, because for a remainder of two floats gcc 12 at -O3
// on SSE2 computes four lanes, half of them on zeros, and counting lanes counts those.
constexpr long m = 204;

template <class T>
struct Kernels;
template <>
struct Kernels<double> {
  static constexpr auto horner = horner_fp64;
  static constexpr auto triad = triad_fp64;
  static constexpr auto dot = dot_fp64;
  static constexpr auto divide = divide_fp64;
  static constexpr auto square_root = square_root_fp64;
  static constexpr auto add = PLUMBLINE_EVENT_flops_fp64_add, mul = PLUMBLINE_EVENT_flops_fp64_mul, fma = PLUMBLINE_EVENT_flops_fp64_fma,
                        div = PLUMBLINE_EVENT_flops_fp64_div, sqrt = PLUMBLINE_EVENT_flops_fp64_sqrt;
};
template <>
struct Kernels<float> {
  static constexpr auto horner = horner_fp32;
  static constexpr auto triad = triad_fp32;
  static constexpr auto dot = dot_fp32;
  static constexpr auto divide = divide_fp32;
  static constexpr auto square_root = square_root_fp32;
  static constexpr auto add = PLUMBLINE_EVENT_flops_fp32_add, mul = PLUMBLINE_EVENT_flops_fp32_mul, fma = PLUMBLINE_EVENT_flops_fp32_fma,
                        div = PLUMBLINE_EVENT_flops_fp32_div, sqrt = PLUMBLINE_EVENT_flops_fp32_sqrt;
};

template <class T>
class Precision : public testing::Test {
 protected:
  std::vector<T> x = std::vector<T>(m, T(0.5)), y = std::vector<T>(m, T(0.75)), z = std::vector<T>(m), c = std::vector<T>(30, T(0.625));

  // Multiplications and additions, fused or not; nothing of another kind or precision.
  void expect_pairs(const Counts& counts, long pairs) {
    using K = Kernels<T>;
    EXPECT_EQ(counts[K::add] + counts[K::fma], pairs);
    EXPECT_EQ(counts[K::mul] + counts[K::fma], pairs);
    EXPECT_EQ(measured::flops(counts), 2 * pairs);
  }
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Precision, Precisions);

TYPED_TEST(Precision, horner_of_order_n_counts_n_pairs_an_element) {
  for (long n = 1; n <= 29; ++n) {
    SCOPED_TRACE(n);
    Counts counts = counts_of([&] { Kernels<TypeParam>::horner(n, m, this->c.data(), this->x.data(), this->y.data()); });
    this->expect_pairs(counts, n * m);
  }
}

TYPED_TEST(Precision, triad_counts_one_pair_an_element) {
  Counts counts = counts_of([&] { Kernels<TypeParam>::triad(m, TypeParam(0.5), this->z.data(), this->x.data(), this->y.data()); });
  this->expect_pairs(counts, m);
}

TYPED_TEST(Precision, dot_counts_one_pair_an_element) {
  volatile TypeParam sum;
  Counts counts = counts_of([&] { sum = Kernels<TypeParam>::dot(m, this->x.data(), this->y.data()); });
  this->expect_pairs(counts, m);
}

TYPED_TEST(Precision, divisions_are_counted_as_divisions) {
  Counts counts = counts_of([&] { Kernels<TypeParam>::divide(m, this->z.data(), this->x.data(), this->y.data()); });
  EXPECT_EQ(counts[Kernels<TypeParam>::div], m);
  EXPECT_EQ(measured::flops(counts), m);
}

TYPED_TEST(Precision, square_roots_are_counted_as_square_roots) {
  Counts counts = counts_of([&] { Kernels<TypeParam>::square_root(m, this->z.data(), this->x.data()); });
  EXPECT_EQ(counts[Kernels<TypeParam>::sqrt], m);
  EXPECT_EQ(measured::flops(counts), m);
}

TEST(X87, every_kind_is_counted) {
  volatile long double sum;
  Counts counts = counts_of([&] { sum = x87_series(m, 0.5L); });
  EXPECT_EQ(counts[PLUMBLINE_EVENT_flops_x87_add], m);
  EXPECT_EQ(counts[PLUMBLINE_EVENT_flops_x87_mul], m);
  EXPECT_EQ(counts[PLUMBLINE_EVENT_flops_x87_div], m);
  EXPECT_EQ(counts[PLUMBLINE_EVENT_flops_x87_sqrt], m);
  EXPECT_EQ(measured::flops(counts), 4 * m);
}

TEST(Integers, loop_counts_no_flops) {
  std::vector<unsigned long> x(m, 3);
  volatile unsigned long sum;
  Counts counts = counts_of([&] { sum = integer_loop(m, x.data()); });
  EXPECT_EQ(measured::flops(counts), 0);
  EXPECT_EQ(counts[PLUMBLINE_EVENT_fp_instructions], 0);
  EXPECT_GE(counts[PLUMBLINE_EVENT_instructions], 3 * m);
  EXPECT_GE(counts[PLUMBLINE_EVENT_reg_l1_load], 8 * m);
}

TEST(Repetition, same_code_counts_the_same) {
  std::vector<double> x(m, 0.5), y(m), c(30, 0.625);
  auto work = [&] { horner_fp64(7, m, c.data(), x.data(), y.data()); };
  Counts warm = counts_of(work), first = counts_of(work), second = counts_of(work);
  (void)warm;
  EXPECT_EQ(first.value, second.value);
}

}  // namespace
