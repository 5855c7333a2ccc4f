// A sparse direct solver factors a matrix and solves a system by its factors (Li, "An overview of SuperLU", 2005): no row is exchanged, in
// an order that is known before, so that the fill and the FLOPs are, too.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/array.hpp"
#include "core/rounding.hpp"
#include "proxies/solvers/sparse_factors.hpp"
#include "proxies/solvers/sparse_lu_libraries.hpp"
#include "proxies/solvers/sparse_lu_loop.hpp"
#include "proxies/solvers/sparse_lu_work.hpp"
#include "proxies/solvers/sparse_order.hpp"
#include "proxies/solvers/sparse_rows.hpp"
#include "sparse_lu.flavors.hpp"

namespace plumbline {
namespace {

template <class Real>
class SparseLuCase final : public ApplicationData {
 public:
  using Arguments = SparseLu<Real>;

  static ApplicationWork application(const Parameters& p, std::string_view flavor) {
    const ConvectionGrid grid = sparse_lu_grid(p);
    if (flavor == superlu_flavor) return superlu_work(grid);
    if (flavor == mumps_flavor) return mumps_work(grid);
    return sparse_lu_work(grid, sizeof(Real));
  }

  SparseLuCase(const Parameters& p, std::pmr::memory_resource& memory)
      : matrix_(dissected_matrix(sparse_lu_grid(p))),
        pattern_(matrix_),
        libraries_{.matrix = matrix_},
        rows_(matrix_.rows(), matrix_.entries(), memory),
        factor_starts_(pattern_.starts.size(), memory),
        diagonals_(pattern_.rows(), memory),
        factor_columns_(pattern_.entries(), memory),
        factors_(pattern_.entries(), memory),
        row_(matrix_.rows(), memory),
        right_(matrix_.rows(), memory),
        solution_(matrix_.rows(), memory) {
    arguments_.fill({.loop = SparseLuLoop::factor,
                     .n = matrix_.rows(),
                     .starts = rows_.starts.data(),
                     .columns = rows_.columns.data(),
                     .values = rows_.values.data(),
                     .factor_starts = factor_starts_.data(),
                     .diagonals = diagonals_.data(),
                     .factor_columns = factor_columns_.data(),
                     .factors = factors_.data(),
                     .row = row_.data(),
                     .right = right_.data(),
                     .solution = solution_.data(),
                     .library = &libraries_});
    arguments_[1].loop = SparseLuLoop::solve;
    for (std::size_t phase = 0; phase < arguments_.size(); ++phase)
      schedule_.push_back({.phase = phase, .arguments = &arguments_[phase], .extent = 1});
  }

  /// Ranks solve the same system, each for a right-hand side of its own.
  void take_place(int rank, int) override { rank_ = static_cast<std::uint64_t>(rank); }
  const std::vector<Step>& steps() const override { return schedule_; }

  std::size_t extent() const override { return 1; }
  void initialise(std::size_t begin, std::size_t end) override {
    if (begin == end) return;
    rows_.fill(matrix_);
    std::copy(pattern_.starts.begin(), pattern_.starts.end(), factor_starts_.begin());
    std::copy(pattern_.diagonals.begin(), pattern_.diagonals.end(), diagonals_.begin());
    std::copy(pattern_.columns.begin(), pattern_.columns.end(), factor_columns_.begin());
    for (Array<Real>* const array : {&factors_, &row_, &solution_}) std::fill(array->begin(), array->end(), Real(0.5));
    for (std::size_t row = 0; row < right_.size(); ++row) right_[row] = Real(varied(right_stream + rank_, row));
  }

  /// The backward error: what the solution leaves of the right-hand side, over the norms of the matrix and the solution (largest sum of a
  /// row, largest element; Higham 2002, 7.1).
  double error() const override {
    long double left = 0, norm = 0, largest = 0;
    for (std::size_t row = 0; row < matrix_.rows(); ++row) {
      long double rest = value(right_[row]), sum = 0;
      matrix_.for_row(row, [&](std::size_t entry, std::size_t column) {
        rest -= static_cast<long double>(matrix_.values[entry]) * value(solution_[column]);
        sum += std::fabs(static_cast<long double>(matrix_.values[entry]));
      });
      if (!(std::fabs(rest) <= left)) left = std::fabs(rest);  // a NaN, too
      norm = std::max(norm, sum), largest = std::max(largest, std::fabs(value(solution_[row])));
    }
    return static_cast<double>(left / (norm * largest));
  }
  /// The factors are no larger than twice the matrix in sum, since its rows are outweighed by their diagonal; an element of the
  /// solution passes two sums of at most a row's length, and an entry of the factors one (Higham 2002, theorem 9.4).
  double tolerance() const override { return 2 * rounding_bound<Real>(3 * static_cast<double>(pattern_.largest_row())); }

 private:
  static constexpr std::uint64_t right_stream = 16;  // beyond those of the matrix
  static long double value(const Real& number) { return static_cast<long double>(static_cast<double>(number)); }

  std::uint64_t rank_ = 0;
  SparseMatrix matrix_;
  SparseFactors pattern_;
  SparseLuLibraries libraries_;
  SparseRows<Real> rows_;
  Array<std::size_t> factor_starts_, diagonals_;
  Array<std::int32_t> factor_columns_;
  Array<Real> factors_, row_, right_, solution_;
  std::array<Arguments, 2> arguments_{};
  std::vector<Step> schedule_;
};

std::span<const Flavor> all_flavors() {
  static const std::vector<Flavor> flavors = [] {
    std::vector<Flavor> all(std::begin(sparse_lu_flavors), std::end(sparse_lu_flavors));
    if (superlu().absent.empty()) all.push_back({superlu_flavor, "fp64", sweep_superlu});
    if (mumps().absent.empty()) all.push_back({mumps_flavor, "fp64", sweep_mumps});
    return all;
  }();
  return flavors;
}

std::vector<AbsentFlavor> absent_flavors() {
  std::vector<AbsentFlavor> absent;
  if (!superlu().absent.empty()) absent.push_back({std::string(superlu_flavor), superlu().absent});
  if (!mumps().absent.empty()) absent.push_back({std::string(mumps_flavor), mumps().absent});
  return absent;
}

Parameters box(std::int64_t n, std::int64_t lines, std::int64_t planes) { return {{"n", n}, {"lines", lines}, {"planes", planes}}; }

const Register<SparseLuCase, double> registered{
    {"proxies/sparse_lu",
     "sparse direct solver: the factors of a nonsymmetric matrix in the order of a nested dissection, and the triangular systems",
     {{.name = "n", .preset = std::int64_t{100}, .description = "points of a line of the grid", .max = std::int64_t{1} << 18},
      {.name = "lines", .preset = std::int64_t{1}, .description = "of a plane; one makes the grid one of two dimensions", .max = 1024},
      {.name = "planes", .preset = std::int64_t{100}, .description = "that close to a ring", .min = 4, .max = std::int64_t{1} << 18}},
     {.edges = {box(5, 4, 6), box(13, 1, 9)},
      .caches = {box(6, 1, 8), box(12, 1, 12), box(4, 1, 300)},
      .at_most = {{"n", std::int64_t{7}}, {"lines", std::int64_t{3}}, {"planes", std::int64_t{7}}}}},
    all_flavors,
    absent_flavors};

}  // namespace
}  // namespace plumbline
