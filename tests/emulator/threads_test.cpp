// SPDX-License-Identifier: BSD-3-Clause
#include <thread>
#include <vector>

#include "kernels.h"
#include "measured.hpp"

namespace {

constexpr long m = 5000;
constexpr int repetitions = 40;

struct Work {
  std::vector<double> x = std::vector<double>(m, 0.5), y = std::vector<double>(m), c = std::vector<double>(30, 0.625);
  measured::Counts counts;
  std::uint64_t thread = 0;

  void run(long order) {
    plumbline_counts before, after;
    plumbline_read_thread(&before);
    for (int r = 0; r < repetitions; ++r) horner_fp64(order, m, c.data(), x.data(), y.data());
    plumbline_read_thread(&after);
    counts = measured::difference(before, after);
    thread = after.thread;
  }
};

// Each thread's own FLOPs are exact although the threads are interleaved, and their sum is the process's.
TEST(Threads, counts_are_exact_for_each_and_in_sum) {
  constexpr int n_threads = 6;
  std::vector<Work> work(n_threads);
  measured::Counts all = measured::counts_of([&] {
    std::vector<std::thread> threads;
    for (int t = 0; t < n_threads; ++t) threads.emplace_back([&work, t] { work[static_cast<std::size_t>(t)].run(t + 1); });
    for (std::thread& t : threads) t.join();
  });
  std::int64_t sum = 0;
  for (int t = 0; t < n_threads; ++t) {
    const std::int64_t expected = 2L * (t + 1) * m * repetitions;
    EXPECT_EQ(measured::flops_fp64(work[static_cast<std::size_t>(t)].counts), expected) << "thread " << t;
    sum += expected;
  }
  EXPECT_EQ(measured::flops_fp64(all), sum);
  EXPECT_NE(work[0].thread, work[1].thread);
}

// The program has more threads over its life than live at once: numbers are reused and differences stay exact.
TEST(Threads, counts_are_exact_when_thread_numbers_are_reused) {
  for (int t = 0; t < 20; ++t) {
    Work work;
    std::thread thread([&] { work.run(3); });
    thread.join();
    ASSERT_EQ(measured::flops_fp64(work.counts), 2L * 3 * m * repetitions);
  }
}

}  // namespace
