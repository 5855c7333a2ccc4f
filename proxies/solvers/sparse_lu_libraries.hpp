// A sparse direct solver of others, as a flavor of its own: what it does, and its work.
#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/application.hpp"
#include "libraries/superlu.hpp"
#include "proxies/solvers/sparse_lu_loop.hpp"
#include "proxies/solvers/sparse_lu_superlu.hpp"
#include "proxies/solvers/sparse_lu_work.hpp"
#include "proxies/solvers/sparse_supernodes.hpp"

namespace plumbline {

inline constexpr std::string_view superlu_flavor = "lib-superlu";

/// The matrix as libraries hold it, prepared at the first sweep of each.
struct SparseLuLibraries {
  const SparseMatrix& matrix;
  std::unique_ptr<SuperLuSystem> superlu;
};

inline void sweep_superlu(const void* arguments, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const auto& x = *static_cast<const SparseLu<double>*>(arguments);
  auto& [matrix, system] = *static_cast<SparseLuLibraries*>(x.library);
  if (!system) {
    const SparseMatrix by_columns = transposed(matrix);
    system = std::make_unique<SuperLuSystem>(by_columns.values, by_columns.columns, by_columns.starts, elimination_tree(matrix));
    system->factor();  // makes the room in which a sweep's factors are laid, so that sweeps are alike
  }
  x.loop == SparseLuLoop::factor ? system->factor() : system->solve({x.right, x.n}, {x.solution, x.n});
}

/// SuperLU's work in its order, which is ours. At least it does the products of the entries that there are, at most those of its supernodes
/// with their zeros, by dense kernels that take sums of eight, four, two and one columns into one before they add it up (OpenBLAS's for
/// Haswell, 0.3.21; the reference's do less, and leave out triangles' zeros). How it goes through its data is not known: what is said of
/// loads, stores and bytes is the most.
class SuperLuWork {
 public:
  explicit SuperLuWork(const ConvectionGrid& grid)
      : matrix_(dissected_matrix(grid)),
        own_(matrix_),
        groups_(relaxed_supernodes(elimination_tree(matrix_), SuperLuChoices::relaxed)),
        padded_(with_relaxed_supernodes(matrix_, groups_)),
        nodes_(padded_, groups_, SuperLuChoices::panel),
        data_bytes_(2 * (matrix_.entries() + padded_.entries()) * (sizeof(double) + sizeof(std::int32_t)) + allocated_bytes()) {}

  std::uint64_t data_bytes() const { return data_bytes_; }

  Work factor() const {
    std::uint64_t joined = 0, calls = 0;
    nodes_.for_products([&](std::uint64_t columns, std::uint64_t rows) { ++calls, joined += sums(columns) * rows + columns; },
                        [&](std::uint64_t columns, std::uint64_t rows) {
                          ++calls;
                          if (columns > by_hand) joined += (sums(columns) + 1) * rows + columns;
                        });
    const std::uint64_t products = padded_.products(), most = padded_.lower() + 2 * products + rows() + joined + products / 64;
    Work work = flops({own_.lower() + 2 * own_.products(), most}, counted * calls + rows() + counted);
    const std::uint64_t references = 4 * products + 64 * padded_.entries();
    work.streams = {touched("matrix", matrix_.entries(), references), touched("factors", own_.entries(), references), its_own(references)};
    work.streams[1].written = work.streams[1].either_way = true, work.streams[1].stores = references;
    return work;
  }

  Work solve() const {
    std::uint64_t joined = 0, nodes = 0;
    nodes_.for_nodes([&](std::uint64_t columns, std::uint64_t rows) {
      ++nodes;
      if (columns > 1) joined += columns * (columns + rows) / 4 + 3 * rows + 16 * (columns + 1);
    });
    Work work = flops({2 * own_.entries() - rows(), 2 * padded_.entries() + rows() + joined}, counted * nodes + rows() + counted);
    const std::uint64_t references = 8 * padded_.entries() + 64 * rows();
    work.streams = {touched("factors", own_.entries(), references), touched("solution", rows(), references), its_own(references)};
    work.streams[1].written = work.streams[1].either_way = true, work.streams[1].stores = references;
    return work;
  }

 private:
  static constexpr std::uint64_t by_hand = 3;  // columns that SuperLU takes off without the BLAS
  static constexpr std::uint64_t counted = 4;  // lanes of a vector by which SuperLU adds to its own counts
  static constexpr std::uint64_t line = 64;
  static std::uint64_t sums(std::uint64_t columns) { return 2 * (columns / 8 + static_cast<std::uint64_t>(std::popcount(columns % 8))); }

  std::uint64_t rows() const { return matrix_.rows(); }
  /// A factorization allocates anew: room for so many times the matrix's entries, of the factors and their indices, the columns of a
  /// panel, dense, with marks of their rows, and what products leave in it (dLUMemInit, dLUWorkInit and sp_ienv(6) of 5.3).
  std::uint64_t allocated_bytes() const {
    constexpr std::uint64_t fill = 30, number = sizeof(double), index = sizeof(std::int32_t);
    return fill * matrix_.entries() * 2 * (number + index) + rows() * SuperLuChoices::panel * (number + 3 * index) +
           2 * SuperLuNodes::widest * SuperLuChoices::panel * number;
  }

  static Work flops(Amount fp64, std::uint64_t statistics) {
    return {.flops = {{"flops.fp64.add", fp64}, {"flops.fp32.add", Amount(0, statistics)}},
            .note =
                "SuperLU in our order: at most the zeros of its supernodes, of which those at the leaves have up to 10 columns, and what "
                "OpenBLAS's kernels add where they join sums; it adds up its own FLOPs in fp32"};
  }
  Stream touched(const char* array, std::uint64_t numbers, std::uint64_t references) const {
    return {.array = array,
            .footprint_bytes = numbers * sizeof(double),
            .read = true,
            .loads = references,
            .element_bytes = sizeof(double),
            .layers = {{.reuse_bytes = data_bytes_ / 2, .fetched_bytes = line * references, .upper_bound = true}},
            .at_most = true};
  }
  /// Indices, marks, tables and what the BLAS packs.
  Stream its_own(std::uint64_t references) const {
    constexpr std::uint64_t own = 64 << 10;
    return {.array = "the library's own",
            .read = true,
            .written = true,
            .layers = {{.reuse_bytes = own, .fetched_bytes = own + line * references, .upper_bound = true}}};
  }

  SparseMatrix matrix_;
  SparseFactors own_;
  std::vector<ColumnGroup> groups_;
  SparseFactors padded_;
  SuperLuNodes nodes_;
  std::uint64_t data_bytes_;
};

/// The phases of a grid by SuperLU.
inline ApplicationWork superlu_work(const ConvectionGrid& grid) {
  const SuperLuWork work(grid);
  return {.phases = {{.name = "factor", .work = work.factor()}, {.name = "solve", .work = work.solve()}}, .data_bytes = work.data_bytes()};
}

}  // namespace plumbline
