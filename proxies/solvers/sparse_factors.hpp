// The factors of a sparse matrix have a pattern that follows from the matrix's own, where rows are not exchanged: so their entries and the
// FLOPs of computing them are known before they are computed.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/solvers/sparse_matrix.hpp"

namespace plumbline {

/// The pattern of L and U, row by row in ascending columns: of a row first L's (whose ones on the diagonal are not stored), then U's.
class SparseFactors {
 public:
  std::vector<std::size_t> starts = {0}, diagonals;  // of each row, and where U's entries begin in it
  std::vector<std::int32_t> columns;

  /// A row of the factors holds what the matrix has in it, and what the rows of U hold that are taken off it. A row of U need only be
  /// looked at as far as the first column of whose row it is taken off, too: the rest comes with that row (Eisenstat and Liu 1992).
  explicit SparseFactors(const SparseMatrix& matrix) {
    const std::size_t rows = matrix.rows();
    std::vector<std::size_t> ends(rows, 0), marks(rows, rows);
    std::vector<std::int32_t> found;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto find = [&](std::int32_t column) {
        if (marks[static_cast<std::size_t>(column)] == row) return;
        marks[static_cast<std::size_t>(column)] = row;
        found.push_back(column);
      };
      found.clear();
      find(static_cast<std::int32_t>(row));
      matrix.for_row(row, [&](std::size_t, std::size_t column) { find(static_cast<std::int32_t>(column)); });
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto above = static_cast<std::size_t>(found[i]);
        if (above < row)
          for (std::size_t entry = diagonals[above] + 1; entry < ends[above]; ++entry) find(columns[entry]);
      }
      std::sort(found.begin(), found.end());
      const auto diagonal = std::lower_bound(found.begin(), found.end(), static_cast<std::int32_t>(row));
      diagonals.push_back(columns.size() + static_cast<std::size_t>(diagonal - found.begin()));
      columns.insert(columns.end(), found.begin(), found.end());
      starts.push_back(columns.size());
      ends[row] = columns.size();
      for (auto left = found.begin(); left != diagonal; ++left) prune(static_cast<std::size_t>(*left), row, ends);
    }
  }

  std::size_t rows() const { return diagonals.size(); }
  std::size_t entries() const { return columns.size(); }
  std::uint64_t lower() const {
    return of_rows([this](std::size_t row) { return diagonals[row] - starts[row]; });
  }                                                            // entries of L
  std::uint64_t upper() const { return entries() - lower(); }  // and of U
  std::uint64_t largest_row() const {
    std::uint64_t largest = 0;
    for (std::size_t row = 0; row < rows(); ++row) largest = std::max<std::uint64_t>(largest, starts[row + 1] - starts[row]);
    return largest;
  }
  /// The products of an entry of L with an entry of U, each of which is taken off an entry of either.
  std::uint64_t products() const {
    return of_rows([this](std::size_t row) {
      std::uint64_t sum = 0;
      for (std::size_t entry = starts[row]; entry < diagonals[row]; ++entry) sum += right_of(static_cast<std::size_t>(columns[entry]));
      return sum;
    });
  }

 private:
  /// The entries of U's row beside the diagonal.
  std::size_t right_of(std::size_t row) const { return starts[row + 1] - diagonals[row] - 1; }
  template <class OfRow>
  std::uint64_t of_rows(OfRow of_row) const {
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < rows(); ++row) sum += of_row(row);
    return sum;
  }
  /// Row `above` of U is taken off `row`; where it has an entry in that column, those behind come with the row from now on.
  void prune(std::size_t above, std::size_t row, std::vector<std::size_t>& ends) {
    if (ends[above] != starts[above + 1]) return;  // it was before
    const auto first = columns.begin() + static_cast<std::ptrdiff_t>(diagonals[above]),
               last = columns.begin() + static_cast<std::ptrdiff_t>(starts[above + 1]);
    const auto at = std::lower_bound(first, last, static_cast<std::int32_t>(row));
    if (at != last && *at == static_cast<std::int32_t>(row)) ends[above] = static_cast<std::size_t>(at - columns.begin()) + 1;
  }
};

}  // namespace plumbline
