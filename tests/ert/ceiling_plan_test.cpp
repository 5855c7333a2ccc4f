// The plan of ceilings on machines of all shapes.
#include "ert/ceiling_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace plumbline {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

const std::vector<CacheLevel> two_core_vm{{"L1", 48 * KiB, 12}, {"L2", MiB, 16}, {"L3", 32 * MiB, 16, 64, true}};
const std::vector<CacheLevel> dual_socket{{"L1", 48 * KiB, 12}, {"L2", 2 * MiB, 16}, {"L3", 105 * MiB, 15, 64, true}};
const std::vector<CacheLevel> without_l3{{"L1", 32 * KiB, 8}, {"L2", 512 * KiB, 8}};

std::vector<CeilingCase> vm_plan(CeilingMode mode = CeilingMode::quick, const std::string& isa = "v4") {
  return plan_ceilings(mode, isa, two_core_vm, 16 * GiB, {{1, 1}, {1, 2}});
}

bool has_flavors_of(const std::string& isa) {
  for (const Flavor& f : find_kernel("ert/peak")->flavors())
    if (split_flavor(f.name).isa == isa) return true;
  return false;
}

std::vector<CeilingCase> of_level(const std::vector<CeilingCase>& plan, const std::string& level, const std::string& pattern = "") {
  std::vector<CeilingCase> chosen;
  for (const auto& c : plan)
    if (c.level == level && (pattern.empty() || c.pattern == pattern)) chosen.push_back(c);
  return chosen;
}

std::set<std::string> names(const std::vector<CeilingCase>& plan) {
  std::set<std::string> all;
  for (const auto& c : plan) all.insert(c.name);
  return all;
}

class CeilingPlan : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_flavors_of("v3")) GTEST_SKIP() << "SKIP: no x86-64 flavors in this build";
  }
};

TEST_F(CeilingPlan, quick_mode_fits_its_time) {
  const auto plan = vm_plan();
  constexpr double seconds_a_sample = 0.015, rounds = 5;
  std::map<std::string, int> count;
  for (const auto& c : plan) ++count[c.measured.team.name() + " " + c.level];
  for (const auto& [what, n] : count) std::printf("%-14s %d\n", what.c_str(), n);
  std::printf("quick: %zu cases, %.1f s in 5 rounds of 15 ms; full: %zu cases\n", plan.size(),
              static_cast<double>(plan.size()) * seconds_a_sample * rounds, vm_plan(CeilingMode::full).size());
  EXPECT_LE(static_cast<double>(plan.size()) * seconds_a_sample * rounds, 20);
}

TEST_F(CeilingPlan, names_every_kind_of_instruction_in_both_precisions) {
  const auto all = names(vm_plan());
  for (const char* precision : {"FP64", "FP32"})
    for (const char* kind : {"vector FMA", "vector add", "vector mul", "vector mul+add", "FMA+add", "scalar FMA", "scalar add"})
      EXPECT_TRUE(all.contains(std::string(precision) + " " + kind)) << precision << " " << kind;
  for (const char* name : {"load", "triad", "vector k=1", "vector k=512"}) EXPECT_TRUE(all.contains(name)) << name;
}

TEST_F(CeilingPlan, a_ceiling_of_a_narrower_isa_has_a_name_of_its_own) {
  if (!has_flavors_of("v4")) GTEST_SKIP() << "SKIP: no v4 flavors";
  for (const auto& c : of_level(vm_plan(CeilingMode::full), "compute")) {
    const std::string isa = split_flavor(c.measured.flavor.name).isa;
    EXPECT_EQ(c.name.ends_with("(" + isa + ")"), isa != "v4") << c.name << " " << c.measured.flavor.name;
  }
}

TEST_F(CeilingPlan, full_mode_holds_all_patterns_and_all_isas) {
  const auto plan = vm_plan(CeilingMode::full);
  for (const char* pattern : {"load", "store", "copy", "update", "triad", "loads2store1"})
    EXPECT_FALSE(of_level(plan, "sweep", pattern).empty()) << pattern;
  EXPECT_TRUE(names(plan).contains("FP64 vector add (v2)"));
}

TEST_F(CeilingPlan, never_asks_v2_for_an_fma) {
  for (const auto mode : {CeilingMode::quick, CeilingMode::full})
    for (const char* isa : {"v2", "v3", "v4"})
      for (const auto& c : vm_plan(mode, isa))
        if (c.level == "compute" && split_flavor(c.measured.flavor.name).isa == "v2") {
          EXPECT_EQ(c.pattern.find("fma"), std::string::npos) << c.measured.id();
        }
}

TEST_F(CeilingPlan, takes_no_flavor_above_the_machine) {
  for (const auto& c : vm_plan(CeilingMode::full, "v3")) EXPECT_NE(split_flavor(c.measured.flavor.name).isa, "v4");
  for (const auto& c : vm_plan(CeilingMode::full, "v2")) EXPECT_EQ(split_flavor(c.measured.flavor.name).isa, "v2");
}

TEST_F(CeilingPlan, is_empty_where_no_flavor_runs) {
  EXPECT_TRUE(vm_plan(CeilingMode::full, "").empty());
  EXPECT_TRUE(vm_plan(CeilingMode::full, "sve9").empty());
}

TEST_F(CeilingPlan, every_case_is_complete_and_named_once) {
  for (const auto mode : {CeilingMode::quick, CeilingMode::full}) {
    std::set<std::string> ids;
    for (const auto& c : vm_plan(mode)) {
      EXPECT_TRUE(ids.insert(c.measured.id()).second) << c.measured.id();
      EXPECT_NE(c.measured.flavor.sweep, nullptr);
      EXPECT_EQ(c.measured.precision, c.measured.flavor.precision);
      EXPECT_EQ(c.measured.parameters.size(), c.measured.kernel->parameters.size());
      EXPECT_GT(c.amount_per_sweep, 0);
      EXPECT_EQ(std::isnan(c.working_set_bytes), c.level == "compute") << c.name;
      EXPECT_EQ(c.unit, c.level == "sweep" ? "GB/s" : "GFLOP/s");
    }
  }
}

TEST_F(CeilingPlan, amounts_are_the_models) {
  for (const auto& c : vm_plan()) {
    const Work work = c.measured.work();
    if (c.level != "sweep") {
      EXPECT_EQ(c.amount_per_sweep, static_cast<double>(total_flops(work.flops).lo)) << c.name;
    } else {
      const double passes = static_cast<double>(c.measured.parameters.integer("repeat"));
      EXPECT_EQ(c.amount_per_sweep, passes * c.working_set_bytes) << c.name;  // load and triad touch every byte once a pass
    }
  }
}

TEST_F(CeilingPlan, all_threads_of_a_team_get_equal_parts) {
  for (const auto& c : plan_ceilings(CeilingMode::full, "v4", dual_socket, 512 * GiB, {{2, 7}, {1, 56}})) {
    const std::uint64_t threads = static_cast<std::uint64_t>(c.measured.team.threads);
    const Parameters& p = c.measured.parameters;
    EXPECT_EQ((p.has("n") ? p.integer("n") : p.integer("blocks")) % (threads * (p.has("n") ? 256 : 1)), 0u) << c.measured.id();
  }
}

TEST_F(CeilingPlan, sweeps_have_points_in_every_level_of_the_vm) {
  for (const char* pattern : {"load", "triad"}) {
    int l1 = 0, l2 = 0, l3 = 0, memory = 0;
    for (const auto& c : of_level(plan_ceilings(CeilingMode::quick, "v4", two_core_vm, 16 * GiB, {{1, 1}}), "sweep", pattern)) {
      const double bytes = c.working_set_bytes;
      l1 += bytes < 48 * KiB;
      l2 += bytes > 64 * KiB && bytes < 0.9 * MiB;
      l3 += bytes > 1.4 * MiB && bytes < 30 * MiB;
      memory += bytes > 64 * MiB;
    }
    EXPECT_GE(l1, 3) << pattern;
    EXPECT_GE(l2, 3) << pattern;
    EXPECT_GE(l3, 3) << pattern;
    EXPECT_GE(memory, 2) << pattern;
  }
}

TEST_F(CeilingPlan, full_mode_is_denser_than_quick) {
  EXPECT_GE(of_level(vm_plan(CeilingMode::full), "sweep", "load").size(), 9 * of_level(vm_plan(), "sweep", "load").size());
}

TEST_F(CeilingPlan, sizes_reach_four_times_the_last_cache) {
  const auto largest = [](const std::vector<CeilingCase>& plan) {
    double bytes = 0;
    for (const auto& c : of_level(plan, "sweep", "load")) bytes = std::max(bytes, c.working_set_bytes * c.measured.team.ranks);
    return bytes;
  };
  EXPECT_NEAR(largest(plan_ceilings(CeilingMode::quick, "v4", two_core_vm, 16 * GiB, {{1, 1}})), 128 * MiB, MiB);
  EXPECT_NEAR(largest(plan_ceilings(CeilingMode::quick, "v4", two_core_vm, 16 * GiB, {{1, 2}})), 128 * MiB, MiB);
  EXPECT_NEAR(largest(plan_ceilings(CeilingMode::quick, "v4", two_core_vm, 16 * GiB, {{2, 1}})), 128 * MiB, MiB);
  EXPECT_NEAR(largest(plan_ceilings(CeilingMode::quick, "v3", without_l3, 16 * GiB, {{1, 1}})), 2 * MiB, 64 * KiB);
  // a team over many last caches whose number is not known: no thread's part may fit its own
  EXPECT_GE(largest(plan_ceilings(CeilingMode::quick, "v4", dual_socket, 2048 * GiB, {{2, 56}})), 112.0 * 104 * MiB);
}

TEST_F(CeilingPlan, never_asks_for_more_than_a_quarter_of_the_memory) {
  for (const auto& caches : {two_core_vm, dual_socket, without_l3, std::vector<CacheLevel>{}})
    for (const std::uint64_t memory : {64 * MiB, GiB, 256 * GiB})
      for (const auto& c : plan_ceilings(CeilingMode::full, "v4", caches, memory, {{1, 1}, {2, 16}}))
        if (c.working_set_bytes > 0) {
          EXPECT_LE(c.working_set_bytes * c.measured.team.ranks, static_cast<double>(memory) / 4) << c.measured.id();
        }
}

TEST_F(CeilingPlan, a_machine_that_names_no_cache_still_gets_a_sweep) {
  const auto plan = plan_ceilings(CeilingMode::quick, "v4", {}, 16 * GiB, {{1, 1}});
  EXPECT_GE(of_level(plan, "sweep", "load").size(), 12u);
  EXPECT_FALSE(of_level(plan, "vector").empty());
}

TEST_F(CeilingPlan, unknown_memory_is_taken_for_a_small_one) {
  for (const auto& c : plan_ceilings(CeilingMode::quick, "v4", dual_socket, 0, {{2, 56}}))
    if (c.working_set_bytes > 0) {
      EXPECT_LE(c.working_set_bytes * c.measured.team.ranks, GiB / 4) << c.measured.id();
    }
}

TEST_F(CeilingPlan, every_team_gets_the_same_ceilings) {
  const auto all = vm_plan();
  std::map<std::string, std::set<std::string>> by_team;
  for (const auto& c : all) by_team[c.measured.team.name()].insert(c.name);
  ASSERT_EQ(by_team.size(), 2u);
  EXPECT_EQ(by_team["r1t1"], by_team["r1t2"]);
}

}  // namespace
}  // namespace plumbline
