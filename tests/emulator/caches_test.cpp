// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated caches, with the geometry given on the tool's command line and again here as SIZE,WAYS pairs (line 64 bytes).
#include <pthread.h>

#include <cstdlib>
#include <vector>

#include "measured.hpp"

namespace {

using measured::Counts;
using measured::counts_of;

std::int64_t level_bytes[3];

struct Arena {
  explicit Arena(std::size_t bytes) : data(static_cast<char*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096))) {
    for (std::size_t at = 0; at < bytes; at += 64) data[at] = 1;
  }
  ~Arena() { std::free(data); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  char* data;
};

// Reads 8 bytes of each line.
__attribute__((noinline)) void read_lines(const char* p, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64) __asm__ volatile("movq (%0), %%rax" : : "r"(p + at) : "rax", "memory");
}
__attribute__((noinline)) void write_lines(char* p, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 64) __asm__ volatile("movq $0, (%0)" : : "r"(p + at) : "memory");
}
__attribute__((noinline)) void write_lines_non_temporally(char* p, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += 16) __asm__ volatile("movntps %%xmm0, (%0)" : : "r"(p + at) : "memory");
}

// The counts from emptied caches. Reading the counts brings a few lines of stack and arguments into them, which is measured with no work
// and taken off.
template <class Prepare, class Work>
Counts cold_counts(Prepare&& prepare, Work&& work) {
  auto run = [&](bool with_work) {
    plumbline_empty_caches();
    prepare();
    return counts_of([&] {
      if (with_work) work();
    });
  };
  run(true);
  return run(true) - run(false);
}

// The stack that the called function touches, and what a sweep pushes out of it.
constexpr std::int64_t slack_bytes = 8 * 64;
#define EXPECT_BYTES(actual, wanted) EXPECT_NEAR(static_cast<double>(actual), static_cast<double>(wanted), static_cast<double>(slack_bytes))

TEST(Caches, cold_read_crosses_every_boundary_once) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  Counts c = cold_counts([] {}, [&] { read_lines(arena.data, bytes); });
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_demand_read], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l2_l3_demand_read], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l3_mem_demand_read], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_rfo], 0);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_write_back], 0);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_reg_l1_load], bytes / 8);
}

TEST(Caches, warm_read_crosses_nothing) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  auto read = [&] { read_lines(arena.data, bytes); };
  Counts c = cold_counts(read, read);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_demand_read], 0);
}

TEST(Caches, cold_write_is_a_read_for_ownership) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  Counts c = cold_counts([] {}, [&] { write_lines(arena.data, bytes); });
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_rfo], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l2_l3_rfo], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l3_mem_rfo], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_demand_read], 0);
}

TEST(Caches, sweep_of_a_level_too_small_misses_on_every_line_there_and_only_there) {
  // Least-recently-used loses every line of a cyclic sweep of twice the level's size.
  const std::int64_t bytes = 2 * level_bytes[0];
  ASSERT_LT(bytes, level_bytes[1] / 2);
  Arena arena(static_cast<std::size_t>(bytes));
  auto read = [&] { read_lines(arena.data, bytes); };
  Counts c = cold_counts(read, read);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_demand_read], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l2_l3_demand_read], 0);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l3_mem_demand_read], 0);
}

TEST(Caches, steady_sweep_of_writes_writes_back_what_it_fills) {
  const std::int64_t bytes = 2 * level_bytes[1];
  ASSERT_LT(bytes, level_bytes[2] / 2);
  Arena arena(static_cast<std::size_t>(bytes));
  auto write = [&] { write_lines(arena.data, bytes); };
  Counts c = cold_counts([&] { write(), write(); }, write);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_rfo], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_write_back], bytes);
  EXPECT_NEAR(static_cast<double>(c[PLUMBLINE_EVENT_l2_l3_rfo]), static_cast<double>(bytes), 0.01 * static_cast<double>(bytes));
  EXPECT_NEAR(static_cast<double>(c[PLUMBLINE_EVENT_l2_l3_write_back]), static_cast<double>(bytes), 0.01 * static_cast<double>(bytes));
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l3_mem_rfo], 0);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l3_mem_write_back], 0);
}

TEST(Caches, non_temporal_stores_fill_nothing_and_reach_memory) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  Counts c = cold_counts([] {}, [&] { write_lines_non_temporally(arena.data, bytes); });
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l1_l2_rfo], 0);
  EXPECT_EQ(c[PLUMBLINE_EVENT_reg_l1_nt_store], bytes);
  EXPECT_EQ(c[PLUMBLINE_EVENT_l1_l2_nt_store], bytes);
  EXPECT_EQ(c[PLUMBLINE_EVENT_l3_mem_nt_store], bytes);
}

TEST(Caches, non_temporal_stores_drop_the_line_and_write_it_back_when_dirty) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  Counts c = cold_counts([&] { write_lines(arena.data, bytes); },
                         [&] {
                           write_lines_non_temporally(arena.data, bytes);
                           read_lines(arena.data, bytes);
                         });
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l3_mem_write_back], bytes);
  EXPECT_BYTES(c[PLUMBLINE_EVENT_l3_mem_demand_read], bytes);
}

TEST(Flush, writes_every_dirty_line_back_to_memory_and_keeps_it) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  plumbline_empty_caches();
  write_lines(arena.data, bytes);
  Counts first = counts_of([] { plumbline_flush_caches(); });
  Counts again = counts_of([&] {
    read_lines(arena.data, bytes);
    plumbline_flush_caches();
  });
  // The stack's dirty lines are flushed, too.
  const double slack = 32 * 64;
  for (const auto event : {PLUMBLINE_EVENT_l1_l2_write_back, PLUMBLINE_EVENT_l2_l3_write_back, PLUMBLINE_EVENT_l3_mem_write_back}) {
    EXPECT_NEAR(static_cast<double>(first[event]), static_cast<double>(bytes), slack);
    EXPECT_NEAR(static_cast<double>(again[event]), 0, slack);
  }
  EXPECT_NEAR(static_cast<double>(again[PLUMBLINE_EVENT_l1_l2_demand_read]), 0, slack);
}

TEST(Counting, off_changes_neither_counts_nor_caches) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  auto read_uncounted = [&] {
    plumbline_counting(0);
    read_lines(arena.data, bytes);
    plumbline_counting(1);
  };
  Counts uncounted = counts_of(read_uncounted);
  EXPECT_LT(uncounted[PLUMBLINE_EVENT_instructions], 100);
  EXPECT_LT(uncounted[PLUMBLINE_EVENT_loads], 50);
  Counts after = cold_counts(read_uncounted, [&] { read_lines(arena.data, bytes); });
  EXPECT_BYTES(after[PLUMBLINE_EVENT_l1_l2_demand_read], bytes);
}

TEST(Repetition, from_emptied_caches_counts_are_equal_to_the_last_byte) {
  const std::int64_t bytes = 3 * level_bytes[0];
  Arena arena(static_cast<std::size_t>(bytes));
  auto once = [&] {
    plumbline_empty_caches();
    return counts_of([&] {
      write_lines(arena.data, bytes);
      read_lines(arena.data, bytes);
    });
  };
  once();
  EXPECT_EQ(once().value, once().value);
}

struct Sharer {
  const char* data;
  std::int64_t bytes;
  Counts counts;
};
void* read_as_thread(void* argument) {
  auto* s = static_cast<Sharer*>(argument);
  plumbline_counts before, after;
  plumbline_read_thread(&before);
  read_lines(s->data, s->bytes);
  plumbline_read_thread(&after);
  s->counts = measured::difference(before, after);
  return nullptr;
}

TEST(Threads, have_an_l1_and_l2_of_their_own_and_share_l3) {
  const std::int64_t bytes = level_bytes[0] / 2;
  Arena arena(static_cast<std::size_t>(bytes));
  plumbline_empty_caches();
  read_lines(arena.data, bytes);  // this thread's L1, L2, and the L3
  Sharer sharer{arena.data, bytes, {}};
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, read_as_thread, &sharer), 0);
  pthread_join(thread, nullptr);
  EXPECT_NEAR(static_cast<double>(sharer.counts[PLUMBLINE_EVENT_l1_l2_demand_read]), static_cast<double>(bytes), 16 * 64);
  EXPECT_NEAR(static_cast<double>(sharer.counts[PLUMBLINE_EVENT_l2_l3_demand_read]), static_cast<double>(bytes), 16 * 64);
  EXPECT_LE(sharer.counts[PLUMBLINE_EVENT_l3_mem_demand_read], 16 * 64);
}

TEST(Ranks, that_share_l3_have_a_part_of_its_sets_each) {
  const std::int64_t bytes = level_bytes[2] / 4 * 3;
  Arena arena(static_cast<std::size_t>(bytes));
  const auto memory_reads = [&] {
    read_lines(arena.data, bytes);
    return counts_of([&] { read_lines(arena.data, bytes); })[PLUMBLINE_EVENT_l3_mem_demand_read];
  };
  ASSERT_EQ(plumbline_share_l3(2), 1u);
  EXPECT_NEAR(static_cast<double>(memory_reads()), static_cast<double>(bytes), 16 * 64);
  ASSERT_EQ(plumbline_share_l3(1), 1u);
  EXPECT_LE(memory_reads(), 16 * 64);
  EXPECT_EQ(plumbline_share_l3(0), 0u);
  EXPECT_EQ(plumbline_share_l3(1u << 31), 0u) << "L3 has fewer sets";
  EXPECT_LE(memory_reads(), 16 * 64) << "what is refused changes nothing";
}

TEST(L3, gets_another_size_while_the_program_runs_and_is_shared_as_before) {
  const std::int64_t bytes = level_bytes[2] / 4 * 3;
  Arena arena(static_cast<std::size_t>(bytes));
  const auto memory_reads = [&] {
    read_lines(arena.data, bytes);
    return counts_of([&] { read_lines(arena.data, bytes); })[PLUMBLINE_EVENT_l3_mem_demand_read];
  };
  EXPECT_LE(memory_reads(), 16 * 64);
  ASSERT_EQ(plumbline_resize_l3(static_cast<std::uint64_t>(level_bytes[2]) / 2), 1u);
  EXPECT_NEAR(static_cast<double>(memory_reads()), static_cast<double>(bytes), 16 * 64);
  ASSERT_EQ(plumbline_resize_l3(static_cast<std::uint64_t>(level_bytes[2]) * 2), 1u);
  EXPECT_LE(memory_reads(), 16 * 64);
  ASSERT_EQ(plumbline_share_l3(4), 1u);
  EXPECT_NEAR(static_cast<double>(memory_reads()), static_cast<double>(bytes), 16 * 64) << "half of what it was at first";
  for (const std::uint64_t impossible : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{1} << 40})
    EXPECT_EQ(plumbline_resize_l3(impossible), 0u) << impossible;
  ASSERT_EQ(plumbline_share_l3(1), 1u);
  ASSERT_EQ(plumbline_resize_l3(static_cast<std::uint64_t>(level_bytes[2])), 1u);
  EXPECT_LE(memory_reads(), 16 * 64);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 4) return 2;
  for (int level = 0; level < 3; ++level) level_bytes[level] = std::atoll(argv[level + 1]);
  return RUN_ALL_TESTS();
}
