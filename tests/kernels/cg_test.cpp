// Conjugate gradients do what they are for: they converge, the sooner the more levels there are, alike on any number of ranks. What they
// do beside HPCG's own formula is known to the last operation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "proxies/solvers/solver_residuals.hpp"
#include "tests/kernels/ranks_as_threads.hpp"
#include "tests/kernels/refusal.hpp"

namespace plumbline {
namespace {

const Kernel& cg() { return *find_kernel("proxies/cg"); }

Parameters asked(std::int64_t n, std::int64_t planes, std::int64_t levels, std::int64_t iterations) {
  return {{"n", n}, {"planes", planes}, {"levels", levels}, {"iterations", iterations}};
}

const Flavor& first_in_fp64() {
  for (const Flavor& flavor : cg().flavors())
    if (flavor.precision == "fp64") return flavor;
  throw std::runtime_error("proxies/cg has no flavor in fp64");
}

/// The residuals that the first flavor in FP64 leaves: squares of their norms, the first one before all iterations. Every rank's check
/// passes.
std::vector<double> residuals(const Parameters& of_a_rank, int ranks = 1) {
  const auto data = swept_by_ranks(cg(), of_a_rank, first_in_fp64(), ranks);
  for (const auto& rank : data) EXPECT_LE(rank->error(), rank->tolerance());
  const auto found = dynamic_cast<const SolverResiduals&>(*data[0]).residuals_squared();
  return {found.begin(), found.end()};
}

double left(const Parameters& p) {
  const std::vector<double> all = residuals(p);
  return std::sqrt(all.back() / all.front());
}

TEST(cg, converges_to_the_last_digit) { EXPECT_LT(left(asked(16, 0, 3, 40)), 1e-16); }

TEST(cg, converges_the_sooner_the_more_levels_there_are) {
  const double one = left(asked(32, 0, 1, 10)), two = left(asked(32, 0, 2, 10)), four = left(asked(32, 0, 4, 10));
  EXPECT_LT(two, 0.1 * one);
  EXPECT_LT(four, 0.8 * two);
}

TEST(cg, has_the_same_residuals_on_any_number_of_ranks) {
  constexpr std::int64_t iterations = 8;
  const std::vector<double> alone = residuals(asked(8, 32, 2, iterations));
  ASSERT_EQ(alone.size(), iterations + 1);
  EXPECT_LT(alone.back(), 1e-6 * alone.front());
  for (const int ranks : {2, 4}) {
    const std::vector<double> together = residuals(asked(8, 32 / ranks, 2, iterations), ranks);
    ASSERT_EQ(together.size(), alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k)
      EXPECT_NEAR(together[k], alone[k], 1e-9 * alone[k]) << ranks << " ranks, iteration " << k;
  }
}

TEST(cg, goes_on_when_as_good_as_nothing_is_left) {
  const std::vector<double> all = residuals(asked(4, 0, 2, 300));
  EXPECT_LE(all.back(), std::numeric_limits<double>::min());
}

/// HPCG's formula (its ReportResults.cpp) for one set of so many iterations, by the points and the rows' entries of each level.
std::uint64_t formula(const std::vector<std::uint64_t>& points, const std::vector<std::uint64_t>& entries, std::uint64_t iterations) {
  const std::uint64_t sums = 3 * iterations + 1;
  std::uint64_t all = 4 * sums * points[0] + 2 * (iterations + 1) * entries[0];
  for (std::size_t level = 0; level + 1 < entries.size(); ++level) all += (4 + 2 + 4) * iterations * entries[level];
  return all + 4 * iterations * entries.back();
}

TEST(cg, does_what_the_formula_of_hpcg_says_of_rows_of_27_entries_and_little_beside) {
  constexpr std::uint64_t n = 16, planes = 24, iterations = 7;
  std::vector<std::uint64_t> points, entries;
  for (std::uint64_t half = 1; half <= 4; half *= 2) {
    points.push_back(n / half * (n / half) * (planes / half));
    entries.push_back(27 * points.back());
  }
  // Beside it: a row's first product is added to nothing; smoothing takes a point's own part back in (2) and divides, there and back; the
  // points of coarser levels are taken off and added; sums begin with a product; two ratios, to whose divisors the least number is added.
  auto beside = static_cast<std::int64_t>(4 * iterations) - static_cast<std::int64_t>((iterations + 1) * points[0] + 3 * iterations + 1);
  for (std::size_t level = 0; level < points.size(); ++level) {
    const bool coarsest = level + 1 == points.size();
    beside += static_cast<std::int64_t>(iterations * points[level] * (coarsest ? 1 : 2) * 2 * 3);
    if (!coarsest)
      beside += static_cast<std::int64_t>(iterations * 2 * points[level + 1]) - static_cast<std::int64_t>(iterations * points[level]);
  }
  const Work work = cg().model(asked(n, planes, 3, iterations), "fp64", "");
  EXPECT_EQ(total_flops(work.flops), Amount(formula(points, entries, iterations) + static_cast<std::uint64_t>(beside)));
}

TEST(cg, tells_of_sizes_that_are_none_in_one_line) {
  const auto why = [](const Parameters& p) { return refusal(cg(), p); };
  EXPECT_EQ(why(asked(32, 48, 4, 1)), "");
  EXPECT_EQ(why(asked(104, 48, 4, 1)),
            "n = 104 is no multiple of 16, as 4 levels of eight colors need: take n = 96 or 112, or fewer levels");
  EXPECT_EQ(why(asked(8, 6, 3, 1)), "planes = 6 is no multiple of 8, as 3 levels of eight colors need: take planes = 8, or fewer levels");
}

}  // namespace
}  // namespace plumbline
