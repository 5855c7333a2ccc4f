// These loops alone are multigrid's: the smoother's, the residual, the way down to the coarser level and the way up again. They are
// compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

#include "proxies/grids/gsrb_loop.hpp"

enum class MultigridLoop { smoother, residual, restriction, interpolation };

/// A box of n cells a side has n / 2 at the coarser level, within ghost cells as deep.
template <class Real>
struct Multigrid {
  MultigridLoop loop;
  Gsrb<Real> level;  // the finer of the two; its own loop matters to the smoother alone
  const Real* from;  // restriction: cells of the finer level; interpolation: of the coarser
  Real* to;          // the other way
  Real* cleared;     // restriction: the coarser level's x, which begins at zero
  Real eighth;
};

namespace {

template <class Real>
inline void residual_of_row(const FourthOrder<Real>& constants, std::size_t n, const Real* __restrict x, Real* __restrict out,
                            const Real* __restrict rhs, const Real* __restrict beta_i, const Real* __restrict beta_j,
                            const Real* __restrict beta_k) {
  const auto row = static_cast<std::ptrdiff_t>(n + 4), plane = row * row;
  for (std::size_t i = 0; i < n; ++i)
    out[i] = rhs[i] - apply_fourth_order(constants, x + i, beta_i + i, beta_j + i, beta_k + i, row, plane, AnyHow{});
}

template <class Real>
inline void residual_row(const Gsrb<Real>& s, std::size_t r) {
  const BoxRow at = box_row(r, s.boxes, s.n);
  const std::size_t cell = first_cell(at.box, at.k, at.j, s.n);
  residual_of_row<Real>(s.constants, s.n, s.x + cell, s.out + cell, s.rhs + cell, s.beta[0] + cell, s.beta[1] + cell, s.beta[2] + cell);
}

/// Row r of coarse cells, and the first of the four rows of finer cells that it covers.
struct RowOfTwo {
  std::size_t fine, coarse;
};
inline RowOfTwo row_of_two(std::size_t r, std::size_t boxes, std::size_t n) {
  const BoxRow at = box_row(r, boxes, n / 2);
  return {first_cell(at.box, 2 * at.k, 2 * at.j, n), first_cell(at.box, at.k, at.j, n / 2)};
}

template <class Real>
inline void restrict_row(const Multigrid<Real>& m, std::size_t r) {
  const std::size_t n = m.level.n, row = n + 4, plane = row * row;
  const RowOfTwo at = row_of_two(r, m.level.boxes, n);
  const Real *a = m.from + at.fine, *b = a + row, *c = a + plane, *d = b + plane;
  Real* __restrict to = m.to + at.coarse;
  Real* __restrict cleared = m.cleared + at.coarse;
  for (std::size_t i = 0; i < n / 2; ++i) {
    to[i] = m.eighth * (((a[2 * i] + a[2 * i + 1]) + (b[2 * i] + b[2 * i + 1])) + ((c[2 * i] + c[2 * i + 1]) + (d[2 * i] + d[2 * i + 1])));
    cleared[i] = Real(0);
  }
}

/// The averages over the lower and the upper half of a cell, whose neighbours are known.
template <class Real>
struct Halves {
  Real lower, upper;
};
template <class Real>
inline __attribute__((always_inline)) Halves<Real> halves(Real before, Real here, Real after, Real eighth) {
  const OneByOne apart;
  const Real slope = apart(eighth * apart(before - after));
  return {apart(here + slope), apart(here - slope)};
}

/// Adds to the eight cells of each coarse one what it and its 26 neighbours say: parabolas in each direction whose averages they are.
template <class Real>
inline void interpolate_row(const Multigrid<Real>& m, std::size_t r) {
  const std::size_t n = m.level.n, row = n + 4, plane = row * row, coarse_row = n / 2 + 4, coarse_plane = coarse_row * coarse_row;
  const RowOfTwo at = row_of_two(r, m.level.boxes, n);
  const Real eighth = m.eighth;
  const Real* const coarse = m.from + at.coarse;
  Real* __restrict fine = m.to + at.fine;
  for (std::size_t i = 0; i < n / 2; ++i) {
    Halves<Real> in_j[3][2];  // of three planes, for the lower and the upper half in i
    for (std::size_t k = 0; k < 3; ++k) {
      const Real* const x = coarse + i + k * coarse_plane - coarse_plane;
      const Real *below = x - coarse_row, *above = x + coarse_row;
      const Halves<Real> a = halves(below[-1], below[0], below[1], eighth), b = halves(x[-1], x[0], x[1], eighth),
                         c = halves(above[-1], above[0], above[1], eighth);
      in_j[k][0] = halves(a.lower, b.lower, c.lower, eighth);
      in_j[k][1] = halves(a.upper, b.upper, c.upper, eighth);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      const Halves<Real> lower = halves(in_j[0][side].lower, in_j[1][side].lower, in_j[2][side].lower, eighth);
      const Halves<Real> upper = halves(in_j[0][side].upper, in_j[1][side].upper, in_j[2][side].upper, eighth);
      Real* const to = fine + 2 * i + side;
      const OneByOne apart;
      to[0] = apart(to[0] + lower.lower);
      to[row] = apart(to[row] + upper.lower);
      to[plane] = apart(to[plane] + lower.upper);
      to[plane + row] = apart(to[plane + row] + upper.upper);
    }
  }
}

}  // namespace

/// Rows [begin, end): of the level's cells, with its ghost cells where they are copied, or of the coarser level's cells.
template <class Real>
static void sweep(const Multigrid<Real>& m, std::size_t begin, std::size_t end) {
  switch (m.loop) {
    case MultigridLoop::smoother:
      sweep(m.level, begin, end);
      break;
    case MultigridLoop::residual:
      for (std::size_t r = begin; r < end; ++r) residual_row(m.level, r);
      break;
    case MultigridLoop::restriction:
      for (std::size_t r = begin; r < end; ++r) restrict_row(m, r);
      break;
    case MultigridLoop::interpolation:
      for (std::size_t r = begin; r < end; ++r) interpolate_row(m, r);
      break;
  }
}
