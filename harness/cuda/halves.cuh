// Numbers of 16 bits are computed with in fp32: they are widened when they are loaded, and rounded when they are stored.
#pragma once
#include <cuda_fp16.h>

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/narrow.hpp"
#include "cuda/arithmetic.cuh"

namespace plumbline::cuda {

/// The number in the type that it is computed with: one of 16 bits is a float, every other what it is.
template <class Real>
PLUMBLINE_BOTH Real widened(const Real& x) {
  return x;
}
PLUMBLINE_BOTH float widened(const Fp16& x) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(std::bit_cast<std::uint16_t>(x)));
#else
  return static_cast<float>(static_cast<double>(x));
#endif
}

PLUMBLINE_BOTH float widened(const Bf16& x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(std::bit_cast<std::uint16_t>(x)) << 16);
}

/// The number there, which is loaded by every thread, also where a compiler sees that it is not needed.
template <class Real>
PLUMBLINE_BOTH Real surely_loaded(const Real* from) {
  return *from;
}
PLUMBLINE_BOTH Fp16 surely_loaded(const Fp16* from) {
#ifdef __CUDA_ARCH__
  std::uint16_t bits = 0;
  asm volatile("ld.global.u16 %0, [%1];" : "=h"(bits) : "l"(from));
  return std::bit_cast<Fp16>(bits);
#else
  return *from;
#endif
}

/// The number in the type that it is kept in, rounded to nearest.
template <class Real, class Number>
PLUMBLINE_BOTH Real narrowed(const Number& x) {
  if constexpr (std::is_same_v<Real, Number>) {
    return x;
  } else {
    static_assert(std::is_same_v<Real, Fp16> && std::is_same_v<Number, float>);
#ifdef __CUDA_ARCH__
    return std::bit_cast<Fp16>(static_cast<std::uint16_t>(__half_as_ushort(__float2half_rn(x))));
#else
    return Fp16(static_cast<double>(x));
#endif
  }
}

}  // namespace plumbline::cuda
