// The 16-bit numbers are rounded as the hardware rounds them.
#include "core/narrow.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/array.hpp"
#include "machine/cpu.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace plumbline {
namespace {

TEST(Fp16, every_number_is_itself) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Fp16 x = Fp16::from_bits(static_cast<std::uint16_t>(bits));
    const double value = static_cast<double>(x);
    if (!std::isnan(value)) {
      EXPECT_EQ(Fp16(value).bits(), bits) << value;
    }
  }
}

TEST(Fp16, known_numbers) {
  EXPECT_EQ(Fp16(1).bits(), 0x3c00);
  EXPECT_EQ(Fp16(-2).bits(), 0xc000);
  EXPECT_EQ(Fp16(0x1p-14).bits(), 0x0400);  // the smallest normal one
  EXPECT_EQ(Fp16(0x1p-24).bits(), 0x0001);  // the smallest of all
  EXPECT_EQ(Fp16(65504).bits(), 0x7bff);    // the largest
  EXPECT_EQ(Fp16(65519.9).bits(), 0x7bff);
  EXPECT_EQ(Fp16(65520).bits(), 0x7c00);        // infinity
  EXPECT_EQ(Fp16(1 + 0x1p-11).bits(), 0x3c00);  // halfway: to even
  EXPECT_EQ(Fp16(1 + 3 * 0x1p-11).bits(), 0x3c02);
  EXPECT_EQ(Fp16(2 - 0x1p-12).bits(), 0x4000);  // carries into the exponent
  EXPECT_EQ(Fp16(0x1p-14 - 0x1p-26).bits(), 0x0400);
}

TEST(Fp16, a_product_is_rounded_with_the_sum_it_goes_into) {
  const Fp16 x(1 + 3 * 0x1p-10), minus_one(-1), product = x * x;
  EXPECT_EQ(static_cast<double>(x * x + minus_one), 6 * 0x1p-10 + 2 * 0x1p-18);  // of 6 x 2^-10 + 9 x 2^-20
  EXPECT_EQ(static_cast<double>(product + minus_one), 6 * 0x1p-10);
}

#if defined(__x86_64__)
__attribute__((target("f16c"))) std::uint16_t rounded_by_hardware(float x) {
  return static_cast<std::uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT), 0));
}

TEST(Fp16, is_rounded_as_hardware_rounds) {
  if (!runs_isa("v3")) GTEST_SKIP() << "SKIP: this CPU has no F16C";
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const int exponent = static_cast<int>(i % 48) - 30;
    const auto x = static_cast<float>((i % 2 == 0 ? 1 : -1) * std::ldexp(varied(1, i), exponent));
    ASSERT_EQ(Fp16(static_cast<double>(x)).bits(), rounded_by_hardware(x)) << x;
  }
}
#endif

TEST(Bf16, is_the_upper_half_of_a_float_rounded_to_even) {
  EXPECT_EQ(Bf16(1).bits(), 0x3f80);
  EXPECT_EQ(Bf16(-0.5).bits(), 0xbf00);
  EXPECT_EQ(Bf16(1 + 0x1p-8).bits(), 0x3f80);  // halfway
  EXPECT_EQ(Bf16(1 + 3 * 0x1p-8).bits(), 0x3f82);
  EXPECT_EQ(Bf16(2 - 0x1p-9).bits(), 0x4000);
  for (int i = 128; i < 256; ++i) EXPECT_EQ(static_cast<double>(Bf16(i * 0x1p-8)), i * 0x1p-8);
}

TEST(Tf32, is_a_float_of_eleven_bits_rounded_to_even) {
  EXPECT_EQ(static_cast<double>(Tf32(1 + 0x1p-10)), 1 + 0x1p-10);
  EXPECT_EQ(static_cast<double>(Tf32(1 + 0x1p-11)), 1);  // halfway
  EXPECT_EQ(static_cast<double>(Tf32(1 + 3 * 0x1p-11)), 1 + 0x1p-9);
  EXPECT_EQ(static_cast<double>(Tf32(-(2 - 0x1p-12))), -2);
  for (int i = 1024; i < 2048; ++i) EXPECT_EQ(static_cast<double>(Tf32(i * 0x1p-11)), i * 0x1p-11);
}

}  // namespace
}  // namespace plumbline
