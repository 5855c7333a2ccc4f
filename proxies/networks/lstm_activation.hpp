// The hyperbolic tangent and the logistic function by sums, products and one division, so that every compiler does the same operations. For
// flavored loops everything is of internal linkage.
#pragma once
#include <cstddef>

#include "proxies/networks/matrix_product.hpp"

/// The constants of the tangent: tanh(x) of an eighth of x is the seventh convergent of Lambert's continued fraction
///   tanh z = z / (1 + s / (3 + s / (5 + ... + s / 13))) = z (1 + 5/39 s + 2/715 s^2 + s^3/135135) / (1 + 6/13 s + 10/429 s^2 + 4/19305
///   s^3)
/// with s = z^2, and three times doubled by tanh 2z = 2 tanh z / (1 + tanh^2 z). In exact arithmetic its error is below 2e-17 where |x| is
/// at most 40 (lstm_test); far beyond it falls off to zero. The logistic function is (1 + tanh(x / 2)) / 2.
template <class Real>
struct LstmConstants {
  Real one = Real(1), half = Real(0.5), eighth = Real(1. / 8), sixteenth = Real(1. / 16);
  Real above[3] = {Real(5. / 39), Real(2. / 715), Real(1. / 135135)};
  Real below[3] = {Real(6. / 13), Real(10. / 429), Real(4. / 19305)};
};

/// The type in which an LSTM computes: numbers of 16 bits are kept as such, and computed with in fp32.
template <class Real, bool is_narrow = sizeof(Real) == 2>
struct LstmNumber {
  using Type = Real;
};
template <class Real>
struct LstmNumber<Real, true> {
  using Type = float;
};
template <class Real>
using LstmSum = typename LstmNumber<Real>::Type;

/// The operations of a tangent: 12 sums, 18 products and a division; the logistic function has a sum and a product more.
constexpr std::size_t lstm_tanh_sums = 12, lstm_tanh_products = 18;
/// An error in units of the roundoff that neither of both surpasses where |x| is at most 40: numerator and denominator, whose terms are all
/// positive, pass 11 and 10 roundings, each doubling 3 more and magnifies no relative error, the quotient one: 31, and some of second
/// order.
constexpr std::size_t lstm_roundings_of_activation = 40;

namespace {

/// One more term of a polynomial: sum <- constant + s sum.
template <class Real, class V>
PLUMBLINE_INLINE void lstm_horner(V& sum, const V& s, Real constant) {
  sum = repeated<V>(constant) + s * sum;
  keep_apart<Real>(sum);
}
/// The polynomial 1 + a s + b s^2 + c s^3.
template <class Real, class V>
PLUMBLINE_INLINE void lstm_cubic(V& sum, const V& s, const Real (&terms)[3], Real one) {
  sum = repeated<V>(terms[2]);
  lstm_horner<Real>(sum, s, terms[1]);
  lstm_horner<Real>(sum, s, terms[0]);
  lstm_horner<Real>(sum, s, one);
}
/// The tangent of twice the angle whose tangent is p / q.
template <class Real, class V>
PLUMBLINE_INLINE void lstm_double_angle(V& p, V& q) {
  V of_p = p * p, twice = p + p;
  keep_apart<Real>(of_p);
  keep_apart<Real>(twice);
  p = twice * q;
  keep_apart<Real>(p);
  q = of_p + q * q;
  keep_apart<Real>(q);
}
/// x <- tanh(8 scale x).
template <class Real, class V>
PLUMBLINE_INLINE void lstm_tanh(V& x, Real scale, const LstmConstants<Real>& constants) {
  V p, q, z = x * repeated<V>(scale);
  keep_apart<Real>(z);
  V s = z * z;
  keep_apart<Real>(s);
  lstm_cubic(p, s, constants.above, constants.one);
  lstm_cubic(q, s, constants.below, constants.one);
  p = z * p;
  keep_apart<Real>(p);
  lstm_double_angle<Real>(p, q);
  lstm_double_angle<Real>(p, q);
  lstm_double_angle<Real>(p, q);
  x = p / q;
  keep_apart<Real>(x);
}
/// x <- 1 / (1 + exp(-x)).
template <class Real, class V>
PLUMBLINE_INLINE void lstm_sigmoid(V& x, const LstmConstants<Real>& constants) {
  lstm_tanh(x, constants.sixteenth, constants);
  const V half = repeated<V>(constants.half);
  x = half + half * x;
  keep_apart<Real>(x);
}

}  // namespace
