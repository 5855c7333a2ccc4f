// Sparse direct solvers of others, as flavors of their own: what each does, and its work.
#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/application.hpp"
#include "libraries/mumps.hpp"
#include "libraries/superlu.hpp"
#include "proxies/solvers/sparse_lu_loop.hpp"
#include "proxies/solvers/sparse_lu_superlu.hpp"
#include "proxies/solvers/sparse_lu_work.hpp"
#include "proxies/solvers/sparse_supernodes.hpp"

namespace plumbline {

inline constexpr std::string_view superlu_flavor = "lib-superlu", mumps_flavor = "lib-mumps";

/// The matrix as libraries hold it, prepared at the first sweep of each.
struct SparseLuLibraries {
  const SparseMatrix& matrix;
  std::unique_ptr<SuperLuSystem> superlu = nullptr;
  std::unique_ptr<MumpsSystem> mumps = nullptr;
};

/// Factors, or solves, by a library's system, which `prepare` makes of the matrix at first. Its first factors make the room in which a
/// sweep's are laid, so that sweeps are alike.
template <class System, class Prepare>
void sweep_library(const SparseLu<double>& x, std::unique_ptr<System> SparseLuLibraries::*of, Prepare prepare) {
  auto& libraries = *static_cast<SparseLuLibraries*>(x.library);
  std::unique_ptr<System>& system = libraries.*of;
  if (!system) {
    system = prepare(libraries.matrix);
    system->factor();
  }
  x.loop == SparseLuLoop::factor ? system->factor() : system->solve({x.right, x.n}, {x.solution, x.n});
}

inline void sweep_superlu(const void* arguments, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  sweep_library(*static_cast<const SparseLu<double>*>(arguments), &SparseLuLibraries::superlu, [](const SparseMatrix& matrix) {
    const SparseMatrix by_columns = transposed(matrix);
    return std::make_unique<SuperLuSystem>(by_columns.values, by_columns.columns, by_columns.starts, elimination_tree(matrix));
  });
}

inline void sweep_mumps(const void* arguments, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  sweep_library(*static_cast<const SparseLu<double>*>(arguments), &SparseLuLibraries::mumps,
                [](const SparseMatrix& matrix) { return std::make_unique<MumpsSystem>(matrix.values, matrix.columns, matrix.starts); });
}

/// The streams of a library that goes through its data in an order of its own: what is said of loads, stores and bytes is the most.
class LibraryStreams {
 public:
  explicit LibraryStreams(std::uint64_t data_bytes) : data_bytes_(data_bytes) {}

  Stream read(const char* array, std::uint64_t numbers, std::uint64_t references) const {
    return {.array = array,
            .footprint_bytes = numbers * sizeof(double),
            .read = true,
            .loads = references,
            .element_bytes = sizeof(double),
            .layers = {{.reuse_bytes = data_bytes_ / 2, .fetched_bytes = line * references, .upper_bound = true}},
            .at_most = true};
  }
  Stream changed(const char* array, std::uint64_t numbers, std::uint64_t references) const {
    Stream stream = read(array, numbers, references);
    stream.written = stream.either_way = true, stream.stores = references;
    return stream;
  }
  /// Indices, marks, tables and what the BLAS packs: so many bytes that are touched again and again.
  static Stream its_own(std::uint64_t references, std::uint64_t own = 64 << 10) {
    return {.array = "the library's own",
            .read = true,
            .written = true,
            .layers = {{.reuse_bytes = own, .fetched_bytes = own + line * references, .upper_bound = true}},
            .either_way = true};
  }

 private:
  static constexpr std::uint64_t line = 64;
  std::uint64_t data_bytes_;
};

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
    const LibraryStreams streams(data_bytes_);
    work.streams = {streams.read("matrix", matrix_.entries(), references), streams.changed("factors", own_.entries(), references),
                    LibraryStreams::its_own(references)};
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
    const LibraryStreams streams(data_bytes_);
    work.streams = {streams.read("factors", own_.entries(), references), streams.changed("solution", rows(), references),
                    LibraryStreams::its_own(references)};
    return work;
  }

 private:
  static constexpr std::uint64_t by_hand = 3;  // columns that SuperLU takes off without the BLAS
  static constexpr std::uint64_t counted = 4;  // lanes of a vector by which SuperLU adds to its own counts
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

/// The phases of a grid by MUMPS in the same order. Its fronts are dense, and it joins columns of like pattern in them: how many FLOPs that
/// makes is what it says itself before it factors. Beside them are the assembling of fronts, and what OpenBLAS's kernels add where they
/// join sums and fill vectors: some for each entry of the factors and for each row. Throws std::invalid_argument where there is no MUMPS.
inline ApplicationWork mumps_work(const ConvectionGrid& grid) {
  if (!mumps().absent.empty()) throw std::invalid_argument(mumps().absent);
  const SparseMatrix matrix = dissected_matrix(grid);
  const MumpsSystem system(matrix.values, matrix.columns, matrix.starts);
  const std::uint64_t rows = matrix.rows(), own = SparseFactors(matrix).entries();
  const auto entries = static_cast<std::uint64_t>(system.expected_entries()),
             eliminated = static_cast<std::uint64_t>(system.expected_flops());
  const std::uint64_t data_bytes = static_cast<std::uint64_t>(system.workspace_bytes()) + 4 * (matrix.entries() + entries) * sizeof(double);
  const LibraryStreams streams(data_bytes);
  constexpr std::uint64_t own_bytes = 1 << 20;  // MUMPS keeps tables of the tree, of fronts and of its settings
  Work factor{.flops = {{"flops.fp64.add", Amount(eliminated, eliminated + 32 * entries + 64 * rows)}},
              .note =
                  "MUMPS in our order: at least the FLOPs that it expects of its dense fronts, and at most 32 more for each entry of "
                  "its factors, by which fronts are assembled and OpenBLAS's kernels join sums"};
  const std::uint64_t factor_references = 4 * eliminated + 64 * (entries + 64 * rows);
  factor.streams = {streams.read("matrix", matrix.entries(), factor_references), streams.changed("factors", own, factor_references),
                    LibraryStreams::its_own(factor_references, own_bytes)};
  Work solve{.flops = {{"flops.fp64.add", Amount(2 * own - rows, 2 * entries + 64 * rows)}}, .note = factor.note};
  const std::uint64_t solve_references = 8 * entries + 512 * rows;
  solve.streams = {streams.read("factors", own, solve_references), streams.changed("solution", rows, solve_references),
                   LibraryStreams::its_own(solve_references, own_bytes)};
  return {.phases = {{.name = "factor", .work = factor}, {.name = "solve", .work = solve}}, .data_bytes = data_bytes};
}

}  // namespace plumbline
