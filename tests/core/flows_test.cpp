// Every expected number here is worked out by hand beside its test. The machine: L1 32 KiB in 64 sets of 8, L2 1 MiB in 1024 sets
// of 16, L3 32 MiB in 32768 sets of 16 and shared. Slack: 48 lines of 64 B a thread, and two lines for
// each time a broken layer is gone through.
#include "core/flows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/byte_units.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t slack = 48 * 64;

const std::vector<CacheLevel> machine = {{.name = "L1", .bytes = 32 * KiB, .ways = 8},
                                         {.name = "L2", .bytes = MiB, .ways = 16},
                                         {.name = "L3", .bytes = 32 * MiB, .ways = 16, .shared = true}};

Work triad(std::uint64_t n, bool non_temporal = false) {
  return {
      .flops = {{"flops.fp64.add", n}, {"flops.fp64.mul", n}},
      .streams = {{.array = "a", .footprint_bytes = n * 8, .written = true, .stores = n, .element_bytes = 8, .non_temporal = non_temporal},
                  {.array = "b", .footprint_bytes = n * 8, .read = true, .loads = n, .element_bytes = 8},
                  {.array = "c", .footprint_bytes = n * 8, .read = true, .loads = n, .element_bytes = 8}},
      .paper = {{"paper.flops", 2 * n}, {"paper.bytes", 24 * n}}};
}

/// The stencil of n x n points, with a rim of one, as the kernel of paper 004 (four neighbours read, one point written).
Work stencil5(std::uint64_t n) {
  const std::uint64_t row = (n + 2) * 8, array = (n + 2) * row;
  return {.flops = {{"flops.fp64.add", 3 * n * n}, {"flops.fp64.mul", n * n}},
          .streams = {{.array = "m",
                       .footprint_bytes = array,
                       .read = true,
                       .loads = 4 * n * n,
                       .element_bytes = 8,
                       .layers = {{.reuse_bytes = 4 * row, .fetched_bytes = 3 * array}}},
                      {.array = "om", .footprint_bytes = n * row, .written = true, .stores = n * n, .element_bytes = 8}}};
}

Work update(std::uint64_t n) {
  return {
      .streams = {{.array = "x", .footprint_bytes = n * 8, .read = true, .written = true, .loads = n, .stores = n, .element_bytes = 8}}};
}

Amount at(const Counts& counts, const std::string& quantity) {
  const auto found = counts.find(quantity);
  if (found == counts.end()) throw std::runtime_error("no quantity " + quantity);
  return found->second;
}

/// Give or take the slack of `threads` threads.
Amount about(std::uint64_t lo, std::uint64_t hi, std::uint64_t threads = 1) {
  return {lo - std::min(lo, threads * slack), hi + threads * slack};
}
Amount about(std::uint64_t exact) { return about(exact, exact); }

TEST(Part, of_a_shared_cache_is_a_whole_number_of_its_sets) {
  EXPECT_EQ(part_of(machine[2], 1), 32 * MiB);
  EXPECT_EQ(part_of(machine[2], 4), 8 * MiB);
  EXPECT_EQ(part_of(machine[2], 3), 10922 * 1024);  // 32768 sets of 1 KiB
  EXPECT_EQ(part_of({.name = "L3", .bytes = MiB, .ways = 0, .shared = true}, 3), 5461 * 64) << "lines, where the ways are not known";
}

TEST(Flows, flops_are_given_and_totalled_and_the_other_precision_is_zero) {
  const Counts counts = expected_counts({.flops = {{"flops.fp64.add", 3}, {"flops.fp64.fma", 5}}}, machine, 1);
  EXPECT_EQ(at(counts, "flops.fp64.add"), Amount(3));
  EXPECT_EQ(at(counts, "flops.fp64"), Amount(13));
  EXPECT_EQ(at(counts, "flops.fp32"), Amount(0));
}

TEST(Flows, references_are_those_of_the_arithmetic_and_the_paper_is_kept) {
  const Counts counts = expected_counts(triad(1000), machine, 1);
  EXPECT_EQ(at(counts, "bytes.reg-L1.load"), Amount(16000));
  EXPECT_EQ(at(counts, "bytes.reg-L1.store"), Amount(8000));
  EXPECT_EQ(at(counts, "bytes.reg-L1"), Amount(24000));
  EXPECT_EQ(at(counts, "paper.bytes"), Amount(24000));
}

TEST(Flows, references_that_are_at_most_so_many_may_be_none_and_what_is_stored_is_stored_once) {
  std::vector<CacheLevel> gpu{{.name = "L1", .bytes = 1 << 18, .line_bytes = 32, .policy = gpu_L1_policy}};
  const Counts counts = expected_counts(
      {.streams = {{.array = "a", .footprint_bytes = 1 << 20, .read = true, .loads = 1 << 20, .element_bytes = 8, .at_most = true},
                   {.array = "c", .footprint_bytes = 1 << 20, .written = true, .stores = 1 << 19, .element_bytes = 8, .at_most = true},
                   {.array = "tiles", .loads = 10, .stores = 5, .element_bytes = 8, .scratchpad = true, .at_most = true}}},
      gpu, 1);
  constexpr std::uint64_t sectors = 48 * 32;
  EXPECT_EQ(at(counts, "bytes.reg-L1.load"), Amount(0, 8 << 20));
  EXPECT_EQ(at(counts, "bytes.reg-L1.store"), Amount(0, 4 << 20));
  EXPECT_EQ(at(counts, "bytes.reg-shared.load"), Amount(0, 80));
  EXPECT_EQ(at(counts, "bytes.reg-shared.store"), Amount(0, 40));
  EXPECT_EQ(at(counts, "bytes.L1-mem.write_back"), Amount((1 << 20) - sectors, (4 << 20) + sectors));
}

TEST(Flows, a_line_that_comes_in_by_a_load_or_by_a_store_stands_once_in_the_sum) {
  constexpr std::uint64_t bytes = 4 * MiB;
  Work copy = update(bytes / 8);
  copy.streams[0].either_way = true;
  const Counts counts = expected_counts(copy, machine, 1);
  EXPECT_EQ(at(counts, "bytes.L1-L2.demand_read"), Amount(0, bytes + slack));
  EXPECT_EQ(at(counts, "bytes.L1-L2.rfo"), Amount(0, bytes + slack));
  EXPECT_EQ(at(counts, "bytes.L1-L2.write_back"), Amount(bytes - slack, bytes + slack));
  EXPECT_EQ(at(counts, "bytes.L1-L2"), Amount(2 * bytes - slack, 2 * bytes + 3 * slack));
}

TEST(Flows, a_triad_inside_L1_moves_nothing_but_slack) {
  // 1000 elements: 125 lines an array, 2 ways of each of 64 sets; three arrays and slack take 8 of 8 ways.
  const Counts counts = expected_counts(triad(1000), machine, 1);
  for (const char* boundary : {"L1-L2", "L2-L3", "L3-mem"})
    for (const char* flow : {"demand_read", "rfo", "write_back"})
      EXPECT_EQ(at(counts, std::string("bytes.") + boundary + "." + flow), about(0)) << boundary << flow;
  EXPECT_EQ(at(counts, "bytes.L1-L2"), Amount(0, 3 * slack));
}

TEST(Flows, a_triad_on_the_edge_of_L1_is_an_interval_from_nothing_to_everything) {
  // 1365 elements: 171 lines an array, 2 whole ways and a rest; 6 ways surely, 9 at most: neither surely in nor surely out.
  const Counts counts = expected_counts(triad(1365), machine, 1);
  EXPECT_EQ(at(counts, "bytes.L1-L2.demand_read"), about(0, 2 * 171 * 64));
  EXPECT_EQ(at(counts, "bytes.L1-L2.write_back"), about(0, 171 * 64));
  EXPECT_EQ(at(counts, "bytes.L2-L3"), Amount(0, 3 * slack));
}

TEST(Flows, a_triad_of_nine_full_ways_misses_every_line_of_an_eight_way_L1) {
  // 3 x 192 lines fill 9 ways of every set.
  const Counts counts = expected_counts(triad(1536), machine, 1);
  EXPECT_EQ(at(counts, "bytes.L1-L2.demand_read"), about(2 * 1536 * 8));
  EXPECT_EQ(at(counts, "bytes.L1-L2.rfo"), about(1536 * 8));
}

TEST(Flows, a_triad_beyond_L3_moves_each_line_once_with_write_allocate) {
  const std::uint64_t n = 4 << 20, array = n * 8;  // 96 MiB against 32
  const Counts counts = expected_counts(triad(n), machine, 1);
  for (const char* boundary : {"L1-L2", "L2-L3", "L3-mem"}) {
    const std::string bytes = std::string("bytes.") + boundary;
    EXPECT_EQ(at(counts, bytes + ".demand_read"), about(2 * array));
    EXPECT_EQ(at(counts, bytes + ".rfo"), about(array));
    EXPECT_EQ(at(counts, bytes + ".write_back"), about(array));
    EXPECT_EQ(at(counts, bytes + ".nt_store"), Amount(0));
    EXPECT_EQ(at(counts, bytes), Amount(4 * array - 3 * slack, 4 * array + 3 * slack));
  }
}

TEST(Flows, a_last_partial_line_is_a_whole_line) {
  const std::uint64_t n = (4 << 20) + 1;
  EXPECT_EQ(at(expected_counts(triad(n), machine, 1), "bytes.L3-mem.rfo"), about((n - 1) * 8 + 64));
}

TEST(Flows, non_temporal_stores_pass_all_levels_without_ownership_or_write_back) {
  const std::uint64_t n = 4 << 20, array = n * 8;
  const Counts counts = expected_counts(triad(n, true), machine, 1);
  EXPECT_EQ(at(counts, "bytes.reg-L1.nt_store"), Amount(array));
  EXPECT_EQ(at(counts, "bytes.reg-L1.store"), Amount(0));
  for (const char* boundary : {"L1-L2", "L2-L3", "L3-mem"}) {
    const std::string bytes = std::string("bytes.") + boundary;
    EXPECT_EQ(at(counts, bytes + ".nt_store"), Amount(array));
    EXPECT_EQ(at(counts, bytes + ".rfo"), about(0));
    EXPECT_EQ(at(counts, bytes + ".write_back"), about(0));
  }
}

TEST(Flows, an_update_reads_and_writes_back_without_rfo) {
  const std::uint64_t n = 1 << 20;  // 8 MiB: beyond L2, inside L3
  const Counts counts = expected_counts(update(n), machine, 1);
  EXPECT_EQ(at(counts, "bytes.L2-L3.demand_read"), about(n * 8));
  EXPECT_EQ(at(counts, "bytes.L2-L3.rfo"), about(0));
  EXPECT_EQ(at(counts, "bytes.L2-L3.write_back"), about(n * 8));
  EXPECT_EQ(at(counts, "bytes.L3-mem"), Amount(0, 3 * slack));
}

/// A pointer chase: 16 MiB of lines in one round, 1 MiB of them a sweep. L2 (1 MiB) holds none when the round comes back, L3 all but
/// in the first round.
TEST(Flows, a_sweep_that_goes_on_where_the_last_one_stopped_fetches_what_it_touches) {
  const Counts counts = expected_counts(
      {.streams =
           {{.array = "lines", .footprint_bytes = 16 * MiB, .read = true, .loads = 16384, .element_bytes = 8, .touched_bytes = MiB}}},
      machine, 1);
  EXPECT_EQ(at(counts, "bytes.reg-L1.load"), Amount(16384 * 8));
  EXPECT_EQ(at(counts, "bytes.L1-L2.demand_read"), about(MiB));
  EXPECT_EQ(at(counts, "bytes.L2-L3.demand_read"), about(MiB));
  EXPECT_EQ(at(counts, "bytes.L3-mem.demand_read"), about(0, MiB));
}

TEST(Flows, a_layer_that_fits_costs_each_line_once) {
  // n = 254: rows of 2 KiB; four rows are 8 KiB, a quarter of L1. The arrays, 512 + 508 KiB, are on the edge of L2.
  const Counts counts = expected_counts(stencil5(254), machine, 1);
  EXPECT_EQ(at(counts, "bytes.L1-L2.demand_read"), about(512 * KiB));
  EXPECT_EQ(at(counts, "bytes.L1-L2.rfo"), about(508 * KiB));
  EXPECT_EQ(at(counts, "bytes.L2-L3.demand_read"), about(0, 512 * KiB));
}

TEST(Flows, a_layer_that_breaks_fetches_three_rows_a_row) {
  // n = 2046: rows of 16 KiB; four rows are twice L1 and a sixteenth of L2. Where each row begins a line may be shared: 256 B to 64 KiB.
  const std::uint64_t array = 32 * MiB, edges = 3 * array / 256, spilled = 2 * 64 * (3 * array / (64 * KiB));
  const Counts counts = expected_counts(stencil5(2046), machine, 1);
  EXPECT_EQ(at(counts, "bytes.L1-L2.demand_read"), about(3 * array - edges, 3 * array + edges + spilled));
  EXPECT_EQ(at(counts, "bytes.L2-L3.demand_read"), about(array));
}

TEST(Flows, a_layer_on_the_edge_is_an_interval_from_one_row_to_three) {
  // n = 1022: four rows are exactly L1.
  const std::uint64_t array = 8 * MiB;
  const Amount read = at(expected_counts(stencil5(1022), machine, 1), "bytes.L1-L2.demand_read");
  EXPECT_EQ(read.lo, array - slack);
  EXPECT_GE(read.hi, 3 * array);
}

TEST(Flows, a_layer_surely_stays_when_its_pieces_fit_beside_it) {
  // Four rows are 160, 288 and 384 KiB of a cache of 512: 5, 9 and 12 of 16 ways, and five are kept for pieces.
  const std::vector<CacheLevel> cache = {{.name = "L2", .bytes = 512 * KiB, .ways = 16}};
  const auto read = [&](std::uint64_t n) { return at(expected_counts(stencil5(n), cache, 1), "bytes.L2-mem.demand_read"); };
  const auto array = [](std::uint64_t n) { return (n + 2) * (n + 2) * 8; };
  EXPECT_EQ(read(5118), about(array(5118)));
  EXPECT_EQ(read(9214), about(array(9214)));
  EXPECT_GE(read(12286).hi, 3 * array(12286));
}

TEST(Flows, a_layer_that_stays_may_lose_lines_to_the_stack_where_it_leaves_a_set_few_ways) {
  // n = 446: four rows of 3.5 KiB take four of L1's eight ways, less than half of its bytes, and fewer than five are left. They are gone
  // through 3 * 448 / 4 times.
  const std::uint64_t array = 448 * 448 * 8, lost = 2 * 64 * 336;
  const Counts counts = expected_counts(stencil5(446), machine, 1);
  EXPECT_EQ(at(counts, "bytes.L1-L2.demand_read"), about(array, array + lost));
  const std::uint64_t fewer = 376 * 376 * 8;  // four rows of 376 numbers take three ways
  EXPECT_EQ(at(expected_counts(stencil5(374), machine, 1), "bytes.L1-L2.demand_read"), about(fewer));
}

TEST(Flows, a_matrix_that_is_swept_again_and_again_may_stay_while_others_stream) {
  // B (512 KiB, half of L2) is reused at the distance of its own size: nothing or once. A streams past at 2 MiB.
  const Work work = {.streams = {{.array = "a", .footprint_bytes = 2 * MiB, .read = true, .element_bytes = 8},
                                 {.array = "b",
                                  .footprint_bytes = 512 * KiB,
                                  .read = true,
                                  .element_bytes = 8,
                                  .layers = {{.reuse_bytes = 512 * KiB, .fetched_bytes = 64 * MiB}},
                                  .shared = true}}};
  const Counts counts = expected_counts(work, machine, 1);
  EXPECT_EQ(at(counts, "bytes.L2-L3.demand_read"), about(2 * MiB, 2 * MiB + 512 * KiB));
  const Amount in_l1 = at(counts, "bytes.L1-L2.demand_read");  // B is 16 times L1: fetched in each of its 128 sweeps
  EXPECT_EQ(in_l1.lo, 66 * MiB - 128 * 256 - slack);
  EXPECT_EQ(in_l1.hi, 66 * MiB + 128 * 256 + 128 * 2 * 64 + slack);
}

TEST(Flows, a_team_divides_streams_among_private_caches) {
  // 4 MiB an array: beyond one L2, but 64 KiB for each of 64 threads; every line once, whichever thread touches it.
  const std::uint64_t n = 512 * KiB, array = n * 8;
  const Counts alone = expected_counts(triad(n), machine, 1), team = expected_counts(triad(n), machine, 64);
  EXPECT_EQ(at(alone, "bytes.L2-L3.rfo"), about(array));
  EXPECT_EQ(at(team, "bytes.L1-L2.rfo").lo, array - 64 * slack);  // 192 KiB a thread: beyond L1
  EXPECT_EQ(at(team, "bytes.L2-L3.rfo"), Amount(0, 64 * slack));  // and inside L2
}

TEST(Flows, a_team_in_a_shared_cache_is_an_interval_unless_each_part_alone_exceeds_it) {
  const std::uint64_t n = 4 << 20, array = n * 8;  // 96 MiB in all, three times L3; but 24 MiB for each of four threads
  const Amount four = at(expected_counts(triad(n), machine, 4), "bytes.L3-mem.rfo");
  EXPECT_EQ(four.lo, 0U);
  EXPECT_GE(four.hi, array);
  const Amount of_large = at(expected_counts(triad(4 * n), machine, 4), "bytes.L3-mem.rfo");  // 96 MiB for each
  EXPECT_EQ(of_large.lo, 4 * array - 4 * slack);
}

TEST(Flows, in_a_shared_cache_a_teams_layers_may_break_while_others_run) {
  // n = 2046: rows of 16 KiB, four of them far below L3, arrays of 32 MiB beyond it.
  const Counts alone = expected_counts(stencil5(2046), machine, 1), team = expected_counts(stencil5(2046), machine, 4);
  EXPECT_EQ(at(alone, "bytes.L3-mem.demand_read").hi, 32 * MiB + slack);
  EXPECT_GE(at(team, "bytes.L3-mem.demand_read").hi, 3 * 32 * MiB);
  EXPECT_LE(at(team, "bytes.L3-mem.demand_read").lo, 32 * MiB);
}

TEST(Flows, what_all_threads_share_is_fetched_by_each_into_its_own_caches) {
  const Work work = {.streams = {{.array = "table", .footprint_bytes = 8 * MiB, .read = true, .element_bytes = 8, .shared = true}}};
  const Counts counts = expected_counts(work, machine, 4);
  EXPECT_EQ(at(counts, "bytes.L2-L3.demand_read"), about(32 * MiB, 32 * MiB, 4));
  EXPECT_EQ(at(counts, "bytes.L3-mem.demand_read"), Amount(0, 4 * slack));
}

TEST(Flows, what_each_thread_has_of_its_own_fills_a_shared_cache_once_for_each) {
  // 16 MiB fit L3 of 32 MiB once, not four times.
  const Work work = {
      .streams = {{.array = "buffer", .footprint_bytes = 16 * MiB, .written = true, .element_bytes = 8, .per_thread = true}}};
  EXPECT_EQ(at(expected_counts(work, machine, 1), "bytes.L3-mem.rfo"), about(0));
  EXPECT_EQ(at(expected_counts(work, machine, 4), "bytes.L3-mem.rfo").hi, 64 * MiB + 4 * slack);
}

TEST(Flows, a_buffer_of_a_pool_may_be_new_to_the_caches_of_a_team_only) {
  const Work work = {
      .streams = {{.array = "packed", .footprint_bytes = MiB, .written = true, .element_bytes = 8, .per_thread = true, .pooled = true}}};
  EXPECT_EQ(at(expected_counts(work, machine, 1), "bytes.L3-mem.rfo"), about(0));
  EXPECT_EQ(at(expected_counts(work, machine, 3), "bytes.L3-mem.rfo"), about(0, 3 * MiB, 3));
  EXPECT_EQ(at(expected_counts(work, machine, 3), "bytes.L3-mem.write_back").lo, 0U);
}

TEST(Flows, a_halo_widens_the_upper_bound_of_a_team_only) {
  const std::uint64_t array = 32 * MiB, reuse = 4 * 16 * KiB;
  const Amount read = at(expected_counts(stencil5(2046), machine, 2), "bytes.L2-L3.demand_read");
  EXPECT_EQ(read, about(array, array + reuse, 2));
}

TEST(Flows, unknown_associativity_decides_only_at_half_and_double_the_capacity) {
  std::vector<CacheLevel> unknown = machine;
  for (auto& level : unknown) level.ways = 0;
  EXPECT_EQ(at(expected_counts(update(2048), unknown, 1), "bytes.L1-L2.demand_read"), about(0));            // 16 KiB
  EXPECT_EQ(at(expected_counts(update(4096), unknown, 1), "bytes.L1-L2.demand_read"), about(0, 32 * KiB));  // 32 KiB
  EXPECT_EQ(at(expected_counts(update(8192), unknown, 1), "bytes.L1-L2.demand_read"), about(64 * KiB));     // 64 KiB
}

TEST(Flows, a_machine_without_L3_has_no_boundary_of_one) {
  const Counts counts = expected_counts(triad(1000), std::span(machine).first(2), 1);
  EXPECT_TRUE(counts.contains("bytes.L2-mem.demand_read"));
  EXPECT_FALSE(counts.contains("bytes.L2-L3.demand_read"));
}

TEST(WorkingSet, is_what_every_sweep_touches_at_least_and_all_of_it_at_most) {
  EXPECT_EQ(working_set(triad(1000), 1), Amount(24000));
  Work work = triad(1000);
  work.streams[0].touched_bytes = 100;  // another part of it in each sweep
  EXPECT_EQ(working_set(work, 1), Amount(16000, 24000));
  work.streams[1].per_thread = true;
  EXPECT_EQ(working_set(work, 4), Amount(40000, 48000));
  work.add_outer_loop(10, 1000);
  EXPECT_EQ(working_set(work, 4), Amount(40000, 48000)) << "variables of a loop are no data";
}

}  // namespace
}  // namespace plumbline
