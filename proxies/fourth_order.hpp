// A finite-volume operator of fourth order: -b div(beta grad x) on cells of a uniform grid, where beta varies (McCorquodale, Colella 2011;
// as HPGMG-FV uses it). x holds averages over cells, beta averages over faces.
#pragma once
#include <cstddef>

namespace {

/// One place of the arrays that the operator reads. `beta[d]` is at the lower face of the cell in direction d, and `step[d]` leads to
/// the next cell there.
template <class Real>
struct FourthOrder {
  const Real* x;
  const Real* beta[3];
  std::ptrdiff_t step[3];
  Real fifteen, twelfth, forty_eighth, minus_b;  // minus_b: -b / spacing^2
};

/// The flux by the difference across a face, from the averages of four cells in a row; `out` leads to the cell behind the face.
template <class Real>
inline __attribute__((always_inline)) Real across_face(const Real* x, Real beta, std::ptrdiff_t out, Real fifteen) {
  return beta * (fifteen * (x[out] - x[0]) - (x[2 * out] - x[-out]));
}

/// The flux by the change of beta along the face, in direction `along`.
template <class Real>
inline __attribute__((always_inline)) Real along_face(const Real* x, const Real* beta, std::ptrdiff_t out, std::ptrdiff_t along) {
  return (beta[along] - beta[-along]) * (((x[out + along] - x[along]) - x[out - along]) + x[-along]);
}

/// Leaves it to the compiler how it computes the terms of faces.
struct AnyHow {
  template <class Real>
  Real operator()(Real term) const {
    return term;
  }
};

/// Keeps terms of faces apart where a loop is not vectorized: compilers join two of them in a vector that has lanes to spare, and FLOPs
/// would hang on the flavor.
struct OneByOne {
  template <class Real>
  Real operator()(Real term) const {
    return term;
  }
#if defined(__x86_64__)
  float operator()(float term) const { return apart(term); }
  double operator()(double term) const { return apart(term); }
  template <class Real>
  static Real apart(Real term) {
    asm("" : "+x"(term));
    return term;
  }
#endif
};

template <class Real>
struct FaceTerms {
  Real across, along;
};

/// The terms of the two faces in direction d, whose beta varies along the other two.
template <class Real, class How>
inline __attribute__((always_inline)) FaceTerms<Real> faces_in(const FourthOrder<Real>& a, int d, int one, int other, How how) {
  const std::ptrdiff_t up = a.step[d], down = -up;
  const Real *lower = a.beta[d], *upper = lower + up;
  return {how(across_face(a.x, upper[0], up, a.fifteen)) + how(across_face(a.x, lower[0], down, a.fifteen)),
          (how(along_face(a.x, upper, up, a.step[one])) + how(along_face(a.x, upper, up, a.step[other]))) +
              (how(along_face(a.x, lower, down, a.step[one])) + how(along_face(a.x, lower, down, a.step[other])))};
}

/// The operator at a cell: 110 operations, 83 of them sums and differences.
template <class Real, class How>
inline __attribute__((always_inline)) Real apply_fourth_order(const FourthOrder<Real>& a, How how) {
  const FaceTerms<Real> i = faces_in(a, 0, 1, 2, how), j = faces_in(a, 1, 0, 2, how), k = faces_in(a, 2, 0, 1, how);
  return a.minus_b * (a.twelfth * (i.across + j.across + k.across) + a.forty_eighth * (i.along + j.along + k.along));
}

}  // namespace
