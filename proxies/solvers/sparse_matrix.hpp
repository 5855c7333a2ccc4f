// A sparse matrix is stored row by row (CSR).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline {

/// Row r has the entries from starts[r] to starts[r + 1], in ascending columns, each once.
struct SparseMatrix {
  std::size_t width = 0;  // columns are below it
  std::vector<std::size_t> starts = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;

  std::size_t rows() const { return starts.size() - 1; }
  std::size_t entries() const { return columns.size(); }
  void add(std::int32_t column, double value) { columns.push_back(column), values.push_back(value); }
  void end_row() { starts.push_back(columns.size()); }

  /// Calls act(place of the entry, its column) for the entries of a row.
  template <class Act>
  void for_row(std::size_t row, Act act) const {
    for (std::size_t entry = starts[row]; entry < starts[row + 1]; ++entry) act(entry, static_cast<std::size_t>(columns[entry]));
  }
};

}  // namespace plumbline
