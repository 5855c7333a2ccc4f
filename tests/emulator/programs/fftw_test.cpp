// SPDX-License-Identifier: BSD-3-Clause
//
// FFTW tells how many operations a plan takes. Without SIMD (whose operations it counts by vector) that is what its transforms execute.
#include <fftw3.h>

#include <memory>
#include <vector>

#include "../measured.hpp"

namespace {

using measured::Counts;
using measured::counts_of;

constexpr unsigned no_simd = 1U << 17;  // FFTW_NO_SIMD of its internal api/api.h
constexpr unsigned flags = FFTW_ESTIMATE | no_simd;
constexpr int largest = 4096;

struct DestroyPlan {
  void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
};
using Plan = std::unique_ptr<fftw_plan_s, DestroyPlan>;

struct Arrays {
  std::vector<double> from = std::vector<double>(2 * largest + 2, 0.5), to = std::vector<double>(2 * largest + 2, 0.25);
  fftw_complex* complex_from() { return reinterpret_cast<fftw_complex*>(from.data()); }
  fftw_complex* complex_to() { return reinterpret_cast<fftw_complex*>(to.data()); }
};

// FFTW's own count; what it counts as an fma Debian's build computes as a product and an addition.
struct Stated {
  double add = 0, mul = 0, fma = 0;
  explicit Stated(const Plan& plan) { fftw_flops(plan.get(), &add, &mul, &fma); }
  std::int64_t flops() const { return static_cast<std::int64_t>(add + mul + 2 * fma); }
};

Counts counts_of_execution(const Plan& plan) {
  return counts_of([&] { fftw_execute(plan.get()); });
}

void expect_stated_flops(const Plan& plan) {
  const Counts c = counts_of_execution(plan);
  EXPECT_EQ(measured::flops_fp64(c), Stated(plan).flops());
  EXPECT_EQ(measured::flops(c), measured::flops_fp64(c)) << "something was computed in another precision";
}

void expect_stated_kinds(const Plan& plan) {
  const Counts c = counts_of_execution(plan);
  const Stated stated(plan);
  EXPECT_EQ(c[PLUMBLINE_EVENT_flops_fp64_add], static_cast<std::int64_t>(stated.add + stated.fma));
  EXPECT_EQ(c[PLUMBLINE_EVENT_flops_fp64_mul], static_cast<std::int64_t>(stated.mul + stated.fma));
}

TEST(Fftw, complex_transforms_execute_what_fftw_states) {
  Arrays arrays;
  for (int n : {2, 3, 5, 7, 8, 13, 16, 31, 64, 97, 243, 360, 1000, 1024, 4096})
    for (int sign : {FFTW_FORWARD, FFTW_BACKWARD})
      for (bool in_place : {false, true}) {
        SCOPED_TRACE(testing::Message() << "n = " << n << " sign " << sign << " in place " << in_place);
        fftw_complex* to = in_place ? arrays.complex_from() : arrays.complex_to();
        const Plan plan(fftw_plan_dft_1d(n, arrays.complex_from(), to, sign, flags));
        ASSERT_NE(plan, nullptr);
        expect_stated_flops(plan);
      }
}

// The sizes are those where the compiler left FFTW's expressions as they are; elsewhere (n = 13) it makes additions of some products, and
// only the sum agrees.
TEST(Fftw, additions_and_products_are_each_what_fftw_states) {
  Arrays arrays;
  for (int n : {8, 64, 243, 1000, 1024, 4096}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const Plan plan(fftw_plan_dft_1d(n, arrays.complex_from(), arrays.complex_to(), FFTW_FORWARD, flags));
    ASSERT_NE(plan, nullptr);
    expect_stated_kinds(plan);
  }
}

TEST(Fftw, two_dimensional_transform_executes_what_fftw_states) {
  Arrays arrays;
  const Plan plan(fftw_plan_dft_2d(32, 48, arrays.complex_from(), arrays.complex_to(), FFTW_FORWARD, flags));
  ASSERT_NE(plan, nullptr);
  expect_stated_flops(plan);
}

// Orders of small factors: for a large prime FFTW 3.3.10 states n - 1 operations more than its real transform executes.
TEST(Fftw, real_transforms_execute_what_fftw_states) {
  Arrays arrays;
  for (int n : {2, 3, 5, 7, 8, 13, 16, 64, 243, 360, 1000, 1024, 4096}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const Plan forward(fftw_plan_dft_r2c_1d(n, arrays.from.data(), arrays.complex_to(), flags));
    const Plan backward(fftw_plan_dft_c2r_1d(n, arrays.complex_from(), arrays.to.data(), flags));
    ASSERT_NE(forward, nullptr);
    ASSERT_NE(backward, nullptr);
    expect_stated_flops(forward);
    expect_stated_flops(backward);
  }
}

TEST(Fftw, cosine_transforms_execute_what_fftw_states) {
  Arrays arrays;
  for (int n : {8, 64, 243, 1024}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    const Plan plan(fftw_plan_r2r_1d(n, arrays.from.data(), arrays.to.data(), FFTW_REDFT10, flags));
    ASSERT_NE(plan, nullptr);
    expect_stated_flops(plan);
  }
}

}  // namespace
