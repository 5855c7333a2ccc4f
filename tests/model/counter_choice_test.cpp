#include "model/counter_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <tuple>

#include "samples.hpp"

namespace plumbline {
namespace {

Candidate candidate(std::string name, std::vector<std::string> events, std::vector<std::string> quantities, char grade,
                    double most = 1.01) {
  Candidate c{.chosen = {.counter = {.name = std::move(name), .backend = "pmu", .terms = {}, .quantities = std::move(quantities)},
                         .grade = grade,
                         .ratio_hi = most,
                         .evidence = "as graded"}};
  for (auto& event : events) c.chosen.counter.terms.push_back({std::move(event), 1});
  return c;
}

std::vector<std::string> names(const CounterSet& set) {
  std::vector<std::string> all;
  for (const auto& c : set.counters) all.push_back(c.counter.name);
  std::sort(all.begin(), all.end());
  return all;
}

using Names = std::vector<std::string>;
const Names flops{"flops.fp64"}, l2{"bytes.L1-L2"};

TEST(Choice, takes_the_best_grade_and_never_a_rejected_or_undecided_counter) {
  const std::vector<Candidate> all{candidate("d", {"d"}, flops, 'D'), candidate("c", {"c"}, flops, 'C'), candidate("b", {"b"}, flops, 'B'),
                                   candidate("?", {"?"}, flops, '-')};
  EXPECT_EQ(names(choose_counters(all, flops, {})), Names{"b"});
  const CounterSet none = choose_counters(std::vector{all[0]}, flops, {});
  EXPECT_TRUE(none.counters.empty() && none.groups.empty());
  ASSERT_EQ(none.uncovered.size(), 1U);
  EXPECT_EQ(none.uncovered[0].reason, "none is trusted: d (D): as graded");
  EXPECT_EQ(choose_counters({}, l2, {}).uncovered.at(0).reason, "no counter that was scored sees it");
}

TEST(Choice, takes_what_the_machine_counts_before_what_is_simulated_unless_it_holds_only_in_regimes) {
  Candidate simulated = candidate("simulated", {"s"}, flops, 'A');
  simulated.simulated = true;
  EXPECT_EQ(names(choose_counters(std::vector{simulated, candidate("b", {"b"}, flops, 'B')}, flops, {})), Names{"b"});
  EXPECT_EQ(names(choose_counters(std::vector{candidate("c", {"c"}, flops, 'C'), simulated}, flops, {})), Names{"simulated"});
}

TEST(Choice, puts_a_boundary_together_from_flows_that_are_seen_once_each) {
  const std::vector<Candidate> all{candidate("fills", {"fills"}, {"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}, 'A'),
                                   candidate("reads", {"reads"}, {"bytes.L1-L2.demand_read"}, 'A'),
                                   candidate("victims", {"victims"}, {"bytes.L1-L2.write_back"}, 'A')};
  EXPECT_EQ(names(choose_counters(all, l2, {})), (Names{"fills", "victims"}));
  std::vector<Candidate> with_whole = all;
  with_whole.push_back(candidate("whole", {"a", "b", "c", "d"}, l2, 'A'));
  EXPECT_EQ(names(choose_counters(with_whole, l2, {})), Names{"whole"}) << "it sees non-temporal stores and prefetches, too";
  EXPECT_EQ(choose_counters(std::span(all).first(2), l2, {}).uncovered.size(), 1U) << "nobody sees what is written back";
}

TEST(Choice, shares_events_between_quantities_and_prefers_narrow_ratios) {
  const std::vector<Candidate> all{candidate("both", {"x", "y"}, flops, 'A'), candidate("alone", {"z"}, flops, 'A'),
                                   candidate("bytes", {"x", "y"}, l2, 'A')};
  EXPECT_EQ(names(choose_counters(all, Names{"flops.fp64", "bytes.L1-L2"}, {})), (Names{"both", "bytes"})) << "three slots otherwise";
  const std::vector<Candidate> twins{candidate("wide", {"a"}, flops, 'A', 1.02), candidate("narrow", {"b"}, flops, 'A', 1.001)};
  EXPECT_EQ(names(choose_counters(twins, flops, {})), Names{"narrow"});
}

TEST(Choice, takes_more_events_where_that_saves_a_pass) {
  SlotLimits limits{.capacity = {{"pmu", 3}}, .slots = {{{"pmu", "merged"}, 2}}};
  limits.conflicts.insert({{"pmu", "fills"}, {"pmu", "merged"}});
  const std::vector<Candidate> all{candidate("merged", {"merged"}, flops, 'A'), candidate("split", {"scalar", "packed"}, flops, 'A'),
                                   candidate("fills", {"fills"}, l2, 'A')};
  const CounterSet set = choose_counters(all, Names{"flops.fp64", "bytes.L1-L2"}, limits);
  EXPECT_EQ(names(set), (Names{"fills", "split"}));
  ASSERT_EQ(set.groups.size(), 1U);
  EXPECT_EQ(set.groups[0].events, (Names{"fills", "packed", "scalar"}));
}

TEST(Groups, are_the_fewest_where_first_fit_needs_more) {
  SlotLimits limits{.capacity = {{"pmu", 10}}};
  Names events;
  for (const std::size_t slots : {6, 5, 5, 4, 3, 3, 2, 2}) {  // 30 slots: three full groups
    events.push_back("e" + std::to_string(events.size()));
    limits.slots[{"pmu", events.back()}] = slots;
  }
  EXPECT_EQ(fewest_groups("pmu", events, limits).size(), 3U);
  EXPECT_EQ(fewest_groups("pmu", events, {}).size(), 1U) << "no limit is known";
  limits.slots[{"pmu", "e0"}] = 11;
  EXPECT_THROW(fewest_groups("pmu", events, limits), std::invalid_argument);
}

TEST(Limits, part_events_that_count_otherwise_beside_others_than_alone) {
  const auto limits = [](double beside) {
    Results results;
    test::add(results, {});
    const auto count = [&](std::int32_t group, const char* event, double net) {
      CountRow row{.case_id = results.cases.front().id, .node = "node0", .session = {}, .event = event, .backend = "pmu"};
      row.group = group;
      row.net = net;
      results.counts.push_back(row);
    };
    count(0, "a", 1000), count(1, "b", 500), count(2, "a", beside), count(2, "b", 500);
    return limits_shown_by(results, measurements_of(results), {{{"pmu", "a"}, 2}});
  };
  const SlotLimits same = limits(1004), halved = limits(500);
  EXPECT_EQ(same.capacity.at("pmu"), 3U) << "the largest group, of which one event takes two";
  EXPECT_TRUE(same.conflicts.empty()) << "0.4 % is within what is allowed";
  EXPECT_EQ(halved.conflicts.size(), 1U);
  EXPECT_EQ(fewest_groups("pmu", Names{"a", "b"}, same).size(), 1U);
  EXPECT_EQ(fewest_groups("pmu", Names{"a", "b"}, halved).size(), 2U);
}

// -------------------------------------------------------------------------------------- exactness, against trying everything

/// Fewest groups by trying every assignment of events to as many groups as events.
std::size_t fewest_by_brute_force(const Names& events, const SlotLimits& limits) {
  std::size_t best = events.empty() ? 0 : SIZE_MAX;
  std::vector<std::size_t> group(events.size(), 0);
  const auto is_valid = [&] {
    for (std::size_t g = 0; g < events.size(); ++g) {
      std::size_t slots = 0;
      for (std::size_t e = 0; e < events.size(); ++e) {
        if (group[e] != g) continue;
        slots += limits.slots.contains({"pmu", events[e]}) ? limits.slots.at({"pmu", events[e]}) : 1;
        for (std::size_t f = 0; f < e; ++f)
          if (group[f] == g && limits.conflicts.contains({{"pmu", events[f]}, {"pmu", events[e]}})) return false;
      }
      if (slots > limits.capacity.at("pmu")) return false;
    }
    return true;
  };
  for (;;) {
    if (is_valid()) best = std::min(best, std::set<std::size_t>(group.begin(), group.end()).size());
    std::size_t at = 0;
    while (at < group.size() && ++group[at] == events.size()) group[at++] = 0;
    if (at == group.size()) return best;
  }
}

using Cost = std::tuple<std::size_t, std::size_t, double>;

Cost cost_of(const std::vector<const Candidate*>& chosen, const SlotLimits& limits) {
  std::set<std::string> events;
  double width = 0;
  for (const auto* c : chosen) {
    for (const auto& term : c->chosen.counter.terms) events.insert(term.event);
    width += std::log(c->chosen.ratio_hi);
  }
  std::size_t slots = 0;
  for (const auto& event : events) slots += limits.slots.contains({"pmu", event}) ? limits.slots.at({"pmu", event}) : 1;
  return {fewest_by_brute_force({events.begin(), events.end()}, limits), slots, width};
}

TEST(Choice, is_the_cheapest_of_all) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const Names wanted{"flops.fp64", "flops.fp32"};
  for (int round = 0; round < 200; ++round) {
    SlotLimits limits{.capacity = {{"pmu", 2 + below(3)}}};
    for (const char* event : {"a", "b", "c", "d", "e"})
      if (below(4) == 0) limits.slots[{"pmu", event}] = 2;
    for (const char* other : {"b", "c"})
      if (below(3) == 0) limits.conflicts.insert({{"pmu", "a"}, {"pmu", other}});
    std::vector<Candidate> all;
    for (const auto& quantity : wanted)
      for (int k = 0; k < 4; ++k) {
        Names events;
        for (const char* event : {"a", "b", "c", "d", "e"})
          if (below(3) == 0) events.emplace_back(event);
        if (events.empty()) events.emplace_back("e");
        all.push_back(candidate(quantity + std::to_string(k), events, {quantity}, 'A', 1 + 0.001 * static_cast<double>(1 + below(20))));
      }
    Cost best{SIZE_MAX, SIZE_MAX, HUGE_VAL};
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 4; j < 8; ++j) best = std::min(best, cost_of({&all[i], &all[j]}, limits));
    const CounterSet set = choose_counters(all, wanted, limits);
    std::vector<const Candidate*> chosen;
    for (const auto& c : set.counters)
      chosen.push_back(&*std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.chosen.counter.name == c.counter.name; }));
    const Cost found = cost_of(chosen, limits);
    EXPECT_EQ(std::get<0>(found), std::get<0>(best)) << round;
    EXPECT_EQ(std::get<1>(found), std::get<1>(best)) << round;
    EXPECT_NEAR(std::get<2>(found), std::get<2>(best), 1e-12) << round;
    EXPECT_EQ(set.groups.size(), std::get<0>(best)) << round;
  }
}

}  // namespace
}  // namespace plumbline
