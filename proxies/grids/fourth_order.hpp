// A finite-volume operator of fourth order: -b div(beta grad x) on cells of a uniform grid, where beta varies (McCorquodale, Colella 2011;
// as HPGMG-FV uses it). x holds averages over cells, beta averages over faces. (constexpr: so nvcc compiles it for GPUs, too.)
#pragma once
#include <cstddef>

#include "proxies/one_by_one.hpp"

namespace {

/// The operator's constants. minus_b is -b / spacing^2.
template <class Real>
struct FourthOrder {
  Real fifteen, twelfth, forty_eighth, minus_b;
};

/// The flux by the difference across a face, from the averages of four cells in a row; `out` leads to the cell behind the face.
template <class Real>
constexpr __attribute__((always_inline)) Real across_face(const Real* x, Real beta, std::ptrdiff_t out, Real fifteen) {
  return beta * (fifteen * (x[out] - x[0]) - (x[2 * out] - x[-out]));
}

/// The flux by the change of beta along a cell's upper face, in direction `along`; `beta` is that of the face.
template <class Real>
constexpr __attribute__((always_inline)) Real along_upper(const Real* x, const Real* beta, std::ptrdiff_t up, std::ptrdiff_t along) {
  return (beta[along] - beta[-along]) * (((x[up + along] - x[along]) - x[up - along]) + x[-along]);
}

/// The same along the lower face. Both factors have their signs turned, and the sum another order: a compiler that unrolls the end of a row
/// would else find in it what it has done for the upper face of the cell before, and FLOPs would hang on the length of the row.
template <class Real>
constexpr __attribute__((always_inline)) Real along_lower(const Real* x, const Real* beta, std::ptrdiff_t up, std::ptrdiff_t along) {
  return (beta[-along] - beta[along]) * (((x[along] + x[-up - along]) - x[along - up]) - x[-along]);
}

/// Leaves it to the compiler how it computes the terms of faces.
struct AnyHow {
  template <class Real>
  constexpr Real operator()(Real term) const {
    return term;
  }
};

template <class Real>
struct FaceTerms {
  Real across, along;
};

/// The terms of a cell's two faces in one direction, whose beta, given at the lower one, varies along the other two.
template <class Real, class How>
constexpr __attribute__((always_inline)) FaceTerms<Real> faces(const Real* x, const Real* lower, std::ptrdiff_t up, std::ptrdiff_t one,
                                                               std::ptrdiff_t other, Real fifteen, How how) {
  const Real* const upper = lower + up;
  return {how(across_face(x, upper[0], up, fifteen)) + how(across_face(x, lower[0], -up, fifteen)),
          (how(along_upper(x, upper, up, one)) + how(along_upper(x, upper, up, other))) +
              (how(along_lower(x, lower, up, one)) + how(along_lower(x, lower, up, other)))};
}

/// The operator at a cell: 110 operations, 83 of them sums and differences. Each beta is at the lower face of the cell in its direction;
/// `row` and `plane` lead to the next cell in j and k.
template <class Real, class How>
constexpr __attribute__((always_inline)) Real apply_fourth_order(const FourthOrder<Real>& a, const Real* x, const Real* beta_i,
                                                                 const Real* beta_j, const Real* beta_k, std::ptrdiff_t row,
                                                                 std::ptrdiff_t plane, How how) {
  const FaceTerms<Real> i = faces(x, beta_i, 1, row, plane, a.fifteen, how), j = faces(x, beta_j, row, 1, plane, a.fifteen, how),
                        k = faces(x, beta_k, plane, 1, row, a.fifteen, how);
  return a.minus_b * (a.twelfth * (i.across + j.across + k.across) + a.forty_eighth * (i.along + j.along + k.along));
}

}  // namespace
