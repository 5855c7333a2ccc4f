// SuperLU takes columns at the leaves of the elimination together, zeros and all; which ones follows from the elimination's tree.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/solvers/sparse_order.hpp"

namespace plumbline {

/// Columns [begin, end) that stand together.
struct ColumnGroup {
  std::size_t begin, end;
  bool is_relaxed;  // a supernode of a whole subtree; else a column alone
};

/// SuperLU's relaxed supernodes, and every other column alone: a subtree of at most `relaxed` columns whose parent has more. The subtrees
/// of the tree stand together, children before parents. (heap_relax_snode.c of 5.3)
inline std::vector<ColumnGroup> relaxed_supernodes(const std::vector<std::int32_t>& parents, std::size_t relaxed) {
  std::vector<std::size_t> below(parents.size(), 0);
  for (std::size_t column = 0; column < parents.size(); ++column)
    if (parents[column] != -1) below[static_cast<std::size_t>(parents[column])] += below[column] + 1;
  std::vector<ColumnGroup> groups;
  for (std::size_t column = 0; column < parents.size(); ++column) {
    const std::size_t begin = column;
    const bool is_leaf = below[column] == 0;
    while (is_leaf && parents[column] != -1 && below[static_cast<std::size_t>(parents[column])] < relaxed)
      column = static_cast<std::size_t>(parents[column]);
    groups.push_back({begin, column + 1, is_leaf});
  }
  return groups;
}

/// The matrix with as many zeros as make the rows of a group alike.
inline SparseMatrix with_alike_rows(const SparseMatrix& matrix, const std::vector<ColumnGroup>& groups) {
  SparseMatrix alike;
  alike.width = matrix.width;
  std::vector<std::int32_t> columns;
  const auto place = [&](std::size_t row) { return matrix.columns.begin() + static_cast<std::ptrdiff_t>(matrix.starts[row]); };
  for (const ColumnGroup& group : groups) {
    columns.assign(place(group.begin), place(group.end));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (std::size_t row = group.begin; row < group.end; ++row, alike.end_row())
      for (const std::int32_t column : columns) alike.add(column, 0);
  }
  return alike;
}

/// The pattern that SuperLU factors: in a relaxed supernode all columns have the rows that any of them has (dsnode_dfs.c of 5.3), and what
/// is taken off a later column takes all of them (dcolumn_dfs.c finds the rows of the supernode itself among those to visit).
inline SparseMatrix with_relaxed_supernodes(const SparseMatrix& matrix, const std::vector<ColumnGroup>& groups) {
  return with_alike_rows(transposed(with_alike_rows(transposed(matrix), groups)), groups);
}

}  // namespace plumbline
