// Arithmetic is written so that no compiler fuses, splits or leaves it out: one instruction an operation on the device, the same rounding
// on the host, and counted where the number is Counted.
#pragma once
#include <cmath>
#include <type_traits>

#include "core/counted.hpp"

#define PLUMBLINE_BOTH __host__ __device__ __forceinline__

namespace plumbline::cuda {

#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real times(Real a, Real b) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Real, double>) return __dmul_rn(a, b);
  if constexpr (std::is_same_v<Real, float>) return __fmul_rn(a, b);
#endif
  return a * b;
}

#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real plus(Real a, Real b) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Real, double>) return __dadd_rn(a, b);
  if constexpr (std::is_same_v<Real, float>) return __fadd_rn(a, b);
#endif
  return a + b;
}

/// The value of a b + c, rounded once.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real fused(Real a, Real b, Real c) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Real, double>) return __fma_rn(a, b, c);
  if constexpr (std::is_same_v<Real, float>) return __fmaf_rn(a, b, c);
#endif
  using std::fma;
  return fma(a, b, c);
}

/// The quotient, correctly rounded; on the device it is a sequence of instructions.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real quotient(Real a, Real b) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Real, double>) return __ddiv_rn(a, b);
  if constexpr (std::is_same_v<Real, float>) return __fdiv_rn(a, b);
#endif
  return a / b;
}

/// The square root, correctly rounded; on the device it is a sequence of instructions.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real square_root(Real a) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Real, double>) return __dsqrt_rn(a);
  if constexpr (std::is_same_v<Real, float>) return __fsqrt_rn(a);
#endif
  using std::sqrt;
  return sqrt(a);
}

}  // namespace plumbline::cuda
