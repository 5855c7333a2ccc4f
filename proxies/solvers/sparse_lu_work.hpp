// The work of a sparse direct solver follows from the pattern of its factors, which follows from the grid.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/application.hpp"
#include "core/parameters.hpp"
#include "proxies/solvers/sparse_factors.hpp"
#include "proxies/solvers/sparse_order.hpp"

namespace plumbline {

/// The grid that the parameters name. Throws std::invalid_argument where it has more points than are factored in any bearable time.
inline ConvectionGrid sparse_lu_grid(const Parameters& p) {
  const ConvectionGrid grid{p.integer("n"), p.integer("lines"), p.integer("planes")};
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  if (grid.points() > most)
    throw std::invalid_argument("proxies/sparse_lu: n x lines x planes = " + std::to_string(grid.points()) + " rows are more than the " +
                                std::to_string(most) + " that are taken: choose a smaller grid");
  return grid;
}

/// The work of the two phases by the loops of sparse_lu_loop.hpp.
class SparseLuWork {
 public:
  SparseLuWork(const SparseMatrix& matrix, const SparseFactors& factors, std::uint64_t real_bytes)
      : rows_(matrix.rows()),
        entries_(matrix.entries()),
        lower_(factors.lower()),
        upper_(factors.upper()),
        products_(factors.products()),
        real_(real_bytes) {}

  std::uint64_t data_bytes() const {
    return (2 * rows_ + 1) * word + (rows_ + 1) * index + (entries_ + filled()) * (real_ + index) + 3 * rows_ * real_;
  }

  /// A product is taken off for each pair of an entry of L and one of U beside the diagonal, and an entry of L is divided by a pivot.
  Work factor() const {
    Work work{.flops = {{"flops.fp64.add", products_}, {"flops.fp64.mul", products_}, {"flops.fp64.div", lower_}}};
    const std::uint64_t taken_off = products_ + 2 * filled();
    work.streams = {once("values", entries_, real_),
                    once("columns", entries_, index),
                    once("starts", rows_ + 1, index),
                    {.array = "rows of the factors",
                     .footprint_bytes = (2 * rows_ + 1) * word,
                     .read = true,
                     .loads = 2 * lower_ + 4 * rows_,
                     .element_bytes = word,
                     .layers = at_most(2 * line * (lower_ + 2 * rows_))},
                    {.array = "columns of the factors",
                     .footprint_bytes = filled() * index,
                     .read = true,
                     .loads = products_ + 2 * filled(),
                     .element_bytes = index,
                     .layers = at_most(taken_off * index + 2 * line * (lower_ + 2 * rows_))},
                    {.array = "factors",
                     .footprint_bytes = filled() * real_,
                     .read = true,
                     .written = true,
                     .loads = products_ + lower_,
                     .stores = filled(),
                     .element_bytes = real_,
                     .layers = at_most(taken_off * real_ + 2 * line * (lower_ + 2 * rows_)),
                     .either_way = true},
                    {.array = "row",
                     .footprint_bytes = rows_ * real_,
                     .read = true,
                     .written = true,
                     .loads = products_ + filled(),
                     .stores = products_ + entries_ + filled(),
                     .element_bytes = real_,
                     .layers = at_most(line * (products_ + entries_ + 2 * filled())),
                     .either_way = true}};
    return work;
  }

  /// Each entry of the factors beside the diagonal takes a product off, and a pivot divides.
  Work solve() const {
    const std::uint64_t beside = filled() - rows_;
    Work work{.flops = {{"flops.fp64.add", beside}, {"flops.fp64.mul", beside}, {"flops.fp64.div", rows_}}};
    work.streams = {once("right", rows_, real_),
                    {.array = "rows of the factors",
                     .footprint_bytes = (2 * rows_ + 1) * word,
                     .read = true,
                     .loads = 5 * rows_,
                     .element_bytes = word,
                     .layers = at_most(2 * (2 * rows_ + 1) * word)},
                    {.array = "columns of the factors",
                     .footprint_bytes = filled() * index,
                     .read = true,
                     .loads = beside,
                     .element_bytes = index,
                     .layers = at_most(2 * filled() * index)},
                    {.array = "factors",
                     .footprint_bytes = filled() * real_,
                     .read = true,
                     .loads = filled(),
                     .element_bytes = real_,
                     .layers = at_most(2 * filled() * real_)},
                    {.array = "solution",
                     .footprint_bytes = rows_ * real_,
                     .read = true,
                     .written = true,
                     .loads = beside + rows_,
                     .stores = 2 * rows_,
                     .element_bytes = real_,
                     .layers = at_most(line * (beside + 2 * rows_)),
                     .either_way = true}};
    return work;
  }

 private:
  static constexpr std::uint64_t word = sizeof(std::size_t), index = sizeof(std::int32_t), line = 64;

  std::uint64_t filled() const { return lower_ + upper_; }
  static Stream once(const char* array, std::uint64_t elements, std::uint64_t bytes) {
    return {.array = array, .footprint_bytes = elements * bytes, .read = true, .loads = elements, .element_bytes = bytes};
  }
  /// The rows of U that a row needs hang on the pattern: from a cache that does not hold everything no more than this is fetched.
  std::vector<Stream::Layer> at_most(std::uint64_t bytes) const {
    return {{.reuse_bytes = data_bytes() / 2, .fetched_bytes = bytes, .upper_bound = true}};
  }

  std::uint64_t rows_, entries_, lower_, upper_, products_, real_;
};

/// The phases of a grid by the loops that are compiled here.
inline ApplicationWork sparse_lu_work(const ConvectionGrid& grid, std::uint64_t real_bytes) {
  const SparseMatrix matrix = dissected_matrix(grid);
  const SparseLuWork work(matrix, SparseFactors(matrix), real_bytes);
  return {.phases = {{.name = "factor", .work = work.factor()}, {.name = "solve", .work = work.solve()}}, .data_bytes = work.data_bytes()};
}

}  // namespace plumbline
