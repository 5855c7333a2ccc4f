#include "schedule/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "core/kernel.hpp"
#include "schedule/shuffle.hpp"

namespace plumbline {
namespace {

class Planning : public testing::Test {
 protected:
  Planning() {
    for (int i = 0; i < 20; ++i) cases_.push_back({&kernel_, {}, "fp64", {"gcc12-O3-v3", "fp64", nullptr}, {1, 1}});
    request_.nodes = {{"a", "zen", 2, {"v2", "v3"}}, {"b", "zen", 2, {"v2", "v3"}}, {"c", "zen", 2, {"v2", "v3"}}};
    request_.seed = 5;
  }
  struct Whole {                                                  // the plans of all nodes
    std::vector<std::vector<std::optional<std::size_t>>> rounds;  // [round][node]
    std::vector<Plan::Skip> skipped;
    double seconds = 0;
  };
  Whole plan() const {
    Whole whole;
    PlanRequest request = request_;
    for (request.here = 0; request.here < request.nodes.size(); ++request.here) {
      const Plan own = make_plan(cases_, request);
      whole.rounds.resize(own.rounds.size(), std::vector<std::optional<std::size_t>>(request.nodes.size()));
      for (std::size_t round = 0; round < own.rounds.size(); ++round) whole.rounds[round][request.here] = own.rounds[round].here;
      whole.skipped.insert(whole.skipped.end(), own.skipped.begin(), own.skipped.end());
      whole.seconds = own.seconds;
    }
    return whole;
  }
  // Cases that a node measures, in order.
  static std::vector<std::size_t> list(const Whole& plan, std::size_t node) {
    std::vector<std::size_t> all;
    for (const auto& round : plan.rounds)
      if (round[node]) all.push_back(*round[node]);
    return all;
  }
  Kernel kernel_{.name = "x/y", .summary = "", .parameters = {}, .precisions = {}, .model = {}, .prepare = {}, .count = {}, .flavors = {}};
  std::vector<Case> cases_;
  PlanRequest request_;
};

std::vector<std::size_t> sorted(std::vector<std::size_t> list) {
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST(shuffle, is_a_permutation_that_its_seed_decides) {
  EXPECT_EQ(sorted(shuffled(100, 1)), first(100));
  EXPECT_EQ(shuffled(100, 1), shuffled(100, 1));
  EXPECT_NE(shuffled(100, 1), shuffled(100, 2));
  EXPECT_NE(shuffled(100, 1), first(100));
  EXPECT_EQ(shuffled(5, 1), (std::vector<std::size_t>{2, 1, 4, 3, 0})) << "the order is part of what a seed means: it may not change";
}

TEST_F(Planning, the_written_order_is_kept_where_it_is_asked_for) {
  EXPECT_NE(list(plan(), 0), first(20));
  request_.in_written_order = true;
  EXPECT_EQ(list(plan(), 0), first(20));
}

TEST_F(Planning, every_node_measures_every_case_in_the_same_round) {
  const auto p = plan();
  ASSERT_EQ(p.rounds.size(), 20U);
  for (const auto& round : p.rounds) EXPECT_EQ(round, std::vector<std::optional<std::size_t>>(3, round[0]));
  EXPECT_EQ(sorted(list(p, 0)), first(20));
  EXPECT_EQ(list(p, 0), shuffled(20, 5));
}

TEST_F(Planning, in_turns_one_node_measures_at_a_time_and_like_cases_lie_close_together) {
  request_.turns = true;
  const auto p = plan();
  ASSERT_EQ(p.rounds.size(), 60U);
  for (std::size_t r = 0; r < p.rounds.size(); ++r)
    for (std::size_t node = 0; node < 3; ++node) EXPECT_EQ(p.rounds[r][node].has_value(), node == r % 3) << r;
  EXPECT_EQ(list(p, 0), shuffled(20, 5));
  EXPECT_EQ(list(p, 2), list(p, 0));
}

TEST_F(Planning, the_same_facts_give_the_same_plan) {
  for (const bool distribute : {false, true}) {
    request_.distribute = distribute;
    EXPECT_EQ(plan().rounds, plan().rounds);
  }
}

TEST_F(Planning, distribute_gives_each_case_to_one_node_and_balances_the_time) {
  request_.distribute = true;
  for (std::size_t i = 0; i < 20; ++i) request_.seconds.push_back(i == 3 ? 12 : 1);
  const auto p = plan();
  std::vector<std::size_t> all;
  std::vector<double> load;
  for (std::size_t node = 0; node < 3; ++node) {
    load.push_back(0);
    for (const auto which : list(p, node)) load.back() += request_.seconds[which];
    const auto own = list(p, node);
    all.insert(all.end(), own.begin(), own.end());
  }
  EXPECT_EQ(sorted(all), first(20));
  EXPECT_EQ(*std::max_element(load.begin(), load.end()), 12) << "the long case alone; 19 short ones on the other two";
}

TEST_F(Planning, unlike_nodes_do_not_stand_for_each_other) {
  request_.distribute = true;
  request_.nodes[2].kind = "skylake";
  const auto p = plan();
  EXPECT_EQ(sorted(list(p, 2)), first(20)) << "the only one of its kind measures all";
  EXPECT_EQ(list(p, 0).size() + list(p, 1).size(), 20U);
}

TEST_F(Planning, a_team_larger_than_the_nodes_ranks_is_skipped_with_the_reason) {
  cases_[7].team.ranks = 4;
  for (const bool distribute : {false, true}) {
    request_.distribute = distribute;
    const auto p = plan();
    ASSERT_EQ(p.skipped.size(), distribute ? 1U : 3U);
    EXPECT_EQ(p.skipped[0].which, 7U);
    EXPECT_NE(p.skipped[0].reason.find("r4t1 needs 4 ranks on a node, a runs 2"), std::string::npos) << p.skipped[0].reason;
  }
}

TEST_F(Planning, a_case_for_gpus_runs_where_a_gpu_runs_its_flavor_and_elsewhere_says_what_is_there) {
  request_.needs.assign(20, "");
  cases_[4].team = {.gpus = 1};
  request_.needs[4] = "cuda13-sm_90a";
  request_.nodes[0].gpu_flavors = {"cuda13-sm_90a"};
  request_.nodes[1].gpus = "no NVIDIA driver";
  request_.nodes[2].gpus = "A100 (cuda13-sm_80)";
  const auto p = plan();
  EXPECT_EQ(list(p, 0).size(), 20U);
  ASSERT_EQ(p.skipped.size(), 2U);
  EXPECT_EQ(p.skipped[0].reason, "needs a GPU that runs cuda13-sm_90a; b: no NVIDIA driver");
  EXPECT_EQ(p.skipped[1].reason, "needs a GPU that runs cuda13-sm_90a; c: A100 (cuda13-sm_80)");
}

TEST_F(Planning, a_case_for_any_gpu_is_skipped_where_there_is_none) {
  request_.needs.assign(20, "");
  cases_[4].team = {.gpus = 1};
  request_.nodes[0].gpu_flavors = {"cuda13-sm_90a"};
  request_.nodes[1].gpu_flavors = {"cuda13-sm_80"};
  request_.nodes[2].gpus = "no NVIDIA driver";
  const auto p = plan();
  ASSERT_EQ(p.skipped.size(), 1U);
  EXPECT_EQ(p.skipped[0].reason, "needs a GPU; c: no NVIDIA driver");
}

TEST_F(Planning, a_node_without_the_isa_skips_and_the_others_measure) {
  request_.needs.assign(20, "v2");
  request_.needs[4] = "v4";
  request_.nodes[1].isas.push_back("v4");
  const auto p = plan();
  EXPECT_EQ(p.skipped.size(), 2U);
  EXPECT_EQ(list(p, 1).size(), 20U);
  EXPECT_EQ(list(p, 0).size(), 19U);
  EXPECT_NE(p.skipped[0].reason.find("v4"), std::string::npos);
  request_.distribute = true;
  const auto spread = plan();
  EXPECT_TRUE(spread.skipped.empty()) << "b measures it";
  const auto own = list(spread, 1);
  EXPECT_NE(std::find(own.begin(), own.end(), 4U), own.end());
}

TEST_F(Planning, finished_cases_are_not_planned_again_and_the_rest_keeps_its_order) {
  const auto whole = list(plan(), 0);
  request_.finished = [](std::size_t which, std::size_t node) { return which < 5 || node == 1; };
  const auto p = plan();
  EXPECT_EQ(p.rounds.size(), 15U);
  EXPECT_TRUE(list(p, 1).empty());
  auto rest = whole;
  std::erase_if(rest, [](std::size_t which) { return which < 5; });
  EXPECT_EQ(list(p, 0), rest);
  EXPECT_TRUE(p.skipped.empty());
}

TEST_F(Planning, every_nodes_plan_names_all_cases_of_a_round) {
  for (const bool distribute : {false, true}) {
    request_.distribute = distribute;
    request_.nodes[2].kind = "skylake";
    std::vector<std::set<std::size_t>> measured;
    for (request_.here = 0; request_.here < 3; ++request_.here) {
      const Plan own = make_plan(cases_, request_);
      measured.resize(own.rounds.size());
      for (std::size_t round = 0; round < own.rounds.size(); ++round)
        if (own.rounds[round].here) measured[round].insert(*own.rounds[round].here);
    }
    request_.here = 1;
    const Plan own = make_plan(cases_, request_);
    for (std::size_t round = 0; round < own.rounds.size(); ++round)
      EXPECT_EQ(measured[round], std::set<std::size_t>(own.rounds[round].cases.begin(), own.rounds[round].cases.end()));
  }
}

TEST_F(Planning, distributing_asks_once_for_each_kind_whether_a_case_is_finished) {
  request_.distribute = true;
  std::size_t asked = 0;
  request_.finished = [&](std::size_t, std::size_t) { return ++asked == 0; };
  static_cast<void>(make_plan(cases_, request_));
  EXPECT_EQ(asked, cases_.size());
}

TEST_F(Planning, what_is_finished_for_the_kind_is_not_planned_again) {
  request_.distribute = true;
  request_.finished = [](std::size_t which, std::size_t) { return which < 5; };
  const auto p = plan();
  EXPECT_EQ(list(p, 0).size() + list(p, 1).size() + list(p, 2).size(), 15U);
}

TEST_F(Planning, refused_placements_are_skips) {
  request_.refusal = [](std::size_t which, std::size_t node) {
    return which == 2 && node == 0 ? std::string("too few CPUs") : std::string();
  };
  const auto p = plan();
  ASSERT_EQ(p.skipped.size(), 1U);
  EXPECT_EQ(p.skipped[0].reason, "too few CPUs");
  EXPECT_EQ(list(p, 0).size(), 19U);
}

TEST_F(Planning, the_estimate_is_the_sum_of_each_rounds_slowest) {
  request_.seconds.assign(20, 0.5);
  EXPECT_DOUBLE_EQ(plan().seconds, 10);
}

TEST_F(Planning, nothing_to_do_is_no_round) {
  request_.finished = [](std::size_t, std::size_t) { return true; };
  EXPECT_TRUE(plan().rounds.empty());
  cases_.clear();
  EXPECT_TRUE(plan().rounds.empty());
}

}  // namespace
}  // namespace plumbline
