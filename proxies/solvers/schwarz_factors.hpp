// The blocks of additive Schwarz are factored incompletely, ILU(0): the factors have entries where the matrix has some, and nowhere else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/solvers/sparse_matrix.hpp"

namespace plumbline {

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
