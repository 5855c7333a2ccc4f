// The blocks of additive Schwarz are factored incompletely, ILU(0): the factors have entries where the matrix has some, and nowhere else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "proxies/solvers/sparse_matrix.hpp"
#include "proxies/solvers/tfqmr_grid.hpp"

namespace plumbline {

/// Rows of a matrix, or of one of its factors, in memory that a sweep uses.
template <class Real>
struct SparseRows {
  Array<Real> values;
  Array<std::int32_t> columns, starts;

  SparseRows(std::uint64_t rows, std::uint64_t entries, std::pmr::memory_resource& memory)
      : values(entries, memory), columns(entries, memory), starts(rows + 1, memory) {}

  /// Puts the rows of `matrix` behind row `row`, of which the entries begin at `entry`.
  void fill(const SparseMatrix& matrix, std::size_t row, std::size_t entry) {
    if (row == 0) starts[0] = 0;
    for (std::size_t r = 0; r < matrix.rows(); ++r) starts[row + r + 1] = static_cast<std::int32_t>(entry + matrix.starts[r + 1]);
    for (std::size_t e = 0; e < matrix.entries(); ++e) values[entry + e] = Real(matrix.values[e]), columns[entry + e] = matrix.columns[e];
  }
};

/// The factors of one block: `lower` without its diagonal, which is one, and `upper` without its own, of which there is the inverse.
struct IncompleteFactors {
  SparseMatrix lower, upper;
  std::vector<double> inverse;
};

/// Factors a square matrix (Saad 2003, algorithm 10.4). Every row has a diagonal entry, and none of them becomes zero where it outweighs
/// the others of its row.
inline IncompleteFactors factor_incompletely(const SparseMatrix& matrix) {
  IncompleteFactors factors;
  std::vector<double> row(matrix.width);
  std::vector<bool> in_row(matrix.width);
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    matrix.for_row(r, [&](std::size_t entry, std::size_t column) { row[column] = matrix.values[entry], in_row[column] = true; });
    matrix.for_row(r, [&](std::size_t, std::size_t column) {
      if (column >= r) return;
      row[column] *= factors.inverse[column];
      factors.upper.for_row(column, [&](std::size_t entry, std::size_t other) {
        if (in_row[other]) row[other] -= row[column] * factors.upper.values[entry];
      });
    });
    matrix.for_row(r, [&](std::size_t, std::size_t column) {
      in_row[column] = false;
      if (column == r)
        factors.inverse.push_back(1 / row[column]);
      else
        (column < r ? factors.lower : factors.upper).add(static_cast<std::int32_t>(column), row[column]);
    });
    factors.lower.end_row(), factors.upper.end_row();
  }
  return factors;
}

}  // namespace plumbline
