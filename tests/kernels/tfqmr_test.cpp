// The transpose-free solver does what it is for: it converges to the last digit, alike on any number of ranks; its blocks are factored
// exactly where nothing is left out. The generator's matrices are what they are said to be.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.hpp"
#include "proxies/solvers/convection.hpp"
#include "proxies/solvers/schwarz_factors.hpp"
#include "proxies/solvers/solver_residuals.hpp"
#include "proxies/solvers/tfqmr_grid.hpp"
#include "tests/kernels/ranks_as_threads.hpp"
#include "tests/kernels/refusal.hpp"

namespace plumbline {
namespace {

const Kernel& tfqmr() { return *find_kernel("proxies/tfqmr"); }

Parameters asked_blocks(std::int64_t n, std::int64_t lines, std::int64_t planes, std::int64_t blocks, std::int64_t iterations) {
  return {{"n", n}, {"lines", lines}, {"planes", planes}, {"blocks", blocks}, {"iterations", iterations}};
}

/// The bounds of the residual that the first flavor of the precision leaves, squared, the first one before all iterations. Every rank's
/// check passes.
std::vector<double> tfqmr_residuals(const Parameters& of_a_rank, int ranks = 1, std::string_view precision = "fp64") {
  for (const Flavor& flavor : tfqmr().flavors()) {
    if (flavor.precision != precision) continue;
    const auto data = swept_by_ranks(tfqmr(), of_a_rank, flavor, ranks);
    for (const auto& rank : data) EXPECT_LE(rank->error(), rank->tolerance());
    const auto found = dynamic_cast<const SolverResiduals&>(*data[0]).residuals_squared();
    return {found.begin(), found.end()};
  }
  throw std::runtime_error("proxies/tfqmr has no flavor in this precision");
}

double left(const std::vector<double>& all) { return std::sqrt(all.back() / all.front()); }

TEST(tfqmr, converges_to_the_last_digit) {
  EXPECT_LT(left(tfqmr_residuals(asked_blocks(16, 0, 16, 4, 30))), 1e-13);
  EXPECT_LT(left(tfqmr_residuals(asked_blocks(64, 1, 64, 4, 30))), 1e-13) << "in two dimensions";
  EXPECT_LT(left(tfqmr_residuals(asked_blocks(16, 0, 16, 4, 30), 1, "fp32")), 1e-5);
}

/// The bounds that PETSc 3.18.5 tells of the same system and the same blocks (tests/golden/petsc.json). They are far apart, and both
/// methods round in an order of their own: so as many digits are left as the residual has lost.
TEST(tfqmr, has_the_residuals_of_petsc) {
  constexpr double petsc[] = {53.0916573581025,    6.71273999940547,     0.244614803316908,    0.00359101807171178, 0.00197967909132869,
                              1.21957713824022e-6, 1.14051506204823e-07, 1.05063566078758e-08, 1.08259792369564e-08};
  const std::vector<double> ours = tfqmr_residuals(asked_blocks(8, 0, 32, 8, std::size(petsc) - 1));
  ASSERT_EQ(ours.size(), std::size(petsc));
  for (std::size_t k = 0; k < ours.size(); ++k)
    EXPECT_NEAR(std::sqrt(ours[k]), petsc[k], 1e-13 * petsc[k] + 1e-16 * petsc[0]) << "iteration " << k;
}

TEST(tfqmr, goes_on_when_nothing_is_left) { EXPECT_LT(left(tfqmr_residuals(asked_blocks(4, 0, 4, 1, 300))), 1e-13); }

TEST(tfqmr, has_the_same_residuals_on_any_number_of_ranks) {
  constexpr std::int64_t iterations = 8;
  const std::vector<double> alone = tfqmr_residuals(asked_blocks(8, 0, 32, 8, iterations));
  ASSERT_EQ(alone.size(), iterations + 1);
  EXPECT_LT(left(alone), 1e-3);
  for (const int ranks : {2, 4}) {
    const std::vector<double> together = tfqmr_residuals(asked_blocks(8, 0, 32 / ranks, 8 / ranks, iterations), ranks);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k)
      EXPECT_NEAR(together[k], alone[k], 1e-9 * alone[k]) << ranks << " ranks, iteration " << k;
  }
}

/// The blocks' shares of a point may cancel: their sum is then held to what was added, not to what is left.
TEST(tfqmr, passes_its_check_where_the_blocks_shares_cancel) {
  EXPECT_EQ(tfqmr_residuals(asked_blocks(16, 16, 16, 8, 3), 2).size(), 4U);
  EXPECT_EQ(tfqmr_residuals(asked_blocks(16, 16, 16, 8, 5), 4).size(), 6U);
}

/// The incomplete factors are the factors where each row has all entries that elimination makes, as in a matrix of three diagonals.
TEST(tfqmr, factors_are_exact_where_nothing_is_left_out) {
  constexpr std::size_t n = 20;
  SparseMatrix matrix;
  matrix.width = n;
  for (std::size_t r = 0; r < n; ++r) {
    if (r > 0) matrix.add(static_cast<std::int32_t>(r - 1), -1 - varied(0, r));
    matrix.add(static_cast<std::int32_t>(r), 4 + varied(1, r));
    if (r + 1 < n) matrix.add(static_cast<std::int32_t>(r + 1), -varied(2, r));
    matrix.end_row();
  }
  const IncompleteFactors factors = factor_incompletely(matrix);
  for (std::size_t r = 0; r < n; ++r) {
    double row[n] = {};  // of the product of the two factors
    const auto add_upper = [&](std::size_t of, double factor) {
      row[of] += factor / factors.inverse[of];
      factors.upper.for_row(of, [&](std::size_t entry, std::size_t column) { row[column] += factor * factors.upper.values[entry]; });
    };
    add_upper(r, 1);
    factors.lower.for_row(r, [&](std::size_t entry, std::size_t column) { add_upper(column, factors.lower.values[entry]); });
    matrix.for_row(r, [&](std::size_t entry, std::size_t column) {
      EXPECT_NEAR(row[column], matrix.values[entry], 1e-14 * 8) << "row " << r << ", column " << column;
      row[column] = 0;
    });
    for (const double rest : row) EXPECT_EQ(rest, 0);
  }
}

TEST(convection, has_a_nonsymmetric_pattern_of_which_the_grid_knows_the_entries) {
  const SchwarzGrid grid{{8, 6, 10}, 2};
  const SparseMatrix matrix = convection_matrix(grid.own);
  EXPECT_EQ(matrix.rows(), 480U);
  EXPECT_EQ(matrix.entries(), grid.entries());
  std::set<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    double own = 0, others = 0;
    matrix.for_row(r, [&](std::size_t entry, std::size_t column) {
      EXPECT_TRUE(places.emplace(r, column).second) << "row " << r << " has column " << column << " twice";
      (column == r ? own : others) += std::fabs(matrix.values[entry]);
    });
    EXPECT_GT(own, others) << "row " << r;
  }
  std::size_t alone = 0;
  for (const auto& [row, column] : places) alone += places.count({column, row}) == 0 ? 1 : 0;
  // A plane's rows reach two planes, two lines and two points before, of which none reaches back.
  EXPECT_EQ(alone, 8U * 6 * 10 + 8U * 4 * 10 + 6U * 6 * 10);
}

TEST(tfqmr, tells_of_sizes_that_are_none_in_one_line) {
  const auto why = [](const Parameters& p) { return refusal(tfqmr(), p); };
  EXPECT_EQ(why(asked_blocks(8, 0, 8, 4, 1)), "");
  EXPECT_EQ(why(asked_blocks(10, 1, 8, 4, 1)), "planes of n = 10 times lines = 1 points cannot be summed up by four: take n or lines = 12");
  EXPECT_EQ(why(asked_blocks(8, 0, 10, 4, 1)), "planes = 10 are not 4 blocks of two or more: take planes = 12, or fewer blocks");
  EXPECT_EQ(
      why(asked_blocks(1000, 0, 400, 4, 1)),
      "a rank's 400000000 rows have more entries than numbers of 32 bits can tell apart (2147483647): take fewer points, or more ranks");
  EXPECT_EQ(why(asked_blocks(8, 0, 4, 4, 1)), "planes = 4 are not 4 blocks of two or more: take planes = 8, or fewer blocks");
}

}  // namespace
}  // namespace plumbline
