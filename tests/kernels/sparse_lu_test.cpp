// The factors' pattern is that of an elimination without exchanges, a dissection fills little, and SuperLU's own report is what its
// supernodes say; a system that cannot be solved is refused in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "libraries/mumps.hpp"
#include "libraries/superlu.hpp"
#include "proxies/solvers/sparse_factors.hpp"
#include "proxies/solvers/sparse_lu_superlu.hpp"
#include "proxies/solvers/sparse_order.hpp"
#include "proxies/solvers/sparse_supernodes.hpp"
#include "tests/kernels/ranks_as_threads.hpp"
#include "tests/kernels/refusal.hpp"
#include "tests/peers/direct_system.hpp"

namespace plumbline {
namespace {

constexpr ConvectionGrid grids[] = {{1, 1, 4}, {2, 1, 16}, {7, 3, 7}, {16, 1, 16}, {5, 6, 5}};

/// The columns of each row of the factors, by the elimination itself.
std::vector<std::set<std::int32_t>> eliminated(const SparseMatrix& matrix) {
  std::vector<std::set<std::int32_t>> rows(matrix.rows());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row].insert(static_cast<std::int32_t>(row));
    matrix.for_row(row, [&](std::size_t, std::size_t column) { rows[row].insert(static_cast<std::int32_t>(column)); });
    for (auto above = rows[row].begin(); *above < static_cast<std::int32_t>(row); ++above) {
      const auto& taken_off = rows[static_cast<std::size_t>(*above)];
      rows[row].insert(taken_off.upper_bound(*above), taken_off.end());
    }
  }
  return rows;
}

TEST(SparseFactors, have_the_pattern_that_the_elimination_fills) {
  for (const ConvectionGrid& grid : grids) {
    const SparseMatrix matrix = dissected_matrix(grid);
    const SparseFactors factors(matrix);
    const auto rows = eliminated(matrix);
    std::uint64_t products = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::vector<std::int32_t> found(factors.columns.begin() + static_cast<std::ptrdiff_t>(factors.starts[row]),
                                            factors.columns.begin() + static_cast<std::ptrdiff_t>(factors.starts[row + 1]));
      EXPECT_EQ(found, std::vector<std::int32_t>(rows[row].begin(), rows[row].end())) << row;
      EXPECT_EQ(factors.columns[factors.diagonals[row]], static_cast<std::int32_t>(row));
      for (const std::int32_t above : rows[row])
        if (above < static_cast<std::int32_t>(row)) {
          const auto& taken_off = rows[static_cast<std::size_t>(above)];
          products += static_cast<std::uint64_t>(std::distance(taken_off.upper_bound(above), taken_off.end()));
        }
    }
    EXPECT_EQ(factors.products(), products);
    EXPECT_EQ(factors.lower() + factors.upper(), factors.entries());
  }
}

TEST(SparseOrder, a_dissection_is_a_permutation_whose_subtrees_stand_together) {
  for (const ConvectionGrid& grid : grids) {
    std::vector<std::int32_t> order = Dissection(grid).order(), all(grid.points());
    std::sort(order.begin(), order.end());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
    EXPECT_EQ(postorder(elimination_tree(dissected_matrix(grid))), all);
  }
}

TEST(SparseOrder, a_dissection_of_a_square_saves_half_of_the_natural_orders_products_at_least) {
  const ConvectionGrid square{40, 1, 40};
  EXPECT_LE(2 * SparseFactors(dissected_matrix(square)).products(), SparseFactors(convection_matrix(square)).products());
}

TEST(SparseOrder, transposing_twice_gives_the_matrix_and_once_exchanges_rows_and_columns) {
  const SparseMatrix matrix = convection_matrix({3, 2, 5}), turned = transposed(matrix), again = transposed(turned);
  EXPECT_EQ(again.columns, matrix.columns);
  EXPECT_EQ(again.values, matrix.values);
  EXPECT_NE(turned.columns, matrix.columns);  // the pattern is nonsymmetric
}

const Kernel& sparse_lu() { return *find_kernel("proxies/sparse_lu"); }

TEST(SparseLu, ranks_solve_for_right_hand_sides_of_their_own) {
  const auto ranks = swept_by_ranks(sparse_lu(), {{"n", std::int64_t{5}}, {"lines", std::int64_t{2}}, {"planes", std::int64_t{6}}},
                                    sparse_lu().flavors().front(), 2);
  for (const auto& rank : ranks) EXPECT_LE(rank->error(), rank->tolerance());
}

TEST(SparseLu, more_rows_than_are_factored_in_bearable_time_are_refused) {
  EXPECT_EQ(refusal(sparse_lu(), {{"n", std::int64_t{1} << 18}, {"lines", std::int64_t{1}}, {"planes", std::int64_t{5}}}),
            "proxies/sparse_lu: n x lines x planes = 1310720 rows are more than the 1048576 that are taken: choose a smaller grid");
}

/// The system of a matrix in its own order.
SuperLuSystem superlu_system(const SparseMatrix& matrix) {
  const SparseMatrix by_columns = transposed(matrix);
  return {by_columns.values, by_columns.columns, by_columns.starts, elimination_tree(matrix)};
}

class SuperLuHere : public testing::Test {
 protected:
  void SetUp() override {
    if (!superlu().absent.empty()) GTEST_SKIP() << "SKIP: " << superlu().absent;
  }
};

TEST_F(SuperLuHere, reports_the_flops_of_its_supernodes_to_the_last_one) {
  for (const ConvectionGrid& grid :
       {ConvectionGrid{1, 1, 4}, ConvectionGrid{7, 3, 7}, ConvectionGrid{16, 1, 16}, ConvectionGrid{40, 1, 40}}) {
    const SparseMatrix matrix = dissected_matrix(grid);
    const auto groups = relaxed_supernodes(elimination_tree(matrix), SuperLuChoices::relaxed);
    const SparseFactors factors(with_relaxed_supernodes(matrix, groups));
    const std::uint64_t pivots = matrix.rows();  // a reciprocal each when factored; when solved it counts two FLOPs for each division
    SuperLuSystem system = superlu_system(matrix);
    for (int time = 0; time < 2; ++time) system.factor();  // the second in the memory of the first
    EXPECT_EQ(system.factor_flops(), static_cast<double>(factors.lower() + 2 * factors.products() + pivots));
    std::vector<double> right(matrix.rows(), 1), solution(matrix.rows());
    system.solve(right, solution);
    EXPECT_EQ(system.solve_flops(), static_cast<double>(2 * factors.entries()));

    std::uint64_t by_products = factors.lower() + pivots;
    const auto triangle_and_rows = [&](std::uint64_t columns, std::uint64_t rows) {
      by_products += columns * (columns - 1) + 2 * columns * rows;
    };
    SuperLuNodes(factors, groups, SuperLuChoices::panel).for_products(triangle_and_rows, triangle_and_rows);
    EXPECT_EQ(system.factor_flops(), static_cast<double>(by_products));
  }
}

TEST_F(SuperLuHere, a_singular_matrix_is_refused_in_one_line) {
  SparseMatrix matrix;
  matrix.width = 3;
  matrix.add(0, 1), matrix.add(1, 2), matrix.end_row();
  matrix.add(0, 2), matrix.add(1, 4), matrix.end_row();
  matrix.add(2, 1), matrix.end_row();
  SuperLuSystem system = superlu_system(matrix);
  try {
    system.factor();
    FAIL();
  } catch (const std::runtime_error& refused) {
    EXPECT_EQ(std::string(refused.what()), "SuperLU " + superlu().version +
                                               ", factors of a matrix of 3 rows: the pivot in column 2 of the elimination is zero, so the "
                                               "matrix is singular: no system of it can be solved");
  }
}

TEST_F(SuperLuHere, without_factors_no_system_is_solved) {
  SuperLuSystem system = superlu_system(convection_matrix({1, 1, 4}));
  std::vector<double> right(4, 1), solution(4);
  EXPECT_THROW(system.solve(right, solution), std::runtime_error);
}

class MumpsHere : public testing::Test {
 protected:
  void SetUp() override {
    if (!mumps().absent.empty()) GTEST_SKIP() << "SKIP: " << mumps().absent;
  }
};

TEST_F(MumpsHere, does_in_its_fronts_what_it_expects_of_them) {
  for (const ConvectionGrid& grid : grids) {
    const SparseMatrix matrix = dissected_matrix(grid);
    const SparseFactors own(matrix);
    MumpsSystem system(matrix.values, matrix.columns, matrix.starts);
    const double expected = system.expected_flops(), entries = system.expected_entries();
    EXPECT_GE(expected, static_cast<double>(own.lower() + 2 * own.products()));
    EXPECT_GE(entries, static_cast<double>(own.entries()));
    for (int time = 0; time < 2; ++time) {
      system.factor();
      EXPECT_GE(system.factor_flops(), expected);
      EXPECT_LE(system.factor_flops(), expected + 4 * entries);  // with those of assembling
    }
  }
}

TEST_F(MumpsHere, a_singular_matrix_is_refused_in_one_line) {
  MumpsSystem system(std::vector<double>{1, 2, 2, 4, 1}, std::vector<std::int32_t>{0, 1, 0, 1, 2}, std::vector<std::size_t>{0, 2, 4, 5});
  try {
    system.factor();
    FAIL();
  } catch (const std::runtime_error& refused) {
    const std::string said = refused.what(), begin = "MUMPS " + mumps().version + ", a matrix of 3 rows: INFOG(1) = -10, ";
    EXPECT_EQ(said.substr(0, begin.size()), begin);
    EXPECT_NE(said.find(": the matrix is singular: no system of it can be solved"), std::string::npos) << said;
  }
}

TEST_F(MumpsHere, without_factors_no_system_is_solved) {
  const SparseMatrix matrix = convection_matrix({1, 1, 4});
  MumpsSystem system(matrix.values, matrix.columns, matrix.starts);
  std::vector<double> right(4, 1), solution(4);
  EXPECT_THROW(system.solve(right, solution), std::runtime_error);
}

/// The drivers of direct.py refuse this before any solver is called.
std::string refused_system(const std::vector<std::string>& words, int ranks) {
  try {
    direct_system(words, 0, ranks);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    return error.what();
  }
  return "accepted";
}

TEST(DirectSystem, ranks_share_all_rows) {
  std::size_t next = 0;
  for (int rank = 0; rank < 5; ++rank) {
    const DirectSystem system = direct_system({"3", "1", "4"}, rank, 5);
    EXPECT_EQ(system.begin, next);
    EXPECT_LT(system.begin, system.end);
    next = system.end;
  }
  EXPECT_EQ(next, 12U);
}

TEST(DirectSystem, what_cannot_be_is_refused_in_one_line) {
  EXPECT_EQ(refused_system({"1", "1", "4"}, 5), "1 x 1 x 4: 5 ranks for 4 rows leave ranks without any: start at most 4");
  EXPECT_EQ(refused_system({"1", "1", "3"}, 1), "'3' is no number of planes: give a whole number from 4 to 1048576");
  EXPECT_EQ(refused_system({"1", "-1", "4"}, 1), "'-1' is no number of lines: give a whole number from 1 to 1048576");
  EXPECT_EQ(refused_system({"2048", "2048", "4"}, 1),
            "2048 x 2048 x 4 points are more than the 4194304 that are taken: choose a smaller grid");
  EXPECT_EQ(refused_system({"1", "1"}, 1),
            "2 words in the place of a system: give a file of Matrix Market, or N LINES PLANES [FILE to write it to]");
  EXPECT_EQ(refused_system({"1", "1", "4", "f.mtx"}, 2), "f.mtx: a matrix is written by one rank: start one, and more without the file");
  EXPECT_EQ(refused_system({"/nowhere.mtx"}, 1).substr(0, 40), "/nowhere.mtx: the matrix cannot be read:");
}

}  // namespace
}  // namespace plumbline
