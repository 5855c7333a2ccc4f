// The drivers of direct solvers take the same command line: which system, and whose rows of it a rank has.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "proxies/solvers/convection.hpp"
#include "proxies/solvers/matrix_market.hpp"
#include "proxies/solvers/sparse_matrix.hpp"

namespace plumbline {

/// A system whose right-hand side is all ones. All ranks hold the whole matrix; rows [begin, end) of it are this rank's.
struct DirectSystem {
  std::string name;  // as it was given
  SparseMatrix matrix;
  std::size_t begin, end;

  std::size_t rows() const { return matrix.rows(); }

  /// The backward error is what a solution leaves of the right-hand side, over the norms of matrix and solution: largest sum of a row,
  /// largest element.
  double backward_error(const std::vector<double>& solution) const {
    double left = 0, norm = 0, largest = 0;
    for (std::size_t row = 0; row < rows(); ++row) {
      double rest = 1, sum = 0;
      matrix.for_row(row, [&](std::size_t entry, std::size_t column) {
        rest -= matrix.values[entry] * solution[column], sum += std::fabs(matrix.values[entry]);
      });
      left = std::max(left, std::fabs(rest)), norm = std::max(norm, sum), largest = std::max(largest, std::fabs(solution[row]));
    }
    return left / (norm * largest);
  }
};

inline std::uint64_t grid_size(const std::string& word, const char* what, std::uint64_t least) {
  std::size_t read = 0;
  unsigned long number = 0;
  try {
    number = std::stoul(word, &read);
  } catch (const std::exception&) {
    read = 0;
  }
  if (read == 0 || read != word.size() || word[0] == '-' || number < least || number > 1 << 20)
    throw user_error("'" + word + "' is no number of " + what + ": give a whole number from " + std::to_string(least) + " to 1048576");
  return number;
}

/// The system that a command line names for one rank: `FILE.mtx`, or `N LINES PLANES` of convection_matrix() and, behind, the file that it
/// is written to. Throws Error (user) for anything that cannot be, a rank without rows among it.
inline DirectSystem direct_system(const std::vector<std::string>& words, int rank, int ranks) {
  DirectSystem system;
  if (words.size() == 1) {
    system.name = words[0];
    system.matrix = read_matrix_market(words[0]);
  } else if (words.size() == 3 || words.size() == 4) {
    const ConvectionGrid grid{grid_size(words[0], "points", 1), grid_size(words[1], "lines", 1), grid_size(words[2], "planes", 4)};
    system.name = words[0] + " x " + words[1] + " x " + words[2];
    constexpr std::uint64_t most = std::uint64_t{1} << 22;
    if (grid.n * grid.lines > most || grid.points() > most)
      throw user_error(system.name + " points are more than the " + std::to_string(most) + " that are taken: choose a smaller grid");
    system.matrix = convection_matrix(grid);
    if (words.size() == 4 && ranks != 1)
      throw user_error(words[3] + ": a matrix is written by one rank: start one, and more without the file");
    if (words.size() == 4) write_matrix_market(system.matrix, words[3]);
  } else {
    throw user_error(std::to_string(words.size()) +
                     " words in the place of a system: give a file of Matrix Market, or N LINES PLANES [FILE to write it to]");
  }
  const auto all = static_cast<std::size_t>(ranks), own = static_cast<std::size_t>(rank);
  if (system.rows() < all)
    throw user_error(system.name + ": " + std::to_string(ranks) + " ranks for " + std::to_string(system.rows()) +
                     " rows leave ranks without any: start at most " + std::to_string(system.rows()));
  system.begin = system.rows() * own / all, system.end = system.rows() * (own + 1) / all;
  return system;
}

/// The error for a matrix that a solver cannot factor.
inline Error singular_error(const DirectSystem& system, const std::string& found) {
  return user_error(system.name + ": the matrix is singular, no system of it can be solved: " + found +
                    "; look for rows or columns that are empty, alike or sums of others");
}

/// Calls solve(words) and gives the exit code; where it throws, rank 0 says why in a line. All ranks are to throw, or none.
template <class Solve>
int run_driver(const char* name, int argc, char** argv, int rank, Solve solve) {
  try {
    solve(std::vector<std::string>(argv + 1, argv + argc));
    return 0;
  } catch (const Error& error) {
    if (rank == 0) std::fprintf(stderr, "%s: %s\n", name, error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    if (rank == 0) std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

/// Prints what direct.py reads. FLOPs are those that the solver itself reports, summed over ranks; a solver that does not report them gives
/// a negative number.
inline void print_report(const DirectSystem& system, int ranks, double factor_flops, double solve_flops, double backward_error) {
  std::printf(
      "{\"system\": \"%s\", \"rows\": %zu, \"entries\": %zu, \"ranks\": %d, \"factor\": %.0f, \"solve\": %.0f, \"backward_error\": %.3g}\n",
      system.name.c_str(), system.rows(), system.matrix.entries(), ranks, factor_flops, solve_flops, backward_error);
}

}  // namespace plumbline
