// An elimination that fills a matrix little takes its rows in the order of a nested dissection (George 1973), each subtree of the
// elimination behind the other.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "proxies/solvers/convection.hpp"
#include "proxies/solvers/sparse_matrix.hpp"

namespace plumbline {

/// The matrix with rows and columns exchanged.
inline SparseMatrix transposed(const SparseMatrix& matrix) {
  SparseMatrix turned;
  turned.width = matrix.rows();
  turned.columns.resize(matrix.entries()), turned.values.resize(matrix.entries());
  std::vector<std::size_t> next(matrix.width + 1, 0);
  for (const std::int32_t column : matrix.columns) ++next[static_cast<std::size_t>(column) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  turned.starts = next;
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    matrix.for_row(row, [&](std::size_t entry, std::size_t column) {
      const std::size_t place = next[column]++;
      turned.columns[place] = static_cast<std::int32_t>(row), turned.values[place] = matrix.values[entry];
    });
  return turned;
}

/// The matrix whose row i is row order[i] of the given one, and its columns likewise.
inline SparseMatrix reordered(const SparseMatrix& matrix, const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  SparseMatrix by_order;
  by_order.width = matrix.width;
  for (const std::int32_t row : order) {
    matrix.for_row(static_cast<std::size_t>(row),
                   [&](std::size_t entry, std::size_t column) { by_order.add(place[column], matrix.values[entry]); });
    by_order.end_row();
  }
  return transposed(transposed(by_order));  // which sorts every row
}

/// The tree of an elimination without exchanges: the row that is first changed by each, or -1. It is that of the pattern with its own
/// transpose added, so nothing below a row depends on what is beside it. (Liu 1990, algorithm 4.2)
inline std::vector<std::int32_t> elimination_tree(const SparseMatrix& matrix) {
  const SparseMatrix turned = transposed(matrix);
  std::vector<std::int32_t> parents(matrix.rows(), -1), highest(matrix.rows(), -1);  // known ancestors
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    const auto climb = [&](std::size_t, std::size_t column) {
      const auto end = static_cast<std::int32_t>(row);
      for (auto at = static_cast<std::int32_t>(column); at != -1 && at < end;) {
        std::int32_t& known = highest[static_cast<std::size_t>(at)];
        const std::int32_t next = known;
        known = end;
        if (next == -1) parents[static_cast<std::size_t>(at)] = end;
        at = next;
      }
    };
    matrix.for_row(row, climb), turned.for_row(row, climb);
  }
  return parents;
}

/// The rows of a tree such that each subtree's stand together, children in ascending order before their parent.
inline std::vector<std::int32_t> postorder(const std::vector<std::int32_t>& parents) {
  const std::size_t rows = parents.size();
  std::vector<std::int32_t> first(rows + 1, -1), next(rows, -1), order, open;  // the last stands above all roots
  for (std::size_t row = rows; row-- > 0;) {
    std::int32_t& kids = first[parents[row] == -1 ? rows : static_cast<std::size_t>(parents[row])];
    next[row] = kids, kids = static_cast<std::int32_t>(row);
  }
  const auto descend = [&](std::int32_t row) {
    for (; row != -1; row = first[static_cast<std::size_t>(row)]) open.push_back(row);
  };
  for (descend(first[rows]); !open.empty();) {
    const std::int32_t row = open.back();
    open.pop_back();
    order.push_back(row);
    descend(next[static_cast<std::size_t>(row)]);
  }
  return order;
}

/// A nested dissection of a grid's points: of a box its halves first, then what parts them; two layers thick, as far as a row reaches.
class Dissection {
 public:
  explicit Dissection(const ConvectionGrid& grid) : grid_(grid) {
    const Box all{{0, 0, 0}, {grid.n, grid.lines, grid.planes}};
    Box opened = all, first = all;  // planes that close to a ring are opened by their first ones
    opened.begin[2] = first.end[2] = layers;
    divide(opened), take(first);
  }
  const std::vector<std::int32_t>& order() const { return order_; }

 private:
  struct Box {
    std::array<std::uint64_t, 3> begin, end;
    std::uint64_t length(std::size_t direction) const { return end[direction] - begin[direction]; }
  };
  static constexpr std::uint64_t layers = 2, smallest = 3 * layers;

  void divide(const Box& box) {
    std::size_t longest = 0;
    for (std::size_t direction : {1U, 2U})
      if (box.length(direction) > box.length(longest)) longest = direction;
    if (box.length(longest) < smallest) return take(box);
    Box lower = box, middle = box, upper = box;
    lower.end[longest] = middle.begin[longest] = box.begin[longest] + (box.length(longest) - layers) / 2;
    middle.end[longest] = upper.begin[longest] = middle.begin[longest] + layers;
    divide(lower), divide(upper), take(middle);
  }
  void take(const Box& box) {
    for (std::uint64_t z = box.begin[2]; z < box.end[2]; ++z)
      for (std::uint64_t y = box.begin[1]; y < box.end[1]; ++y)
        for (std::uint64_t x = box.begin[0]; x < box.end[0]; ++x)
          order_.push_back(static_cast<std::int32_t>((z * grid_.lines + y) * grid_.n + x));
  }

  ConvectionGrid grid_;
  std::vector<std::int32_t> order_;
};

/// The matrix of a grid in the order of its dissection, whose subtrees of the elimination stand together.
inline SparseMatrix dissected_matrix(const ConvectionGrid& grid) {
  const SparseMatrix matrix = reordered(convection_matrix(grid), Dissection(grid).order());
  return reordered(matrix, postorder(elimination_tree(matrix)));
}

}  // namespace plumbline
