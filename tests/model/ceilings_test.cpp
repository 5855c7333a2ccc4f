#include "model/ceilings/ceilings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machines.hpp"

namespace plumbline {
namespace {

using test::KiB;
using test::MiB;

const NodeFacts node{.node = "node0", .caches = {{1, 32 * 1024, 1}, {2, 1 << 20, 1}, {3, 32 << 20, 16}}};

CeilingRow sample(double value, const std::string& pattern = "fma") {
  CeilingRow row{.name = "FP64 vector " + pattern,
                 .precision = "fp64",
                 .level = "compute",
                 .pattern = pattern,
                 .node = "node0",
                 .session = {},
                 .unit = {},
                 .method = {}};
  row.value = value;
  row.unit = "GFLOP/s";
  row.method = "gcc12-O3-v3";
  return row;
}

CeilingRow point(double bytes, double gbs, std::int64_t ranks = 1, const std::string& pattern = "load") {
  CeilingRow row{.name = pattern,
                 .precision = "-",
                 .level = "sweep",
                 .pattern = pattern,
                 .ranks = ranks,
                 .node = "node0",
                 .session = {},
                 .unit = {},
                 .method = {}};
  row.value = gbs;
  row.unit = "GB/s";
  row.method = "gcc12-O3-v3";
  row.working_set_bytes = bytes;
  return row;
}

/// A staircase: 500 to 40 KiB, 200 to 768 KiB, 100 to 24 MiB, then 40 GB/s; three rounds, of which one is disturbed.
std::vector<CeilingRow> staircase(std::int64_t ranks = 1) {
  std::vector<CeilingRow> rows;
  for (double bytes = 4 * KiB; bytes <= 256 * MiB; bytes *= 1.26) {
    const double own = bytes / static_cast<double>(ranks);
    const double gbs = (own <= 40 * KiB ? 500 : own <= 768 * KiB ? 200 : bytes <= 24 * MiB ? 100 : 40);
    std::int32_t round = 0;
    for (const double factor : {1.0, 0.98, 0.5}) {
      rows.push_back(point(bytes, factor * gbs, ranks));
      rows.back().round = round++;
    }
  }
  return rows;
}

/// Latencies of the same machine: 1, 4, 20, 100 ns.
std::vector<CeilingRow> chase() {
  std::vector<CeilingRow> rows;
  for (double bytes = 4 * KiB; bytes <= 256 * MiB; bytes *= 1.26)
    for (const double factor : {1.0, 1.1}) {
      rows.push_back(point(bytes, factor * (bytes <= 40 * KiB ? 1e-9 : bytes <= 768 * KiB ? 4e-9 : bytes <= 24 * MiB ? 20e-9 : 100e-9)));
      rows.back().name = rows.back().pattern = "chase";
      rows.back().unit = "seconds";
      rows.back().round = factor > 1;
    }
  return rows;
}

std::vector<CeilingRow> operator+(std::vector<CeilingRow> a, const std::vector<CeilingRow>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Ceiling& level(const std::vector<Ceiling>& ceilings, const std::string& name, const std::string& pattern = "load") {
  const auto found =
      std::find_if(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.level == name && c.pattern == pattern; });
  if (found == ceilings.end()) throw std::runtime_error("no level " + name + " of " + pattern);
  return *found;
}

TEST(Ceilings, samples_of_one_thing_are_one_ceiling_with_its_spread) {
  const std::vector<CeilingRow> rows{sample(90), sample(100), sample(98), sample(40, "add")};
  const auto fitted = fit_ceilings(rows, {});
  ASSERT_EQ(fitted.size(), 2U);
  EXPECT_EQ(fitted[0].value, 100);
  EXPECT_EQ(fitted[0].median, 98);
  EXPECT_EQ(fitted[0].min, 90);
  EXPECT_EQ(fitted[0].n, 3U);
  EXPECT_NEAR(fitted[0].cv, 0.0551, 1e-4);  // mean 96, standard deviation sqrt(28)
  EXPECT_EQ(fitted[1].value, 40);
  EXPECT_TRUE(std::isnan(fitted[1].cv));  // one sample has no spread
}

TEST(Ceilings, failed_samples_are_left_out_and_nothing_but_failures_is_no_ceiling) {
  std::vector<CeilingRow> rows{sample(90), sample(absent)};
  rows[1].status = Status::failed;
  EXPECT_EQ(fit_ceilings(rows, {}).at(0).n, 1U);
  rows.erase(rows.begin());
  const Ceiling none = fit_ceilings(rows, {}).at(0);
  EXPECT_EQ(none.status, Status::failed);
  EXPECT_TRUE(std::isnan(none.value));
  EXPECT_FALSE(none.reason.empty());
}

TEST(Ceilings, a_sweep_is_read_as_the_levels_of_the_machine) {
  const auto fitted = fit_ceilings(staircase(), std::span(&node, 1));
  ASSERT_EQ(fitted.size(), 4U);
  EXPECT_EQ(level(fitted, "L1").value, 500);
  EXPECT_EQ(level(fitted, "L2").value, 200);
  EXPECT_EQ(level(fitted, "L3").value, 100);
  EXPECT_EQ(level(fitted, "mem").value, 40);
  EXPECT_EQ(level(fitted, "L3").name, "L3 load");
  EXPECT_EQ(level(fitted, "L3").n, 3U);
}

TEST(Ceilings, sizes_come_from_the_sweep_and_the_topology_stands_beside) {
  const auto fitted = fit_ceilings(staircase(), std::span(&node, 1));
  const Ceiling& l2 = level(fitted, "L2");
  EXPECT_NEAR(l2.size_bytes, 768 * KiB, 0.15 * 768 * KiB);
  EXPECT_LE(l2.size_lo_bytes, l2.size_bytes);
  EXPECT_GE(l2.size_hi_bytes, l2.size_bytes);
  EXPECT_GT(l2.confidence, 0.7);
  EXPECT_EQ(l2.topology_bytes, 1 * MiB);
  EXPECT_EQ(l2.agrees_with_topology(), l2.size_bytes >= 768 * KiB);
  EXPECT_NEAR(level(fitted, "L3").size_bytes, 24 * MiB, 0.25 * 24 * MiB);
  EXPECT_TRUE(std::isnan(level(fitted, "mem").topology_bytes));
  EXPECT_FALSE(level(fitted, "mem").agrees_with_topology());
}

/// Everything but what the topology says.
void expect_same(const std::vector<Ceiling>& a, const std::vector<Ceiling>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].value, b[i].value);
    EXPECT_EQ(a[i].method, b[i].method);
    EXPECT_EQ(a[i].confidence, b[i].confidence);
    EXPECT_TRUE(a[i].size_bytes == b[i].size_bytes || std::isnan(a[i].size_bytes));
  }
}

TEST(Ceilings, the_levels_are_the_same_with_topology_off_or_wrong) {
  const auto rows = staircase() + staircase(4) + chase();
  const auto right = fit_ceilings(rows, std::span(&node, 1));
  ASSERT_EQ(right.size(), 12U);
  const NodeFacts off{.node = "node0"};
  const NodeFacts wrong{.node = "node0", .caches = {{1, 1 << 20, 8}, {2, 64 << 20, 1}, {3, 512 << 20, 64}, {4, 1U << 31, 64}}};
  const NodeFacts one_cache{.node = "node0", .caches = {{1, 8 * 1024, 1}}};
  expect_same(right, fit_ceilings(rows, {}));
  for (const auto* facts : {&off, &wrong, &one_cache}) expect_same(right, fit_ceilings(rows, std::span(facts, 1)));
  const auto beside_wrong = fit_ceilings(rows, std::span(&wrong, 1));
  EXPECT_EQ(level(beside_wrong, "L2").agrees_with_topology(), false);
  EXPECT_FALSE(level(fit_ceilings(rows, {}), "L2").agrees_with_topology());
}

TEST(Ceilings, where_sweeps_and_topology_disagree_is_said) {
  const auto fitted = fit_ceilings(staircase() + chase(), {});
  EXPECT_TRUE(topology_disagreements(fitted, {}).empty());
  const NodeFacts other{.node = "node0", .caches = {{1, 32 * 1024, 1}, {2, 4 << 20, 1}, {4, 64 << 20, 1}}};
  const auto notes = topology_disagreements(fit_ceilings(staircase() + chase(), std::span(&other, 1)), std::span(&other, 1));
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_NE(notes[0].find("topology has an L2 of 4 MiB, the sweeps show one of 7"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("topology has an L4 of 64 MiB, the sweeps show none"), std::string::npos) << notes[1];
  EXPECT_NE(notes[2].find("the sweeps show an L3 of 2"), std::string::npos) << notes[2];
}

TEST(Ceilings, private_caches_count_once_a_worker_and_shared_ones_once) {
  EXPECT_EQ(team_capacity(node, node.caches[0], 4), 4U * 32 * 1024);
  EXPECT_EQ(team_capacity(node, node.caches[2], 4), 32U << 20);
  EXPECT_EQ(team_capacity(node, node.caches[2], 17), 64U << 20);  // two groups of 16
  const NodeFacts smt{.node = "n", .caches = {{1, 32 * 1024, 2}}, .cpus_per_core = 2};
  EXPECT_EQ(team_capacity(smt, smt.caches[0], 4), 4U * 32 * 1024);
  for (const auto& rows : {staircase() + staircase(4), staircase(4)}) {  // with and without a single worker's curve
    auto fitted = fit_ceilings(rows, {});
    std::erase_if(fitted, [](const Ceiling& c) { return c.ranks != 4; });
    EXPECT_EQ(level(fitted, "L1").value, 500);
    EXPECT_EQ(level(fitted, "L2").value, 200);
    EXPECT_EQ(level(fitted, "L3").value, 100);
    EXPECT_NEAR(level(fitted, "L2").size_bytes, 4 * 768 * KiB, 768 * KiB);
    EXPECT_NEAR(level(fitted, "L3").size_bytes, 24 * MiB, 6 * MiB);
  }
}

TEST(Ceilings, a_chase_is_the_latency_of_each_level) {
  const auto fitted = fit_ceilings(chase() + staircase(), {});
  ASSERT_EQ(fitted.size(), 8U);
  EXPECT_EQ(level(fitted, "L1", "chase").value, 1e-9);
  EXPECT_EQ(level(fitted, "L2", "chase").value, 4e-9);
  EXPECT_EQ(level(fitted, "L3", "chase").value, 20e-9);
  EXPECT_EQ(level(fitted, "mem", "chase").value, 100e-9);
  EXPECT_EQ(level(fitted, "mem", "chase").unit, "seconds");
  EXPECT_TRUE(std::isnan(level(fitted, "mem", "chase").traffic_gbs));
  EXPECT_GT(level(fitted, "L1").confidence, level(fit_ceilings(staircase(), {}), "L1").confidence);
  EXPECT_EQ(fit_ceilings(chase(), {}).size(), 4U);
}

TEST(Ceilings, patterns_with_a_few_points_take_the_levels_from_the_loads) {
  auto rows = staircase();
  for (const auto& [bytes, gbs] : {std::pair{16 * KiB, 300.0}, {300 * KiB, 150.0}, {128 * MiB, 30.0}})
    rows.push_back(point(bytes, gbs, 1, "copy"));
  const auto fitted = fit_ceilings(rows, {});
  EXPECT_EQ(level(fitted, "L1", "copy").value, 300);
  EXPECT_EQ(level(fitted, "L2", "copy").value, 150);
  EXPECT_EQ(level(fitted, "mem", "copy").value, 30);
  const Ceiling& l3 = level(fitted, "L3", "copy");
  EXPECT_EQ(l3.status, Status::unavailable);
  EXPECT_TRUE(std::isnan(l3.value));
  EXPECT_NE(l3.reason.find("no working set above 1 MiB and up to "), std::string::npos) << l3.reason;
}

TEST(Ceilings, a_thread_that_lost_its_cpu_for_a_while_invents_no_level) {
  auto rows = staircase();
  std::erase_if(rows, [](const CeilingRow& row) { return row.round > 0; });
  for (auto& row : rows) row.cpu_share = 1;
  for (auto& row : rows)
    if (row.working_set_bytes > 70 * MiB) {  // what takes longer is interrupted more often
      row.cpu_share = 0.5;
      row.value *= 0.5;
    }
  EXPECT_EQ(fit_ceilings(rows, {}).size(), 4U);
  for (auto& row : rows) row.cpu_share = absent;
  EXPECT_EQ(fit_ceilings(rows, {}).size(), 5U) << "without the record it would";
}

TEST(Ceilings, a_working_set_whose_samples_all_lost_their_cpu_does_not_stand_for_a_level) {
  auto rows = staircase();
  double kept = 0;  // one sample of one working set in memory
  for (auto& row : rows) {
    if (row.working_set_bytes < 72 * MiB) continue;
    const bool keep = row.round == 0 && kept == 0;
    if (keep) kept = row.working_set_bytes;
    row.cpu_share = keep ? 1 : 0.4;
    row.value = keep ? 40 : row.round == 0 ? 22 : 21;
    if (row.working_set_bytes == kept && !keep) row.value = 1;
  }
  EXPECT_EQ(level(fit_ceilings(rows, {}), "mem").value, 40);
}

TEST(Ceilings, memory_that_no_working_set_was_surely_in_is_unavailable_with_a_reason) {
  auto rows = staircase();
  std::erase_if(rows, [](const CeilingRow& row) { return row.working_set_bytes > 60 * MiB; });
  const Ceiling memory = level(fit_ceilings(rows, std::span(&node, 1)), "mem");
  EXPECT_EQ(memory.status, Status::unavailable);
  EXPECT_TRUE(std::isnan(memory.value));
  EXPECT_NE(memory.reason.find("may be inside a cache"), std::string::npos) << memory.reason;
}

/// The machine of `staircase()` with a last cache that no plateau shows: the rate sinks from `from` to 256 MiB.
std::vector<CeilingRow> sinking(double from) {
  auto rows = staircase();
  for (auto& row : rows)
    if (row.working_set_bytes > from) row.value *= 2 - std::log2(row.working_set_bytes / from) / std::log2(256 * MiB / from);
  return rows;
}

TEST(Ceilings, memory_is_what_the_largest_working_sets_show) {
  auto rows = staircase();
  for (auto& row : rows)
    if (row.working_set_bytes > 75 * MiB && row.working_set_bytes < 100 * MiB) row.value *= 1.3;  // a part still from a cache
  const auto fitted = fit_ceilings(rows, std::span(&node, 1));
  EXPECT_EQ(level(fitted, "mem").value, 40);
  EXPECT_GT(level(fitted, "mem").size_bytes, 100 * MiB);
  EXPECT_EQ(level(fitted, "mem").doubt, "");
}

TEST(Ceilings, memory_that_has_not_come_to_rest_is_that_of_the_largest_working_set_and_says_so) {
  const Ceiling memory = level(fit_ceilings(sinking(100 * MiB), std::span(&node, 1)), "mem");
  EXPECT_NEAR(memory.value, 50, 1);
  EXPECT_GT(memory.size_bytes, 200 * MiB);
  EXPECT_NE(memory.doubt.find("it still falls by "), std::string::npos) << memory.doubt;
}

TEST(Ceilings, memory_within_three_times_the_last_cache_of_the_topology_says_so) {
  const NodeFacts large{.node = "node0", .caches = {{1, 32 * 1024, 1}, {2, 1 << 20, 1}, {3, 96 << 20, 16}}};
  const Ceiling memory = level(fit_ceilings(staircase(), std::span(&large, 1)), "mem");
  EXPECT_EQ(memory.status, Status::ok);
  EXPECT_NE(memory.doubt.find("less than three times the 96 MiB of L3"), std::string::npos) << memory.doubt;
  EXPECT_NE(level(fit_ceilings(staircase(), {}), "mem").doubt.find("tells no caches"), std::string::npos);
}

TEST(Ceilings, a_pattern_that_stopped_short_of_memory_has_none) {
  auto rows = staircase();
  rows.push_back(point(62 * MiB, 50, 1, "copy"));  // 2.6 times the last cache
  const Ceiling copy = level(fit_ceilings(rows, {}), "mem", "copy");
  EXPECT_EQ(copy.status, Status::unavailable);
  EXPECT_NE(copy.reason.find("no working set above "), std::string::npos) << copy.reason;
}

TEST(Ceilings, a_machine_without_L3_has_memory_right_behind_L2) {
  auto rows = staircase();
  for (auto& row : rows)
    if (row.value == 40) row.value = 100;
  std::erase_if(rows, [](const CeilingRow& row) { return row.round > 0; });
  const auto fitted = fit_ceilings(rows, std::span(&node, 1));  // whose topology has one
  ASSERT_EQ(fitted.size(), 3U);
  EXPECT_EQ(level(fitted, "mem").value, 100);
}

TEST(Ceilings, without_a_sweep_dense_enough_nothing_has_a_level) {
  const std::vector<CeilingRow> rows{point(16 * KiB, 500), point(256 * KiB, 200), point(128 * MiB, 40)};
  const auto fitted = fit_ceilings(rows, std::span(&node, 1));
  ASSERT_EQ(fitted.size(), 1U);
  EXPECT_EQ(fitted[0].level, "mem");
  EXPECT_EQ(fitted[0].status, Status::unavailable);
  EXPECT_NE(fitted[0].reason.find("two points an octave"), std::string::npos) << fitted[0].reason;
}

TEST(Ceilings, traffic_counts_what_stores_make_the_caches_move) {
  const auto traffic = [](const std::string& pattern, double bytes, const std::string& at) {
    return level(fit_ceilings(staircase() + std::vector{point(bytes, 30, 1, pattern)}, {}), at, pattern).traffic_gbs;
  };
  EXPECT_DOUBLE_EQ(traffic("triad", 128 * MiB, "mem"), 40);  // three words and a fill
  EXPECT_DOUBLE_EQ(traffic("store", 128 * MiB, "mem"), 60);
  EXPECT_DOUBLE_EQ(traffic("update", 128 * MiB, "mem"), 30);
  EXPECT_DOUBLE_EQ(traffic("triad", 16 * KiB, "L1"), 30);
}

}  // namespace
}  // namespace plumbline
