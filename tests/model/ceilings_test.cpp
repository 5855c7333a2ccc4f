#include "model/ceilings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

constexpr double KiB = 1024, MiB = 1024 * KiB;

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
  for (double bytes = 4 * KiB; bytes <= 256 * MiB; bytes *= 1.5) {
    const double own = bytes / static_cast<double>(ranks);
    const double gbs = (own <= 40 * KiB ? 500 : own <= 768 * KiB ? 200 : bytes <= 24 * MiB ? 100 : 40);
    for (const double factor : {1.0, 0.98, 0.5}) rows.push_back(point(bytes, factor * gbs, ranks));
  }
  return rows;
}

const Ceiling& level(const std::vector<Ceiling>& ceilings, const std::string& name) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return c.level == name; });
  if (found == ceilings.end()) throw std::runtime_error("no level " + name);
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

TEST(Ceilings, the_knee_comes_from_the_sweep_and_not_from_the_topology) {
  const auto fitted = fit_ceilings(staircase(), std::span(&node, 1));
  EXPECT_NEAR(level(fitted, "L2").size_bytes, 768 * KiB, 0.35 * 768 * KiB);  // topology says 1 MiB; points lie a factor 1.5 apart
  EXPECT_LE(level(fitted, "L2").size_bytes, 768 * KiB);
  EXPECT_LE(level(fitted, "L3").size_bytes, 24 * MiB);
  EXPECT_GT(level(fitted, "L3").size_bytes, 15 * MiB);
}

TEST(Ceilings, private_caches_count_once_a_worker_and_shared_ones_once) {
  EXPECT_EQ(team_capacity(node, node.caches[0], 4), 4U * 32 * 1024);
  EXPECT_EQ(team_capacity(node, node.caches[2], 4), 32U << 20);
  EXPECT_EQ(team_capacity(node, node.caches[2], 17), 64U << 20);  // two groups of 16
  const NodeFacts smt{.node = "n", .caches = {{1, 32 * 1024, 2}}, .cpus_per_core = 2};
  EXPECT_EQ(team_capacity(smt, smt.caches[0], 4), 4U * 32 * 1024);
  const auto fitted = fit_ceilings(staircase(4), std::span(&node, 1));
  EXPECT_EQ(level(fitted, "L1").value, 500);
  EXPECT_EQ(level(fitted, "L2").value, 200);
  EXPECT_EQ(level(fitted, "L3").value, 100);
}

TEST(Ceilings, a_level_without_points_is_unavailable_with_a_reason) {
  auto rows = staircase();
  std::erase_if(rows, [](const CeilingRow& row) { return row.working_set_bytes > 64 * MiB; });
  const Ceiling memory = level(fit_ceilings(rows, std::span(&node, 1)), "mem");
  EXPECT_EQ(memory.status, Status::unavailable);
  EXPECT_TRUE(std::isnan(memory.value));
  EXPECT_NE(memory.reason.find("96 MiB"), std::string::npos) << memory.reason;
}

TEST(Ceilings, a_machine_without_L3_has_memory_right_behind_L2) {
  NodeFacts without = node;
  without.caches.pop_back();
  const auto fitted = fit_ceilings(staircase(), std::span(&without, 1));
  ASSERT_EQ(fitted.size(), 3U);
  EXPECT_EQ(level(fitted, "mem").value, 100);  // beyond 3 MiB
}

TEST(Ceilings, without_cache_sizes_nothing_is_called_memory) {
  const Ceiling memory = fit_ceilings(staircase(), {}).at(0);
  EXPECT_EQ(memory.status, Status::unavailable);
  EXPECT_FALSE(memory.reason.empty());
}

TEST(Ceilings, traffic_counts_what_stores_make_the_caches_move) {
  const auto traffic = [](const std::string& pattern, double bytes, const std::string& at) {
    const std::vector<CeilingRow> rows{point(bytes, 30, 1, pattern)};
    return level(fit_ceilings(rows, std::span(&node, 1)), at).traffic_gbs;
  };
  EXPECT_DOUBLE_EQ(traffic("triad", 128 * MiB, "mem"), 40);  // three words and a fill
  EXPECT_DOUBLE_EQ(traffic("store", 128 * MiB, "mem"), 60);
  EXPECT_DOUBLE_EQ(traffic("update", 128 * MiB, "mem"), 30);
  EXPECT_DOUBLE_EQ(traffic("triad", 16 * KiB, "L1"), 30);
}

}  // namespace
}  // namespace plumbline
