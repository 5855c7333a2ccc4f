// SuperLU's FLOPs follow from its supernodes: which it makes, and by which products of the BLAS it takes them off later columns.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "proxies/solvers/sparse_factors.hpp"
#include "proxies/solvers/sparse_supernodes.hpp"

namespace plumbline {

/// The supernodes of SuperLU: the relaxed ones, and columns of L one behind the other that differ by their diagonal alone.
class SuperLuNodes {
 public:
  static constexpr std::size_t widest = 200;  // sp_ienv(3) of 5.3 to 7.0

  /// `factors` are those of the matrix with_relaxed_supernodes() of these groups; other columns are computed in panels of at most so many,
  /// each of which ends before a relaxed supernode.
  SuperLuNodes(const SparseFactors& factors, const std::vector<ColumnGroup>& groups, std::size_t panel)
      : factors_(factors), below_(factors.rows(), 0), nodes_(factors.rows(), 0), panels_(factors.rows(), 0) {
    for (std::size_t row = 0; row < factors.rows(); ++row)
      for (std::size_t entry = factors.starts[row]; entry < factors.diagonals[row]; ++entry)
        ++below_[static_cast<std::size_t>(factors.columns[entry])];
    bool follows_relaxed = true;  // or nothing
    std::size_t panel_begin = 0;
    for (const ColumnGroup& group : groups) {
      if (group.is_relaxed || follows_relaxed || group.begin - panel_begin == panel) panel_begin = group.begin;
      const bool joins = !group.is_relaxed && !follows_relaxed && differs_by_diagonal(group.begin) && group.begin - starts_.back() < widest;
      if (!joins) starts_.push_back(group.begin);
      std::fill(nodes_.begin() + static_cast<std::ptrdiff_t>(group.begin), nodes_.begin() + static_cast<std::ptrdiff_t>(group.end),
                starts_.size() - 1);
      std::fill(panels_.begin() + static_cast<std::ptrdiff_t>(group.begin), panels_.begin() + static_cast<std::ptrdiff_t>(group.end),
                panel_begin);
      follows_relaxed = group.is_relaxed;
    }
    starts_.push_back(factors.rows());
  }

  /// Calls inside(columns, rows) for each product within a supernode, and outside(columns, rows) where columns of one are taken off a later
  /// column: of so many columns, by so many rows below them.
  template <class Inside, class Outside>
  void for_products(Inside inside, Outside outside) const {
    struct Run {
      std::size_t first, last, node;
      bool is_of_panel;
    };
    const std::size_t none = factors_.rows();
    std::vector<Run> runs(factors_.rows(), {none, none, none, false});
    const auto close = [&](std::size_t column) {
      const Run& run = runs[column];
      if (run.first == none) return;
      const std::size_t columns = run.last - run.first + 1;
      run.is_of_panel&& run.node == nodes_[column] ? inside(columns, below_[column] + 1) : outside(columns, below_[run.last]);
    };
    for (std::size_t row = 0; row < factors_.rows(); ++row)
      for (std::size_t entry = factors_.diagonals[row] + 1; entry < factors_.starts[row + 1]; ++entry) {
        const auto column = static_cast<std::size_t>(factors_.columns[entry]);
        Run& run = runs[column];
        const bool is_of_panel = row >= panels_[column];
        if (run.node != nodes_[row] || run.is_of_panel != is_of_panel) close(column), run = {row, row, nodes_[row], is_of_panel};
        run.last = row;
      }
    for (std::size_t column = 0; column < factors_.rows(); ++column) close(column);
  }

  /// Calls see(columns, rows below) for each supernode.
  template <class See>
  void for_nodes(See see) const {
    for (std::size_t node = 0; node + 1 < starts_.size(); ++node) see(starts_[node + 1] - starts_[node], below_[starts_[node + 1] - 1]);
  }

 private:
  bool differs_by_diagonal(std::size_t column) const {
    const std::size_t diagonal = factors_.diagonals[column];
    return diagonal != factors_.starts[column] && static_cast<std::size_t>(factors_.columns[diagonal - 1]) == column - 1 &&
           below_[column - 1] == below_[column] + 1;
  }

  const SparseFactors& factors_;
  std::vector<std::uint64_t> below_;  // entries of L in each column
  std::vector<std::size_t> nodes_, panels_,
      starts_;  // of each column its supernode and where its panel begins; of each supernode its first
};

}  // namespace plumbline
