// Divisions are written out as Newton steps, for which a compiler would make a sequence of its own with a way apart for rare numbers: so
// a model knows each instruction that a GPU's counters see. They are for normal numbers far from overflow and underflow.
#pragma once
#include <bit>
#include <cstdint>

#include "cuda/arithmetic.cuh"

namespace plumbline::cuda {

/// An estimate of 1 / x, right to 2^-19 or better: on the device one instruction (PTX: rcp.approx.ftz), which no counter takes for
/// arithmetic.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real reciprocal_estimate(Real x) {
#ifdef __CUDA_ARCH__
  Real estimate = 0;
  if constexpr (std::is_same_v<Real, double>) asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(x));
  if constexpr (std::is_same_v<Real, float>) asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
  return estimate;
#else
  const auto exact = std::bit_cast<std::uint64_t>(1.0 / static_cast<double>(x));
  return Real(std::bit_cast<double>(exact >> 32 << 32));
#endif
}

/// The FMAs of a reciprocal: one Newton step is two of them, and doubles the right digits. In fp64 the first step has a third one, which
/// makes it triple them.
template <class Real>
constexpr std::uint64_t reciprocal_fmas = sizeof(Real) == sizeof(float) ? 2 : 5;

/// The value of 1 / x, with less than two roundings' error.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real reciprocal(Real x) {
  Real y = reciprocal_estimate(x), residue = fused(-x, y, Real(1));
  if constexpr (reciprocal_fmas<Real> == 5) {
    residue = fused(residue, residue, residue);
    y = fused(y, residue, y);
    residue = fused(-x, y, Real(1));
  }
  return fused(y, residue, y);
}

/// The value of a / b, given reciprocal(b), by a product and quotient_fmas FMAs; with less than two roundings' error. Quotients by one
/// number share the reciprocal: of two the assembler would make one anyway.
constexpr std::uint64_t quotient_fmas = 2;
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real quotient_by(Real a, Real b, Real reciprocal_of_b) {
  const Real nearly = times(a, reciprocal_of_b);
  return fused(reciprocal_of_b, fused(-b, nearly, a), nearly);
}

}  // namespace plumbline::cuda
