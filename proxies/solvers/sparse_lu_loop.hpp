// These loops alone are a sparse direct solver's: the factors, row by row, and the two triangular systems. They are compiled once a flavor,
// and once on Counted.
#pragma once
#include <cstddef>
#include <cstdint>

#include "proxies/one_by_one.hpp"

enum class SparseLuLoop { factor, solve };

/// A sparse system of n rows and its factors, as their pattern says (proxies/solvers/sparse_factors.hpp).
template <class Real>
struct SparseLu {
  SparseLuLoop loop;
  std::size_t n;
  const std::int32_t* starts;  // n + 1: of the matrix's rows
  const std::int32_t* columns;
  const Real* values;
  const std::size_t* factor_starts;  // n + 1: of the factors' rows
  const std::size_t* diagonals;      // n: where U's entries begin in each
  const std::int32_t* factor_columns;
  Real* factors;
  Real* row;  // n: one row of the factors as it is computed
  const Real* right;
  Real* solution;
  void* library;  // a library's own form of all this, which no loop here touches
};

/// The row of the matrix less multiples of rows of U above, each of which leaves a zero in a column of L.
template <class Real>
static inline void factor_row(const SparseLu<Real>& x, std::size_t row) {
  const OneByOne apart;
  const std::size_t begin = x.factor_starts[row], diagonal = x.diagonals[row], end = x.factor_starts[row + 1];
  for (std::size_t entry = begin; entry < end; ++entry) x.row[x.factor_columns[entry]] = apart(Real(0));
  for (std::int32_t entry = x.starts[row]; entry < x.starts[row + 1]; ++entry) x.row[x.columns[entry]] = apart(x.values[entry]);
  for (std::size_t entry = begin; entry < diagonal; ++entry) {
    const std::size_t above = static_cast<std::size_t>(x.factor_columns[entry]), own = x.diagonals[above],
                      last = x.factor_starts[above + 1];
    const Real multiple = x.row[above] / x.factors[own];
    x.factors[entry] = multiple;
    for (std::size_t other = own + 1; other < last; ++other) {
      Real& reduced = x.row[x.factor_columns[other]];
      reduced = reduced - multiple * x.factors[other];
    }
  }
  for (std::size_t entry = diagonal; entry < end; ++entry) x.factors[entry] = apart(x.row[x.factor_columns[entry]]);
}

/// The value less the products of a row's entries [begin, end) with what is solved already.
template <class Real>
static inline Real reduced_by(const SparseLu<Real>& x, Real value, std::size_t begin, std::size_t end) {
  for (std::size_t entry = begin; entry < end; ++entry) value = value - x.factors[entry] * x.solution[x.factor_columns[entry]];
  return value;
}

/// Either loop is one thread's: its range is one.
template <class Real>
static void sweep(const SparseLu<Real>& x, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  if (x.loop == SparseLuLoop::factor) {
    for (std::size_t row = 0; row < x.n; ++row) factor_row(x, row);
    return;
  }
  for (std::size_t row = 0; row < x.n; ++row) x.solution[row] = reduced_by(x, x.right[row], x.factor_starts[row], x.diagonals[row]);
  for (std::size_t row = x.n; row-- > 0;)
    x.solution[row] = reduced_by(x, x.solution[row], x.diagonals[row] + 1, x.factor_starts[row + 1]) / x.factors[x.diagonals[row]];
}
