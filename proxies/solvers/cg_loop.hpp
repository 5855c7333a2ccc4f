// These loops alone are those of conjugate gradients and of their preconditioner. They are compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>
#include <cstdint>

#include "proxies/one_by_one.hpp"
#include "proxies/solvers/vector_sums.hpp"

enum class CgLoop { smoother, product, restriction, prolongation, dot, norm, total, ratio, scaled_sum, update };

/// A row of the matrix has an entry for each of the 27 points around its own, its own in the middle.
inline constexpr std::size_t cg_entries = 27, cg_diagonal = 13;

/// Vectors are in the order of points: n a line, n lines a plane. Those that rows are multiplied with have a neighbour's plane before and
/// behind. Rows of the matrix are in the order of lines, of each first those of even points.
template <class Real>
struct Cg {
  CgLoop loop;
  std::size_t n;                          // of the finer of the two grids where there are two
  std::size_t planes;                     // whose sums the total adds up
  std::size_t color;                      // smoother: 4 z + 2 y + x, the parities of its points
  const Real* values = nullptr;           // 27 a row
  const std::int32_t* columns = nullptr;  // 27 a row: places in a vector with neighbours' planes
  const Real *in = nullptr, *other = nullptr;
  Real *out = nullptr, *updated = nullptr, *cleared = nullptr;  // updated: the residual; cleared becomes zero beside
  const Real* factor = nullptr;
  double* sum = nullptr;                                      // the total's
  const double *numerator = nullptr, *denominator = nullptr;  // the ratio's
  Real least;                                                 // a positive number: a ratio of nothing to nothing, and it, is nothing
};

namespace {

/// The rest of `sum` when a row's entries, times their points, are taken off it.
template <class Real>
inline Real less_row(Real sum, const Real* values, const std::int32_t* columns, const Real* x) {
  const OneByOne apart;
  for (std::size_t e = 0; e < cg_entries; ++e) sum = apart(sum - values[e] * x[columns[e]]);
  return sum;
}

/// A row's entries times their points.
template <class Real>
inline Real times_row(const Real* values, const std::int32_t* columns, const Real* x) {
  const OneByOne apart;
  Real sum = apart(values[0] * x[columns[0]]);
  for (std::size_t e = 1; e < cg_entries; ++e) sum = apart(sum + values[e] * x[columns[e]]);
  return sum;
}

/// Line r of the points of one color, which are no neighbours of each other: Gauss-Seidel. `in` is the right-hand side, `out` the solution.
template <class Real>
inline void smooth_line(const Cg<Real>& s, std::size_t r) {
  const OneByOne apart;
  const std::size_t n = s.n, half = n / 2, of_x = s.color % 2, j = r % half * 2 + s.color / 2 % 2;
  const std::size_t line = (r / half * 2 + s.color / 4) * n + j, row = line * n + of_x * half, point = line * n + of_x;
  const Real* values = s.values + row * cg_entries;
  const std::int32_t* columns = s.columns + row * cg_entries;
  const Real* const right = s.in + point;
  Real* const own = s.out + n * n + point;
  for (std::size_t i = 0; i < half; ++i, values += cg_entries, columns += cg_entries) {
    const Real rest = less_row<Real>(right[2 * i], values, columns, s.out), diagonal = values[cg_diagonal];
    own[2 * i] = apart(apart(rest + own[2 * i] * diagonal) / diagonal);
  }
}

/// Line r of the matrix times `in`.
template <class Real>
inline void multiply_line(const Cg<Real>& s, std::size_t r) {
  const std::size_t half = s.n / 2, row = r * s.n;
  const Real *even = s.values + row * cg_entries, *odd = even + half * cg_entries;
  const std::int32_t *of_even = s.columns + row * cg_entries, *of_odd = of_even + half * cg_entries;
  Real* const out = s.out + row;
  for (std::size_t i = 0; i < half; ++i) {
    out[2 * i] = times_row<Real>(even + i * cg_entries, of_even + i * cg_entries, s.in);
    out[2 * i + 1] = times_row<Real>(odd + i * cg_entries, of_odd + i * cg_entries, s.in);
  }
}

/// The point of the finer grid, in a vector without neighbours' planes, at which line r of the coarser one begins.
template <class Real>
inline std::size_t finer_line(const Cg<Real>& s, std::size_t r) {
  const std::size_t half = s.n / 2;
  return (r / half * 2 * s.n + r % half * 2) * s.n;
}

/// Line r of the coarser grid: the residual at its points, `in` less `other`, with which it begins anew.
template <class Real>
inline void restrict_line(const Cg<Real>& s, std::size_t r) {
  const OneByOne apart;
  const std::size_t half = s.n / 2, fine = finer_line(s, r);
  const Real *in = s.in + fine, *other = s.other + fine;
  for (std::size_t i = 0; i < half; ++i) {
    s.out[r * half + i] = apart(in[2 * i] - other[2 * i]);
    s.cleared[r * half + i] = Real(0);
  }
}

/// Line r of the coarser grid: the finer one's points gain what it has found for them.
template <class Real>
inline void prolong_line(const Cg<Real>& s, std::size_t r) {
  const OneByOne apart;
  const std::size_t half = s.n / 2;
  Real* const out = s.out + finer_line(s, r);
  for (std::size_t i = 0; i < half; ++i) out[2 * i] = apart(out[2 * i] + s.in[r * half + i]);
}

}  // namespace

/// The range counts lines, planes (dot, norm), or elements (scaled_sum, update); the total and the ratio have a range of one.
template <class Real>
static void sweep(const Cg<Real>& s, std::size_t begin, std::size_t end) {
  switch (s.loop) {
    case CgLoop::smoother:
      for (std::size_t r = begin; r < end; ++r) smooth_line(s, r);
      break;
    case CgLoop::product:
      for (std::size_t r = begin; r < end; ++r) multiply_line(s, r);
      break;
    case CgLoop::restriction:
      for (std::size_t r = begin; r < end; ++r) restrict_line(s, r);
      break;
    case CgLoop::prolongation:
      for (std::size_t r = begin; r < end; ++r) prolong_line(s, r);
      break;
    case CgLoop::dot:
      for (std::size_t r = begin; r < end; ++r)
        s.out[r] = sum_of_plane<Real>(s.n * s.n, r, [&](std::size_t i) { return s.in[i] * s.other[i]; });
      break;
    case CgLoop::norm:
      for (std::size_t r = begin; r < end; ++r)
        s.out[r] = sum_of_plane<Real>(s.n * s.n, r, [&](std::size_t i) { return s.in[i] * s.in[i]; });
      break;
    case CgLoop::total:
      for (std::size_t i = begin; i < end; ++i) s.sum[i] = static_cast<double>(sum_of_planes(s.in, s.planes));
      break;
    case CgLoop::ratio:
      for (std::size_t i = begin; i < end; ++i) s.out[i] = Real(s.numerator[i]) / (Real(s.denominator[i]) + s.least);
      break;
    case CgLoop::scaled_sum: {
      const Real factor = s.factor[0];
      const Real* __restrict in = s.in;
      Real* __restrict out = s.out;
      for (std::size_t i = begin; i < end; ++i) out[i] = in[i] + factor * out[i];
      break;
    }
    case CgLoop::update: {
      const Real factor = s.factor[0];
      const Real* __restrict in = s.in, * __restrict other = s.other;
      Real* __restrict out = s.out, * __restrict residual = s.updated, * __restrict cleared = s.cleared;
      for (std::size_t i = begin; i < end; ++i) {
        out[i] = out[i] + factor * in[i];
        residual[i] = residual[i] - factor * other[i];
        cleared[i] = Real(0);
      }
      break;
    }
  }
}
