// SPDX-License-Identifier: BSD-3-Clause
//
// OpenMP teams of 1 to 32 threads: each thread's own share of a static schedule, and their sum, to the last operation.
#include <omp.h>

#include <vector>

#include "../kernels.h"
#include "../measured.hpp"

namespace {

using measured::Counts;

constexpr long rows = 333, columns = 120, order = 5;  // 333 is divisible by 3 alone of the teams below

std::int64_t rows_of(int thread, int threads) { return rows / threads + (thread < rows % threads ? 1 : 0); }

struct Team {
  Counts all;
  std::vector<Counts> of_thread;
};

Team run(int threads) {
  std::vector<double> coefficients(order + 1, 0.625), x(columns, 0.5), y(static_cast<std::size_t>(rows * columns));
  Team team{{}, std::vector<Counts>(static_cast<std::size_t>(threads))};
  team.all = measured::counts_of([&] {
#pragma omp parallel num_threads(threads)
    {
      plumbline_counts before, after;
      plumbline_read_thread(&before);
#pragma omp for schedule(static)
      for (long row = 0; row < rows; ++row) horner_fp64(order, columns, coefficients.data(), x.data(), y.data() + row * columns);
      plumbline_read_thread(&after);
      team.of_thread[static_cast<std::size_t>(omp_get_thread_num())] = measured::difference(before, after);
    }
  });
  return team;
}

class OpenMp : public testing::TestWithParam<int> {};

TEST_P(OpenMp, counts_are_exact_for_each_thread_and_in_sum) {
  const int threads = GetParam();
  for (int entry = 0; entry < 3; ++entry) {  // the first creates the team's threads, the others find them
    const Team team = run(threads);
    for (int t = 0; t < threads; ++t)
      EXPECT_EQ(measured::flops_fp64(team.of_thread[static_cast<std::size_t>(t)]), 2 * order * columns * rows_of(t, threads))
          << "thread " << t;
    EXPECT_EQ(measured::flops_fp64(team.all), 2 * order * columns * rows);
    EXPECT_EQ(measured::flops(team.all), measured::flops_fp64(team.all));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, OpenMp, testing::Values(1, 2, 3, 8, 32));

}  // namespace
