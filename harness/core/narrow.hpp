// Floating-point numbers of fewer bits are kept as bits: stored and rounded here, computed with where a flavor has the instructions.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace plumbline {

/// IEEE 754 binary16 (_Float16, which not every compiler has at baseline), with the arithmetic of hardware: each operation rounded
/// once, to nearest even; a product that is added to a number rounded with the sum, as an FMA does.
class Fp16 {
 public:
  Fp16() = default;
  explicit Fp16(double value) : bits_(rounded(value)) {}
  explicit operator double() const {
    const std::uint64_t exponent = bits_ >> 10 & 31, fraction = bits_ & 1023;
    const double magnitude = exponent == 0    ? static_cast<double>(fraction) * 0x1p-24
                             : exponent == 31 ? (fraction == 0 ? HUGE_VAL : NAN)
                                              : std::bit_cast<double>((exponent + 1023 - 15) << 52 | fraction << 42);
    return bits_ >> 15 != 0 ? -magnitude : magnitude;
  }
  explicit operator long double() const { return static_cast<double>(*this); }

  static Fp16 from_bits(std::uint16_t bits) {
    Fp16 x;
    x.bits_ = bits;
    return x;
  }
  std::uint16_t bits() const { return bits_; }

  /// The exact product of two numbers: 22 bits.
  struct Product {
    double exact;
    operator Fp16() const { return Fp16(exact); }
  };
  friend Product operator*(Fp16 x, Fp16 y) { return {double(x) * double(y)}; }
  friend Fp16 operator+(Fp16 x, Fp16 y) { return Fp16(double(x) + double(y)); }
  friend Fp16 operator-(Fp16 x, Fp16 y) { return Fp16(double(x) - double(y)); }
  friend Fp16 operator+(Product x, Fp16 y) { return Fp16(x.exact + double(y)); }
  friend Fp16 operator+(Fp16 x, Product y) { return Fp16(double(x) + y.exact); }
  friend Fp16 operator-(Fp16 x, Product y) { return Fp16(double(x) - y.exact); }

 private:
  static std::uint16_t rounded(double value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return 0x7e00;
    if (magnitude >= 65520) return sign | 0x7c00;
    // A double this large has no bits below the last one of an fp16: adding it rounds, to even.
    const std::uint64_t exponent = std::max(std::bit_cast<std::uint64_t>(magnitude) >> 52, smallest_exponent);
    const double large = std::bit_cast<double>((exponent + 52 - 10) << 52);
    const double nearest = magnitude + large - large;
    if (nearest < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(nearest * 0x1p24));
    return static_cast<std::uint16_t>(sign | ((std::bit_cast<std::uint64_t>(nearest) >> 42) - ((smallest_exponent - 1) << 10)));
  }
  static constexpr std::uint64_t smallest_exponent = 1023 - 14;  // of a normal fp16, as a double has it

  std::uint16_t bits_ = 0;
};

/// bfloat16: the upper half of a float.
class Bf16 {
 public:
  Bf16() = default;
  explicit Bf16(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    bits_ = static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits_} << 16); }
  explicit operator double() const { return static_cast<float>(*this); }
  std::uint16_t bits() const { return bits_; }

 private:
  std::uint16_t bits_ = 0;
};

/// TensorFloat-32: a float of which a tensor core takes the first 11 significant bits.
class Tf32 {
 public:
  Tf32() = default;
  explicit Tf32(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    bits_ = (bits + 0xfff + (bits >> 13 & 1)) & ~std::uint32_t{0x1fff};
  }
  explicit operator float() const { return std::bit_cast<float>(bits_); }
  explicit operator double() const { return static_cast<float>(*this); }
  std::uint32_t bits() const { return bits_; }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace plumbline
