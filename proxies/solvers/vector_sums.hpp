// Sums over a vector of points are made over each plane, by four sums at a time, and then over the planes: alike on any number of threads.
#pragma once
#include <cstddef>

#include "proxies/one_by_one.hpp"

namespace {

/// The sum over plane r, of so many points, of what `term` says of a place.
template <class Real, class Term>
inline Real sum_of_plane(std::size_t plane, std::size_t r, Term term) {
  const std::size_t begin = r * plane, end = begin + plane;
  Real a = term(begin), b = term(begin + 1), c = term(begin + 2), d = term(begin + 3);
  for (std::size_t i = begin + 4; i < end; i += 4) {
    a = a + term(i);
    b = b + term(i + 1);
    c = c + term(i + 2);
    d = d + term(i + 3);
  }
  const OneByOne apart;
  return apart(apart(a) + apart(b)) + apart(apart(c) + apart(d));
}

/// The sum of what the planes gave.
template <class Real>
inline Real sum_of_planes(const Real* of_planes, std::size_t planes) {
  Real sum = of_planes[0];
  for (std::size_t r = 1; r < planes; ++r) sum = sum + of_planes[r];
  return sum;
}

}  // namespace
