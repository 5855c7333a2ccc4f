// These loops alone are the Gauss-Seidel, red-black smoother out of place: ghost cells are copied between boxes, and cells of one color are
// updated. They are compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>

#include "proxies/grids/fourth_order.hpp"

enum class GsrbLoop { ghosts, fp, branch, stride2 };

/// A rank's boxes are a cube of boxes^3, box by box; each has n^3 cells within ghost cells two deep, as all arrays have.
template <class Real>
struct Gsrb {
  GsrbLoop loop;
  std::size_t boxes, n, color;  // of each side; cells whose place on the rank has an even sum have color 0
  Real* x;                      // read; loop ghosts writes its ghost cells
  Real* out;
  const Real *rhs, *diagonal;  // the inverse of the operator's diagonal
  const Real* beta[3];
  const Real* mask;  // fp only: two rows of n, 1 where cells have the color, else 0; in one the first cell has it
  FourthOrder<Real> constants;
};

/// The place of a row among all rows of all planes of all boxes, each of so many boxes or rows a side.
struct BoxRow {
  std::size_t box, bi, bj, bk, j, k;
};

namespace {

/// Finds row r.
constexpr BoxRow box_row(std::size_t r, std::size_t boxes, std::size_t rows) {
  const std::size_t box = r / (rows * rows);
  return {box, box % boxes, box / boxes % boxes, box / (boxes * boxes), r % rows, r / rows % rows};
}
/// Goes on to the next row. (box_row's divisions take longer than filling a row's ghost cells.)
inline void go_on(BoxRow& at, std::size_t boxes, std::size_t rows) {
  if (++at.j < rows) return;
  at.j = 0;
  if (++at.k < rows) return;
  at.k = 0;
  ++at.box;
  if (++at.bi < boxes) return;
  at.bi = 0;
  if (++at.bj < boxes) return;
  at.bj = 0;
  ++at.bk;
}

/// The place of a row's first cell in all arrays, by the place of the row among those of cells.
constexpr std::size_t first_cell(std::size_t box, std::size_t k, std::size_t j, std::size_t n) {
  const std::size_t row = n + 4;
  return ((box * row + k + 2) * row + j + 2) * row + 2;
}

/// Updates a row whose first cell to have the color is number `first`. All pointers are at the row's first cell.
template <class Real>
inline void update_row(const Gsrb<Real>& s, std::size_t first, const Real* __restrict x, Real* __restrict out, const Real* __restrict rhs,
                       const Real* __restrict diagonal, const Real* __restrict beta_i, const Real* __restrict beta_j,
                       const Real* __restrict beta_k) {
  const std::size_t n = s.n;
  const auto row = static_cast<std::ptrdiff_t>(n + 4), plane = row * row;
  const FourthOrder<Real> constants = s.constants;
  const auto gain = [=](std::size_t i, auto how) __attribute__((always_inline)) {
    return diagonal[i] * (rhs[i] - apply_fourth_order(constants, x + i, beta_i + i, beta_j + i, beta_k + i, row, plane, how));
  };
  switch (s.loop) {
    case GsrbLoop::fp: {
      const Real* __restrict mask = s.mask + first * n;
      for (std::size_t i = 0; i < n; ++i) out[i] = x[i] + mask[i] * gain(i, AnyHow{});
      break;
    }
    case GsrbLoop::branch:
      for (std::size_t i = 0; i < n; ++i)
        if (i % 2 == first) {
          asm volatile("");  // a branch is what it is to be: no compiler computes both sides and selects
          out[i] = x[i] + gain(i, OneByOne{});
        } else {
          out[i] = x[i];
        }
      break;
    case GsrbLoop::stride2:
      for (std::size_t i = first; i < n; i += 2) {
        asm volatile("");  // scalar: vectors gathered from every other cell are no faster
        out[i] = x[i] + gain(i, OneByOne{});
      }
      for (std::size_t i = 1 - first; i < n; i += 2) {
        asm volatile("");
        out[i] = x[i];
      }
      break;
    case GsrbLoop::ghosts:
      break;
  }
}

template <class Real>
inline void smooth_row(const Gsrb<Real>& s, std::size_t r) {
  const BoxRow at = box_row(r, s.boxes, s.n);
  const std::size_t cell = first_cell(at.box, at.k, at.j, s.n), first = ((at.bi + at.bj + at.bk) * s.n + at.j + at.k + s.color) % 2;
  update_row<Real>(s, first, s.x + cell, s.out + cell, s.rhs + cell, s.diagonal + cell, s.beta[0] + cell, s.beta[1] + cell,
                   s.beta[2] + cell);
}

/// Row `to` of a box with its ghost cells: the row that its middle comes from (itself, where it has one), and those of the boxes beside.
struct GhostRow {
  std::size_t to, left, middle, right;
};

/// The first elements of row r, and of those that its ghost cells come from. Above and below the rank's cube ghost cells have come from
/// other ranks, in the columns of cells that a box has itself.
constexpr GhostRow ghost_row(const BoxRow& to, std::size_t boxes, std::size_t n) {
  const std::size_t row = n + 4;
  const auto before = [=](std::size_t at) { return (at == 0 ? boxes : at) - 1; };
  const auto behind = [=](std::size_t at) { return at + 1 == boxes ? 0 : at + 1; };
  std::size_t bj = to.bj, bk = to.bk, j = to.j, k = to.k;
  if (to.j < 2) bj = before(bj), j += n;
  if (to.j >= n + 2) bj = behind(bj), j -= n;
  if (to.k < 2 && bk > 0) bk -= 1, k += n;
  if (to.k >= n + 2 && bk + 1 < boxes) bk += 1, k -= n;
  const auto first_of = [&](std::size_t bi) { return ((((bk * boxes + bj) * boxes + bi) * row + k) * row + j) * row; };
  return {((to.box * row + to.k) * row + to.j) * row, first_of(before(to.bi)), first_of(to.bi), first_of(behind(to.bi))};
}
constexpr GhostRow ghost_row(std::size_t r, std::size_t boxes, std::size_t n) { return ghost_row(box_row(r, boxes, n + 4), boxes, n); }

template <class Real>
inline void fill_ghosts_of_row(const Gsrb<Real>& s, const BoxRow& at) {
  const std::size_t n = s.n;
  const GhostRow row = ghost_row(at, s.boxes, n);
  Real* const to = s.x + row.to;
  const Real *left = s.x + row.left, *middle = s.x + row.middle, *right = s.x + row.right;
  if (row.middle != row.to)
    for (std::size_t i = 2; i < n + 2; ++i) to[i] = middle[i];
  to[0] = left[n], to[1] = left[n + 1];
  to[n + 2] = right[2], to[n + 3] = right[3];
}

}  // namespace

/// Rows [begin, end): of cells, or in loop ghosts of cells and ghost cells.
template <class Real>
static void sweep(const Gsrb<Real>& s, std::size_t begin, std::size_t end) {
  if (s.loop == GsrbLoop::ghosts) {
    BoxRow at = box_row(begin, s.boxes, s.n + 4);
    for (std::size_t r = begin; r < end; ++r, go_on(at, s.boxes, s.n + 4)) fill_ghosts_of_row(s, at);
  } else {
    for (std::size_t r = begin; r < end; ++r) smooth_row(s, r);
  }
}
