// The clock that a chain of additions shows, held against a chain of multiplications, which no core does in fewer than their cycles.
#include "measure/clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace plumbline {
namespace {

#if defined(__x86_64__)
/// The clock by 32-bit products that wait for each other: 3 cycles each on Intel's cores since Nehalem and on Zen (Fog, instruction
/// tables).
double clock_by_products() {
  constexpr int rounds = 600, products_a_round = 32, cycles = 3;
  std::uint32_t x = 1;
  const std::uint32_t factor = 3;
  const double start = now_seconds();
  for (int i = 0; i < rounds; ++i) asm volatile(".rept 32\n\timul %1, %0\n\t.endr" : "+r"(x) : "r"(factor));
  return rounds * products_a_round * cycles / (now_seconds() - start);
}

/// Others on this machine only make either too slow, so the fastest of many are compared; a clock that moves meanwhile gets more tries.
TEST(Clock, is_what_products_of_known_latency_show) {
  double additions = 0, products = 0;
  for (int attempt = 0; attempt < 400 && (attempt < 20 || std::max(additions / products, products / additions) > 1.05); ++attempt) {
    additions = std::max(additions, core_clock_hz());
    products = std::max(products, clock_by_products());
  }
  EXPECT_NEAR(additions / products, 1, 0.1);
}
#endif

TEST(Clock, of_a_core_does_more_additions_at_once_than_one_and_no_more_than_it_has_units_for) {
  double clock = 0, additions = 0;
  for (int attempt = 0; attempt < 400 && (attempt < 20 || additions <= 1.5 * clock); ++attempt) {
    clock = std::max(clock, core_clock_hz());
    additions = std::max(additions, addition_throughput_hz());
  }
  EXPECT_GT(additions, 1.5 * clock);
  EXPECT_LT(additions, 6.6 * clock);  // six registers in turn
}

}  // namespace
}  // namespace plumbline
