// These loops alone are those of the transpose-free solver and of its preconditioner. They are compiled once a flavor, and once on Counted.
#pragma once
#include <cstddef>
#include <cstdint>

#include "proxies/one_by_one.hpp"
#include "proxies/solvers/vector_sums.hpp"

enum class TfqmrLoop {
  copy,
  product,
  forward,
  backward,
  gather,
  begin,
  dot,
  norm,
  total,
  first,
  step,
  between,
  shorten,
  half_weight,
  whole_weight,
  solution,
  turn,
  directions
};

/// The numbers that the iterations go by, as Freund 1993 and PETSc's source name them: all is a sum over the own rank's points, squares
/// that over all ranks' of the residual; `cf` is how much of the last update is in the next.
enum TfqmrScalar : std::size_t {
  tfqmr_all,
  tfqmr_sigma,
  tfqmr_rho,
  tfqmr_last_rho,
  tfqmr_squares,
  tfqmr_norm,
  tfqmr_last_norm,
  tfqmr_alpha,
  tfqmr_beta,
  tfqmr_tau,
  tfqmr_psi,
  tfqmr_eta,
  tfqmr_cf,
  tfqmr_scalars
};

/// Rows are stored one after the other: starts has the place of each row's first entry, and of the last row's end. Columns of the matrix
/// are places in a vector with neighbours' planes; of a block's factors they are places in the block.
template <class Real>
struct Tfqmr {
  TfqmrLoop loop;
  std::size_t plane;                 // points
  std::size_t planes;                // of the rank
  std::size_t block_planes, blocks;  // a block's own planes; it reaches two planes before them and one behind
  const Real* values = nullptr;      // of the matrix, or of one of the factors
  const std::int32_t *columns = nullptr, *starts = nullptr;
  const Real* inverse = nullptr;  // backward: one over each diagonal entry
  const Real *in = nullptr, *other = nullptr;
  Real *out = nullptr, *second = nullptr, *third = nullptr;
  Real* scalars = nullptr;  // tfqmr_scalars numbers
  Real least, one;          // a positive number beside divisors: a ratio of nothing to nothing is nothing
};

namespace {

/// The compilers' own root, which is one instruction; std::sqrt is a call where nothing is optimized.
inline double root(double x) { return __builtin_sqrt(x); }
inline float root(float x) { return __builtin_sqrtf(x); }
template <class Real>
inline Real root(Real x) {
  return sqrt(x);
}

/// The rest of `sum` when the entries from `entry` to `end`, times their points, are taken off it.
template <class Real>
inline Real less_entries(Real sum, const Tfqmr<Real>& s, std::int32_t entry, std::int32_t end, const Real* x) {
  const OneByOne apart;
  for (; entry < end; ++entry) sum = apart(sum - s.values[entry] * x[s.columns[entry]]);
  return sum;
}

/// Rows [begin, end) of the matrix times `in`, which has neighbours' planes.
template <class Real>
inline void multiply_rows(const Tfqmr<Real>& s, std::size_t begin, std::size_t end) {
  const OneByOne apart;
  std::int32_t entry = s.starts[begin];
  for (std::size_t r = begin; r < end; ++r) {
    const std::int32_t last = s.starts[r + 1];
    Real sum = apart(s.values[entry] * s.in[s.columns[entry]]);
    for (++entry; entry < last; ++entry) sum = apart(sum + s.values[entry] * s.in[s.columns[entry]]);
    s.out[r] = sum;
  }
}

template <class Real>
inline std::size_t extended_rows(const Tfqmr<Real>& s) {
  return (s.block_planes + 3) * s.plane;
}

/// Block b's part of `in`, which has neighbours' planes, divided by the lower factor, whose diagonal is one.
template <class Real>
inline void solve_forward(const Tfqmr<Real>& s, std::size_t b) {
  const std::size_t rows = extended_rows(s), before = b * rows;
  const Real* const in = s.in + b * s.block_planes * s.plane;
  Real* const out = s.out + before;
  std::int32_t entry = s.starts[before];
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int32_t last = s.starts[before + r + 1];
    out[r] = less_entries(in[r], s, entry, last, out);
    entry = last;
  }
}

/// Block b of `out` divided by the upper factor, from the last row on.
template <class Real>
inline void solve_backward(const Tfqmr<Real>& s, std::size_t b) {
  const OneByOne apart;
  const std::size_t rows = extended_rows(s), before = b * rows;
  Real* const out = s.out + before;
  const Real* const inverse = s.inverse + before;
  std::int32_t last = s.starts[before + rows];
  for (std::size_t r = rows; r-- > 0;) {
    const std::int32_t entry = s.starts[before + r];
    out[r] = apart(less_entries(out[r], s, entry, last, out) * inverse[r]);
    last = entry;
  }
}

/// Plane r of the sum over all blocks: what its own block found, and the blocks whose reach it lies in. `in` has all blocks' vectors,
/// `other` what the neighbours' blocks found for the last two planes and for the first.
template <class Real>
inline void gather_plane(const Tfqmr<Real>& s, std::size_t r) {
  const std::size_t block = r / s.block_planes, q = r % s.block_planes, rows = extended_rows(s), n = s.plane;
  const Real* __restrict own = s.in + block * rows + (q + 2) * n;
  Real* __restrict out = s.out + r * n;
  const Real* __restrict ahead = nullptr, * __restrict behind = nullptr;
  if (q + 2 >= s.block_planes) ahead = (block + 1 == s.blocks ? s.other : s.in + (block + 1) * rows) + (q + 2 - s.block_planes) * n;
  if (q == 0) behind = block == 0 ? s.other + 2 * n : s.in + (block - 1) * rows + (s.block_planes + 2) * n;
  if (ahead != nullptr && behind != nullptr) {
    for (std::size_t i = 0; i < n; ++i) out[i] = own[i] + ahead[i] + behind[i];
  } else if (ahead != nullptr || behind != nullptr) {
    const Real* __restrict one = ahead != nullptr ? ahead : behind;
    for (std::size_t i = 0; i < n; ++i) out[i] = own[i] + one[i];
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = own[i];
  }
}

/// The quasi-residual shrinks as far as the residual's norm allows, and the update has so much of its direction.
template <class Real>
inline void weigh(const Tfqmr<Real>& s, Real norm) {
  const OneByOne apart;
  Real* const x = s.scalars;
  const Real psi = apart(norm / apart(x[tfqmr_tau] + s.least)), last = apart(x[tfqmr_psi] * x[tfqmr_psi]);
  const Real share = apart(s.one / apart(s.one + psi * psi));
  const Real shorter = apart(apart(x[tfqmr_tau] * psi) * root(share));
  x[tfqmr_cf] = apart(apart(last * x[tfqmr_eta]) / apart(x[tfqmr_alpha] + s.least));
  x[tfqmr_eta] = apart(share * x[tfqmr_alpha]);
  x[tfqmr_tau] = shorter;
  x[tfqmr_psi] = psi;
}

/// The steps between two sums over all ranks, which take and leave nothing but numbers.
template <class Real>
inline void take_numbers(const Tfqmr<Real>& s) {
  const OneByOne apart;
  Real* const x = s.scalars;
  switch (s.loop) {
    case TfqmrLoop::first:
      x[tfqmr_norm] = root(x[tfqmr_squares]);
      x[tfqmr_last_norm] = x[tfqmr_norm];
      x[tfqmr_tau] = x[tfqmr_norm];
      break;
    case TfqmrLoop::step:
      x[tfqmr_alpha] = apart(x[tfqmr_rho] / apart(x[tfqmr_sigma] + s.least));
      break;
    case TfqmrLoop::half_weight:
      x[tfqmr_norm] = root(x[tfqmr_squares]);
      weigh<Real>(s, root(apart(x[tfqmr_norm] * x[tfqmr_last_norm])));
      break;
    case TfqmrLoop::whole_weight:
      weigh<Real>(s, x[tfqmr_norm]);
      x[tfqmr_last_norm] = x[tfqmr_norm];
      break;
    default:
      x[tfqmr_beta] = apart(x[tfqmr_rho] / apart(x[tfqmr_last_rho] + s.least));
  }
}

/// Loops over elements.
template <class Real>
inline void update_vectors(const Tfqmr<Real>& s, std::size_t begin, std::size_t end) {
  const Real* __restrict in = s.in;
  const Real* __restrict other = s.other;
  Real* __restrict out = s.out;
  Real* __restrict second = s.second;
  Real* __restrict third = s.third;
  switch (s.loop) {
    case TfqmrLoop::copy:
      for (std::size_t i = begin; i < end; ++i) out[i] = in[i];
      break;
    case TfqmrLoop::begin:
      for (std::size_t i = begin; i < end; ++i) {
        out[i] = in[i];
        second[i] = in[i];
        third[i] = in[i];
      }
      break;
    case TfqmrLoop::between: {
      const Real alpha = s.scalars[tfqmr_alpha];
      for (std::size_t i = begin; i < end; ++i) {
        const Real half = in[i] - alpha * other[i];
        out[i] = half;
        second[i] = in[i] + half;
      }
      break;
    }
    case TfqmrLoop::shorten: {
      const Real alpha = s.scalars[tfqmr_alpha];
      for (std::size_t i = begin; i < end; ++i) out[i] = out[i] - alpha * in[i];
      break;
    }
    case TfqmrLoop::solution: {
      const Real cf = s.scalars[tfqmr_cf], eta = s.scalars[tfqmr_eta];
      for (std::size_t i = begin; i < end; ++i) {
        const Real update = in[i] + cf * out[i];
        out[i] = update;
        second[i] = second[i] + eta * update;
      }
      break;
    }
    default: {
      const Real beta = s.scalars[tfqmr_beta];
      for (std::size_t i = begin; i < end; ++i) {
        const Real next = in[i] + beta * other[i];
        out[i] = next;
        second[i] = next + beta * (other[i] + beta * second[i]);
      }
    }
  }
}

}  // namespace

/// The range counts rows (product), blocks (forward, backward), planes (gather, dot, norm) or elements; of numbers it is one.
template <class Real>
static void sweep(const Tfqmr<Real>& s, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  switch (s.loop) {
    case TfqmrLoop::product:
      multiply_rows(s, begin, end);
      break;
    case TfqmrLoop::forward:
      for (std::size_t b = begin; b < end; ++b) solve_forward(s, b);
      break;
    case TfqmrLoop::backward:
      for (std::size_t b = begin; b < end; ++b) solve_backward(s, b);
      break;
    case TfqmrLoop::gather:
      for (std::size_t r = begin; r < end; ++r) gather_plane(s, r);
      break;
    case TfqmrLoop::dot:
      for (std::size_t r = begin; r < end; ++r)
        s.out[r] = sum_of_plane<Real>(s.plane, r, [&](std::size_t i) { return s.in[i] * s.other[i]; });
      break;
    case TfqmrLoop::norm:
      for (std::size_t r = begin; r < end; ++r) s.out[r] = sum_of_plane<Real>(s.plane, r, [&](std::size_t i) { return s.in[i] * s.in[i]; });
      break;
    case TfqmrLoop::total:
      s.scalars[tfqmr_all] = sum_of_planes(s.in, s.planes);
      break;
    case TfqmrLoop::first:
    case TfqmrLoop::step:
    case TfqmrLoop::half_weight:
    case TfqmrLoop::whole_weight:
    case TfqmrLoop::turn:
      take_numbers(s);
      break;
    default:
      update_vectors(s, begin, end);
  }
}
