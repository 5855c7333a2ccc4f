// The numbers of fp16 are so few that what any count of ert/peak's iterations makes of each of them can be told exactly, rounding by
// rounding.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/narrow.hpp"
#include "ert/peak_forms.hpp"

namespace plumbline {

/// Sets constants that keep values varied and within [0, 1] however they are rounded: every iteration but that of fmaadd's additions is a
/// reflection, and most or many of the 1024 starting values stay apart for ever.
inline void set_constants(Peak<Fp16>& x) {
  if (x.shape == PeakShape::brief) {  // about 3/4, and each of them back
    x.p = Fp16(-(1 - 0x1p-11));
    x.r = Fp16(1.5);
    return;
  }
  switch (x.form) {
    case PeakForm::fma:
    case PeakForm::scalar_fma:
    case PeakForm::muladd:  // about 3/4
      x.p = Fp16(1.3716);
      x.q = Fp16(-1 / 1.3716);
      x.r = Fp16(1.5 / (1 - 1 / 1.3716));
      break;
    case PeakForm::add:
    case PeakForm::scalar_add:  // about 3/4
      x.p = Fp16(0.625);
      x.q = Fp16(2.125);
      break;
    case PeakForm::mul:  // about 0
      x.p = Fp16(0.9);
      x.q = Fp16(-1 / 0.9);
      break;
    case PeakForm::fmaadd:  // about 1/2, and back
      x.p = x.q = Fp16(1 - 0x1p-11);
      break;
  }
}

/// The result of n iterations, as a table over all fp16 numbers.
class Fp16Iterations {
 public:
  /// Tabulates `iterations` of the map (brief: halves of them). `multiplied`: for fmaadd the chains of FMAs, else those of additions.
  Fp16Iterations(const Peak<Fp16>& x, std::uint64_t iterations, bool multiplied) : result_(all) {
    std::vector<std::uint16_t> power(all);
    for (std::size_t bits = 0; bits < all; ++bits) {
      result_[bits] = static_cast<std::uint16_t>(bits);
      power[bits] = iteration(x, multiplied, Fp16::from_bits(static_cast<std::uint16_t>(bits))).bits();
    }
    for (std::uint64_t n = iterations; n != 0; n >>= 1, power = after(power, power))
      if (n & 1) result_ = after(power, result_);
  }
  Fp16 operator()(Fp16 start) const { return Fp16::from_bits(result_[start.bits()]); }

 private:
  static constexpr std::size_t all = std::size_t{1} << 16;

  static std::vector<std::uint16_t> after(const std::vector<std::uint16_t>& outer, const std::vector<std::uint16_t>& inner) {
    std::vector<std::uint16_t> both(all);
    for (std::size_t bits = 0; bits < all; ++bits) both[bits] = outer[inner[bits]];
    return both;
  }

  static Fp16 iteration(const Peak<Fp16>& x, bool multiplied, Fp16 v) {
    if (x.shape == PeakShape::brief) {
      v = v * x.p;
      return v + x.r;
    }
    switch (x.form) {
      case PeakForm::fma:
      case PeakForm::scalar_fma:
        v = v * x.p + x.r;
        return v * x.q + x.r;
      case PeakForm::add:
      case PeakForm::scalar_add:
        return x.q - (v + x.p);
      case PeakForm::mul:
        v = v * x.p;
        return v * x.q;
      case PeakForm::muladd:
        v = v * x.p;
        v = v + x.r;
        v = v * x.q;
        return v + x.r;
      case PeakForm::fmaadd:
        if (!multiplied) return x.p - (x.q - (x.p - (x.q - v)));
        for (int step = 0; step < 3; ++step) v = x.q - v * x.p;
        return v;
    }
    return v;
  }

  std::vector<std::uint16_t> result_;
};

}  // namespace plumbline
