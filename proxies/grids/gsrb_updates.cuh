// The smoother's loops on GPUs: one thread a cell, of stride2 one for two neighbours in a row of which one is updated. The compiler fuses
// products and sums: the operations are those of the formula, how many of them are FMAs is open.
#pragma once
#include <cstddef>
#include <cstdint>

#include "cuda/register.cuh"
#include "proxies/grids/gsrb_loop.hpp"

namespace plumbline {
namespace {

/// The cell of a thread where so many threads share each row of n cells: a box, a row of it, and the thread's share. It is found in 32
/// bits, whose division takes a GPU few instructions.
struct ThreadsCell {
  PLUMBLINE_BOTH ThreadsCell(std::size_t thread, unsigned n, unsigned threads_a_row) {
    const auto t = static_cast<unsigned>(thread);
    const unsigned r = t / threads_a_row;
    share = t % threads_a_row, j = r % n, k = r / n % n, box = r / (n * n);
  }
  unsigned share, j, k, box;
};

/// A row of cells, of which each of so many threads has its share.
struct SmoothedRow {
  template <class Real>
  PLUMBLINE_BOTH SmoothedRow(const Gsrb<Real>& s, std::size_t thread, unsigned threads_a_row) {
    const auto n = static_cast<unsigned>(s.n), boxes = static_cast<unsigned>(s.boxes);
    const ThreadsCell at(thread, n, threads_a_row);
    const unsigned place = at.box % boxes + at.box / boxes % boxes + at.box / (boxes * boxes);
    share = at.share;
    cell = first_cell(at.box, at.k, at.j, n) + share;
    first_updated = (place * n + at.j + at.k + static_cast<unsigned>(s.color)) % 2;
  }
  unsigned share, first_updated;  // the first cell of the row that has the color
  std::size_t cell;               // the place in all arrays of the thread's cell, where each has one
};

/// The residual of the cell at this place.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real residual_at(const Gsrb<Real>& s, std::size_t at) {
  const auto row = static_cast<std::ptrdiff_t>(s.n + 4);
  return s.rhs[at] - apply_fourth_order(s.constants, s.x + at, s.beta[0] + at, s.beta[1] + at, s.beta[2] + at, row, row * row, AnyHow{});
}

/// The amount that the update adds to the cell at this place.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Real gain(const Gsrb<Real>& s, std::size_t at) {
  return s.diagonal[at] * residual_at(s, at);
}

struct MaskedUpdate {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Gsrb<Real>& s, std::size_t thread) {
    const SmoothedRow row(s, thread, static_cast<unsigned>(s.n));
    s.out[row.cell] = s.x[row.cell] + s.mask[row.first_updated * s.n + row.share] * gain(s, row.cell);
  }
};

struct BranchedUpdate {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Gsrb<Real>& s, std::size_t thread) {
    const SmoothedRow row(s, thread, static_cast<unsigned>(s.n));
    if (row.share % 2 == row.first_updated)
      s.out[row.cell] = s.x[row.cell] + gain(s, row.cell);
    else
      s.out[row.cell] = s.x[row.cell];
  }
};

struct EveryOtherUpdate {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Gsrb<Real>& s, std::size_t thread) {
    const auto n = static_cast<unsigned>(s.n);
    const SmoothedRow row(s, thread, (n + 1) / 2);
    const unsigned updated = 2 * row.share + row.first_updated, copied = 2 * row.share + 1 - row.first_updated;
    const std::size_t first = row.cell - row.share;
    if (updated < n) s.out[first + updated] = s.x[first + updated] + gain(s, first + updated);
    if (copied < n) s.out[first + copied] = s.x[first + copied];
  }
};

/// Copies the ghost cells of a row of all cells: one thread a cell.
struct GhostCopy {
  template <class Real>
  PLUMBLINE_BOTH static void element(const Gsrb<Real>& s, std::size_t thread) {
    const std::size_t n = s.n, i = thread % (n + 4);
    const GhostRow row = ghost_row(thread / (n + 4), s.boxes, n);
    if (i < 2)
      s.x[row.to + i] = s.x[row.left + n + i];
    else if (i >= n + 2)
      s.x[row.to + i] = s.x[row.right + i - n];
    else if (row.middle != row.to)
      s.x[row.to + i] = s.x[row.middle + i];
  }
};

/// Gives act<Body>(threads a row) for the loop.
template <class Real, class Act>
void select(const Gsrb<Real>& s, Act act) {
  switch (s.loop) {
    case GsrbLoop::ghosts:
      return act.template operator()<GhostCopy>(s.n + 4);
    case GsrbLoop::fp:
      return act.template operator()<MaskedUpdate>(s.n);
    case GsrbLoop::branch:
      return act.template operator()<BranchedUpdate>(s.n);
    case GsrbLoop::stride2:
      return act.template operator()<EveryOtherUpdate>((s.n + 1) / 2);
  }
}

/// Tells of a launch of so many threads what its code does not: nothing where they part ways.
template <class Real>
void tell_launch(const Gsrb<Real>& s, std::uint64_t threads) {
  if (s.loop == GsrbLoop::ghosts) return cuda::next_launch_untold("threads part ways: those of cells that are no ghosts copy nothing");
  if (s.loop == GsrbLoop::branch) return cuda::next_launch_untold("threads part ways: those of the other color only copy");
  if (s.loop == GsrbLoop::stride2 && s.n % 2 == 1)
    return cuda::next_launch_untold("threads part ways at the ends of rows, whose length is odd");
  cuda::next_launch(threads, {}, s.loop == GsrbLoop::stride2);
}

/// Queues a loop of the smoother, or does it on the host.
template <class Real>
void launch_smoother(const Gsrb<Real>& s, std::size_t begin, std::size_t end) {
  select(s, [&]<class Body>(std::size_t threads) {
    tell_launch(s, (end - begin) * threads);
    cuda::queue_elements<Body>(s, begin * threads, end * threads);
  });
}
template <class Real>
void smooth_on_host(const Gsrb<Real>& s, std::size_t begin, std::size_t end) {
  select(s, [&]<class Body>(std::size_t threads) { cuda::elements_on_host<Body>(s, begin * threads, end * threads); });
}

}  // namespace
}  // namespace plumbline
