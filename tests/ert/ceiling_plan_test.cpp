// The plan of ceilings on machines of all shapes.
#include "ert/ceiling_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/kernel.hpp"
#include "tests/byte_units.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t nothing_known = 0;
const std::vector<CeilingTeam> alone{{{1, 1}, true}}, one_and_two{{{1, 1}, true}, {{1, 2}, true}};

/// v2, v3, v4 up to `widest`; another word by itself.
std::vector<std::string> isas_to(const std::string& widest) {
  const std::vector<std::string> all{"v2", "v3", "v4"};
  const auto last = std::find(all.begin(), all.end(), widest);
  return last == all.end() ? std::vector<std::string>{widest} : std::vector<std::string>(all.begin(), last + 1);
}

std::vector<CeilingCase> plan_of(CeilingMode mode, std::uint64_t last_cache, std::uint64_t memory, const std::vector<CeilingTeam>& teams,
                                 const std::string& isa = "v4") {
  const auto isas = isas_to(isa);
  return plan_ceilings(mode, isas, {.bytes = last_cache}, memory, teams);
}

std::vector<CeilingCase> vm_plan(CeilingMode mode = CeilingMode::quick, const std::string& isa = "v4") {
  return plan_of(mode, 32 * MiB, 16 * GiB, one_and_two, isa);
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
  for (const char* pattern : {"load", "store", "copy", "update", "triad", "loads2store1", "store_nt", "chase"})
    EXPECT_FALSE(of_level(plan, "sweep", pattern).empty()) << pattern;
  EXPECT_TRUE(names(plan).contains("FP64 vector add (v2)"));
}

TEST_F(CeilingPlan, dot_products_and_tiles_are_planned_where_the_cpu_has_them) {
  const std::vector<std::string> all{"v2", "v3", "v4", "v3vnni", "v4bf16", "v4fp16", "v4vnni", "v4amxbf16", "v4amxint8", "v4amxfp16"},
      none{"v2", "v3", "v4"};
  const auto planned = plan_ceilings(CeilingMode::full, all, {}, 16 * GiB, one_and_two);
  std::map<std::string, int> found;
  for (const auto& c : planned)
    if (c.pattern == "amx" || c.pattern == "dot") {
      ++found[c.name];
      EXPECT_EQ(c.level, "compute");
      EXPECT_EQ(c.precision, (c.pattern == "amx" ? "tensor." : "") + c.measured.precision);
      EXPECT_EQ(c.amount_per_sweep, static_cast<double>(total_flops(c.measured.work().flops).lo));
      EXPECT_TRUE(std::find(all.begin(), all.end(), split_flavor(c.measured.flavor.name).isa) != all.end());
    }
  // The kernels are planned as far as the assembler here knows them; each for one core and for all.
  for (const auto& [kernel, type, name] : {std::tuple{"ert/tiles", "bf16", "tensor BF16 AMX"},
                                           {"ert/tiles", "fp16", "tensor FP16 AMX"},
                                           {"ert/tiles", "int8", "tensor INT8 AMX"},
                                           {"ert/int8dot", "int8", "INT8 dot product"},
                                           {"ert/bf16dot", "bf16", "BF16 dot product"}}) {
    const Kernel* const known = find_kernel(kernel);
    const bool built = known != nullptr && std::find(known->precisions.begin(), known->precisions.end(), type) != known->precisions.end();
    EXPECT_EQ(found[name], built ? 2 : 0) << name;
  }
  for (const auto& c : plan_ceilings(CeilingMode::full, none, {}, 16 * GiB, one_and_two))
    EXPECT_TRUE(c.pattern != "amx" && c.pattern != "dot") << c.name;
}

TEST_F(CeilingPlan, a_narrower_dot_product_has_a_name_of_its_own_in_full_mode) {
  const std::vector<std::string> both{"v2", "v3", "v4", "v3vnni", "v4vnni"}, narrow{"v2", "v3", "v3vnni"};
  if (find_kernel("ert/int8dot") == nullptr) GTEST_SKIP() << "SKIP: no compiler here makes int8 flavors";
  const auto dots = [](CeilingMode mode, const std::vector<std::string>& isas) {
    std::map<std::string, std::string> isa_of;
    for (const auto& c : plan_ceilings(mode, isas, {}, 16 * GiB, alone))
      if (c.precision == "int8") isa_of[c.name] = split_flavor(c.measured.flavor.name).isa;
    return isa_of;
  };
  using Dots = std::map<std::string, std::string>;
  EXPECT_EQ(dots(CeilingMode::full, both), (Dots{{"INT8 dot product", "v4vnni"}, {"INT8 dot product (v3vnni)", "v3vnni"}}));
  EXPECT_EQ(dots(CeilingMode::quick, both), (Dots{{"INT8 dot product", "v4vnni"}}));
  EXPECT_EQ(dots(CeilingMode::quick, narrow), (Dots{{"INT8 dot product", "v3vnni"}}));
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
      EXPECT_TRUE(ids.insert(c.measured.id() + std::to_string(c.share)).second) << c.measured.id();
      EXPECT_NE(c.measured.flavor.sweep, nullptr);
      EXPECT_EQ(c.measured.precision, c.measured.flavor.precision);
      EXPECT_EQ(c.measured.parameters.size(), c.measured.kernel->parameters.size());
      EXPECT_GT(c.amount_per_sweep, 0);
      EXPECT_EQ(std::isnan(c.working_set_bytes), c.level == "compute") << c.name;
      EXPECT_EQ(c.unit, c.level != "sweep" ? "GFLOP/s" : c.pattern == "chase" ? "seconds" : "GB/s");
    }
  }
}

TEST_F(CeilingPlan, amounts_are_the_models) {
  for (const auto& c : vm_plan()) {
    const Work work = c.measured.work();
    if (c.level != "sweep") {
      EXPECT_EQ(c.amount_per_sweep, static_cast<double>(total_flops(work.flops).lo)) << c.name;
    } else if (c.pattern == "chase") {
      EXPECT_EQ(c.amount_per_sweep, static_cast<double>(work.streams[0].loads));
    } else {
      const double passes = static_cast<double>(c.measured.parameters.integer("repeat"));
      EXPECT_EQ(c.amount_per_sweep, passes * c.working_set_bytes) << c.name;  // all of these touch every byte once a pass
    }
  }
}

TEST_F(CeilingPlan, large_working_sets_lie_within_the_data_of_the_largest) {
  for (const auto mode : {CeilingMode::quick, CeilingMode::full}) {
    const auto loads = of_level(plan_of(mode, nothing_known, 16 * GiB, alone), "sweep", "load");
    const CeilingCase& largest = loads.back();
    EXPECT_EQ(largest.share, 1);
    int within = 0;
    for (const auto& c : loads) {
      EXPECT_EQ(c.share != 1, c.working_set_bytes >= 8 * MiB && c.working_set_bytes < largest.working_set_bytes) << c.measured.id();
      if (c.share == 1) continue;
      ++within;
      EXPECT_EQ(c.measured.id(), largest.measured.id());
      EXPECT_NEAR(c.share * largest.working_set_bytes, c.working_set_bytes, 1);
    }
    EXPECT_GE(within, 4);
  }
}

TEST_F(CeilingPlan, all_threads_of_a_team_get_equal_parts) {
  const std::vector<CeilingTeam> teams{{{2, 7}, true}, {{1, 56}, true}};
  for (const auto& c : plan_of(CeilingMode::full, 105 * MiB, 512 * GiB, teams)) {
    const std::uint64_t threads = static_cast<std::uint64_t>(c.measured.team.threads);
    const Parameters& p = c.measured.parameters;
    EXPECT_EQ((p.has("n") ? p.integer("n") : p.integer("blocks")) % (threads * (p.has("n") ? 256 : 1)), 0u) << c.measured.id();
  }
}

TEST_F(CeilingPlan, sweeps_do_not_depend_on_what_caches_there_are_said_to_be) {
  for (const auto mode : {CeilingMode::quick, CeilingMode::full}) {
    std::set<std::string> without, with;
    for (const auto& c : plan_of(mode, nothing_known, 16 * GiB, alone)) without.insert(c.measured.id() + std::to_string(c.share));
    for (const auto& c : plan_of(mode, 4 * MiB, 16 * GiB, alone)) with.insert(c.measured.id() + std::to_string(c.share));
    EXPECT_EQ(without, with);
  }
}

TEST_F(CeilingPlan, a_large_last_cache_makes_them_larger) {
  const auto largest = [](const std::vector<CeilingCase>& plan) {
    double bytes = 0;
    for (const auto& c : of_level(plan, "sweep", "load")) bytes = std::max(bytes, c.working_set_bytes * c.measured.team.ranks);
    return bytes;
  };
  EXPECT_NEAR(largest(plan_of(CeilingMode::quick, nothing_known, 16 * GiB, alone)), 128 * MiB, MiB);
  EXPECT_NEAR(largest(plan_of(CeilingMode::quick, 96 * MiB, 16 * GiB, alone)), 384 * MiB, MiB);
  EXPECT_NEAR(largest(plan_of(CeilingMode::quick, nothing_known, 16 * GiB, one_and_two)), 192 * MiB, MiB);
}

struct Node {
  const char* name;
  LastCaches last_caches;
  int cores, domains, packages;
  std::uint64_t memory;
};
const std::vector<Node> nodes_of_all_kinds{
    {"VM of two Zen 4 cores", {32 * MiB, 1}, 2, 1, 1, 8 * GiB},
    {"VM of two Cascade Lake cores", {36608 * KiB, 1}, 2, 1, 1, 16 * GiB},
    {"EPYC 9654, two sockets of NPS4", {32 * MiB, 24}, 192, 8, 2, 768 * GiB},
    {"EPYC 9684X", {96 * MiB, 12}, 96, 1, 1, 384 * GiB},
    {"EPYC 9184X: two cores at each cache", {96 * MiB, 8}, 16, 4, 1, 128 * GiB},
    {"Xeon Platinum 8480+, two sockets", {105 * MiB, 2}, 112, 2, 2, 512 * GiB},
    {"Xeon 6980P, two sockets of SNC3", {504 * MiB, 2}, 256, 6, 2, 768 * GiB},
    {"A64FX", {8 * MiB, 4}, 48, 4, 1, 32 * GiB},
    {"Grace, two sockets", {114 * MiB, 2}, 144, 2, 2, 480 * GiB},
};

TEST_F(CeilingPlan, every_pattern_has_a_point_in_memory) {
  for (const auto mode : {CeilingMode::quick, CeilingMode::full})
    for (const Node& node : nodes_of_all_kinds)
      for (const int ranks : {1, node.domains}) {
        const auto teams = ceiling_teams(node.cores, ranks, node.domains, node.packages);
        std::map<std::string, double> largest;  // by team and pattern
        for (const auto& c : plan_ceilings(mode, isas_to("v4"), node.last_caches, node.memory, teams)) {
          const Team& team = c.measured.team;
          if (c.level != "sweep") continue;
          const int touched = std::min(team.ranks * team.threads, node.last_caches.count);
          double& most = largest[team.name() + " " + c.pattern];
          most = std::max(most, c.working_set_bytes * team.ranks / static_cast<double>(node.last_caches.bytes) / touched);
          EXPECT_LE(c.working_set_bytes / c.share * team.ranks, static_cast<double>(node.memory) / 4) << node.name;
        }
        EXPECT_GE(largest.size(), mode == CeilingMode::full ? 15U : 7U) << node.name;
        for (const auto& [what, times] : largest) EXPECT_GT(times, 3) << node.name << " " << what;
      }
}

TEST_F(CeilingPlan, loads_and_chase_say_where_levels_are) {
  for (const char* pattern : {"load", "chase"}) {
    const auto points = of_level(plan_of(CeilingMode::quick, nothing_known, 16 * GiB, alone), "sweep", pattern);
    for (std::size_t i = 1; i < points.size(); ++i)
      EXPECT_LE(points[i].working_set_bytes, (std::string(pattern) == "chase" ? 1.5 : 2.01) * points[i - 1].working_set_bytes)
          << pattern << i;
    EXPECT_LT(points.front().working_set_bytes, 6 * KiB);
  }
}

TEST_F(CeilingPlan, never_asks_for_more_than_a_quarter_of_the_memory) {
  const std::vector<CeilingTeam> teams{{{1, 1}, true}, {{2, 16}, true}};
  for (const std::uint64_t last_cache : {nothing_known, 32 * MiB, 504 * MiB})
    for (const std::uint64_t memory : {64 * MiB, GiB, 256 * GiB})
      for (const auto& c : plan_of(CeilingMode::full, last_cache, memory, teams))
        if (c.working_set_bytes > 0) {
          EXPECT_LE(c.working_set_bytes / c.share * c.measured.team.ranks, static_cast<double>(memory) / 4) << c.measured.id();
        }
}

TEST_F(CeilingPlan, unknown_memory_is_taken_for_a_small_one) {
  const std::vector<CeilingTeam> teams{{{2, 56}, true}};
  for (const auto& c : plan_of(CeilingMode::quick, 105 * MiB, 0, teams))
    if (c.working_set_bytes > 0) {
      EXPECT_LE(c.working_set_bytes * c.measured.team.ranks, GiB / 4) << c.measured.id();
    }
}

TEST_F(CeilingPlan, every_team_gets_the_same_ceilings) {
  const auto all = vm_plan();
  std::map<std::string, std::set<std::string>> by_team;
  for (const auto& c : all) by_team[c.measured.team.name()].insert(c.name);
  ASSERT_EQ(by_team.size(), 2u);
  by_team["r1t1"].erase("chase");  // of one core with the node to itself
  EXPECT_EQ(by_team["r1t1"], by_team["r1t2"]);
}

std::vector<std::string> names_of(const std::vector<CeilingTeam>& teams) {
  std::vector<std::string> all;
  for (const auto& who : teams) all.push_back(who.team.name() + (who.everything ? "*" : ""));
  return all;
}

TEST(CeilingTeams, grow_in_powers_of_two_to_all_cores) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(ceiling_teams(2, 1, 1, 1)), (Names{"r1t1*", "r1t2*"}));
  EXPECT_EQ(names_of(ceiling_teams(2, 2, 1, 1)), (Names{"r1t1*", "r2t1*"}));
  EXPECT_EQ(names_of(ceiling_teams(1, 1, 1, 1)), (Names{"r1t1*"}));
  EXPECT_EQ(names_of(ceiling_teams(1, 1, 2, 2)), (Names{"r1t1*"})) << "a quota of one core on a node of two sockets";
  EXPECT_EQ(names_of(ceiling_teams(4, 1, 8, 2)), (Names{"r1t1*", "r1t2*", "r1t4*"})) << "fewer cores than domains";
  EXPECT_EQ(names_of(ceiling_teams(24, 1, 1, 1)), (Names{"r1t1*", "r1t2", "r1t4", "r1t8", "r1t16", "r1t24*"}));
}

TEST(CeilingTeams, hold_a_domain_a_socket_and_the_node_whole) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(ceiling_teams(96, 1, 8, 2)),
            (Names{"r1t1*", "r1t2", "r1t4", "r1t8", "r1t12*", "r1t16", "r1t32", "r1t48*", "r1t64", "r1t96*"}));
  EXPECT_EQ(names_of(ceiling_teams(96, 8, 8, 2)), (Names{"r1t1*", "r1t2", "r1t4", "r1t8", "r1t12*", "r4t12*", "r8t12*"}));
}

TEST(CeilingTeams, are_possible_with_more_ranks_than_cores) {
  for (const auto& who : ceiling_teams(2, 64, 1, 1)) EXPECT_LE(who.team.ranks * who.team.threads, 2);
}

TEST_F(CeilingPlan, teams_in_between_measure_arithmetic_and_loads) {
  const std::vector<CeilingTeam> teams{{{1, 4}, false}};
  std::set<std::string> patterns;
  for (const auto& c : plan_of(CeilingMode::full, nothing_known, 16 * GiB, teams)) patterns.insert(c.level.word() + " " + c.pattern);
  EXPECT_TRUE(patterns.contains("sweep load"));
  EXPECT_TRUE(patterns.contains("compute fma"));
  EXPECT_FALSE(patterns.contains("sweep store"));
  EXPECT_FALSE(patterns.contains("vector k=8"));
}

}  // namespace
}  // namespace plumbline
