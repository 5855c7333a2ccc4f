// Rows of a sparse matrix lie in memory that a sweep uses, as its precision has them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "core/array.hpp"
#include "proxies/solvers/sparse_matrix.hpp"

namespace plumbline {

/// Rows of a matrix, or of one of its factors, in memory that a sweep uses.
template <class Real>
struct SparseRows {
  Array<Real> values;
  Array<std::int32_t> columns, starts;

  SparseRows(std::uint64_t rows, std::uint64_t entries, std::pmr::memory_resource& memory)
      : values(entries, memory), columns(entries, memory), starts(rows + 1, memory) {}

  /// Puts the rows of `matrix` in the place of those from `row` on, of which the entries begin at `entry`.
  void fill(const SparseMatrix& matrix, std::size_t row = 0, std::size_t entry = 0) {
    if (row == 0) starts[0] = 0;
    for (std::size_t r = 0; r < matrix.rows(); ++r) starts[row + r + 1] = static_cast<std::int32_t>(entry + matrix.starts[r + 1]);
    for (std::size_t e = 0; e < matrix.entries(); ++e) values[entry + e] = Real(matrix.values[e]), columns[entry + e] = matrix.columns[e];
  }
};

}  // namespace plumbline
