#include "model/choosing/counter_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <tuple>

#include "model/choosing/chosen_groups.hpp"
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

const SlotLimits::Unit core{"pmu", ""};

using Names = std::vector<std::string>;
const Names fp64_flops{"flops.fp64"}, l2{"bytes.L1-L2"};

TEST(Choice, takes_the_best_grade_and_never_a_rejected_or_undecided_counter) {
  const std::vector<Candidate> all{candidate("d", {"d"}, fp64_flops, 'D'), candidate("c", {"c"}, fp64_flops, 'C'),
                                   candidate("b", {"b"}, fp64_flops, 'B'), candidate("?", {"?"}, fp64_flops, '-')};
  EXPECT_EQ(names(choose_counters(all, fp64_flops, {})), Names{"b"});
  const CounterSet none = choose_counters(std::vector{all[0]}, fp64_flops, {});
  EXPECT_TRUE(none.counters.empty() && none.groups.empty());
  ASSERT_EQ(none.uncovered.size(), 1U);
  EXPECT_EQ(none.uncovered[0].reason, "none is trusted: d (D): as graded");
  EXPECT_EQ(choose_counters({}, l2, {}).uncovered.at(0).reason, "no counter that was scored sees it");
}

TEST(Choice, takes_what_the_machine_counts_before_what_is_simulated_unless_it_holds_only_in_regimes) {
  Candidate simulated = candidate("simulated", {"s"}, fp64_flops, 'A');
  simulated.simulated = true;
  EXPECT_EQ(names(choose_counters(std::vector{simulated, candidate("b", {"b"}, fp64_flops, 'B')}, fp64_flops, {})), Names{"b"});
  EXPECT_EQ(names(choose_counters(std::vector{candidate("c", {"c"}, fp64_flops, 'C'), simulated}, fp64_flops, {})), Names{"simulated"});
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

TEST(Choice, takes_counters_that_see_more_than_is_needed_as_long_as_nothing_is_seen_twice) {
  const Names memory{"bytes.L3-mem"};
  const Candidate reads = candidate("reads", {"r"}, {"bytes.L3-mem.demand_read", "bytes.L3-mem.rfo"}, 'A');
  const Candidate writes = candidate("writes", {"w"}, {"bytes.L3-mem.write_back", "bytes.L3-mem.nt_store"}, 'A');
  EXPECT_EQ(names(choose_counters(std::vector{reads, writes}, memory, {})), (Names{"reads", "writes"}));
  const Candidate both = candidate("both", {"b"}, {"bytes.L3-mem.demand_read", "bytes.L3-mem.rfo", "bytes.L3-mem.nt_store"}, 'A');
  const CounterSet twice = choose_counters(std::vector{both, writes}, memory, {});
  EXPECT_TRUE(twice.counters.empty()) << "non-temporal stores would count twice";
  EXPECT_EQ(twice.uncovered.at(0).reason, "both sees it only together with what better counters of the set see");
  const Candidate strays = candidate("strays", {"s"}, {"bytes.L3-mem.write_back", "bytes.L2-L3.write_back"}, 'A');
  EXPECT_TRUE(choose_counters(std::vector{reads, strays}, memory, {}).counters.empty()) << "it sees another boundary, too";
}

TEST(Choice, takes_the_flops_of_all_precisions_by_one_counter_where_none_has_a_better_one_of_its_own) {
  const Names precisions{"flops.fp64", "flops.fp32"};
  const Candidate sum = candidate("sum", {"s"}, {"flops.fp64", "flops.fp32", "flops.bf16"}, 'A');
  const Candidate fp64 = candidate("fp64", {"d"}, {"flops.fp64"}, 'A'), fp32 = candidate("fp32", {"f"}, {"flops.fp32"}, 'A');
  const CounterSet alone = choose_counters(std::vector{sum}, precisions, {});
  EXPECT_EQ(names(alone), Names{"sum"});
  EXPECT_TRUE(alone.uncovered.empty());
  EXPECT_EQ(names(choose_counters(std::vector{sum, fp64}, precisions, {})), Names{"sum"}) << "fp32 would go unseen";
  EXPECT_EQ(names(choose_counters(std::vector{sum, fp64, fp32}, precisions, {})), (Names{"fp32", "fp64"})) << "they tell precisions apart";
  Candidate in_regimes = sum, of_emulator = fp32;
  in_regimes.chosen.grade = 'C';
  of_emulator.simulated = true;
  EXPECT_EQ(names(choose_counters(std::vector{sum, fp64, of_emulator}, precisions, {})), Names{"sum"});
  const CounterSet kept = choose_counters(std::vector{in_regimes, fp64}, precisions, {});
  EXPECT_EQ(names(kept), Names{"fp64"}) << "a quantity keeps its better counter";
  EXPECT_EQ(kept.uncovered.at(0).quantity, "flops.fp32");
}

TEST(Choice, tells_a_reason_that_many_counters_share_once_and_what_no_trusted_counter_sees) {
  std::vector<Candidate> all{candidate("fills", {"f"}, {"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}, 'A')};
  for (const char* name : {"a", "b", "c", "d", "e"}) all.push_back(candidate(name, {name}, {"bytes.L1-L2.write_back"}, '-'));
  EXPECT_EQ(choose_counters(all, l2, {}).uncovered.at(0).reason,
            "no trusted counter sees its write_back; a, b, c and 2 more (-): as graded");
  EXPECT_EQ(choose_counters(std::span(all).subspan(1), l2, {}).uncovered.at(0).reason,
            "none is trusted: a, b, c and 2 more (-): as graded");
}

TEST(Choice, shares_events_between_quantities_and_prefers_narrow_ratios) {
  const std::vector<Candidate> all{candidate("both", {"x", "y"}, fp64_flops, 'A'), candidate("alone", {"z"}, fp64_flops, 'A'),
                                   candidate("bytes", {"x", "y"}, l2, 'A')};
  EXPECT_EQ(names(choose_counters(all, Names{"flops.fp64", "bytes.L1-L2"}, {})), (Names{"both", "bytes"})) << "three slots otherwise";
  const std::vector<Candidate> twins{candidate("wide", {"a"}, fp64_flops, 'A', 1.02), candidate("narrow", {"b"}, fp64_flops, 'A', 1.001)};
  EXPECT_EQ(names(choose_counters(twins, fp64_flops, {})), Names{"narrow"});
}

TEST(Choice, takes_more_events_where_that_saves_a_pass) {
  SlotLimits limits{.capacity = {{core, 3}}, .slots = {{{"pmu", "merged"}, 2}}};
  limits.conflicts.insert({{"pmu", "fills"}, {"pmu", "merged"}});
  const std::vector<Candidate> all{candidate("merged", {"merged"}, fp64_flops, 'A'),
                                   candidate("split", {"scalar", "packed"}, fp64_flops, 'A'), candidate("fills", {"fills"}, l2, 'A')};
  const CounterSet set = choose_counters(all, Names{"flops.fp64", "bytes.L1-L2"}, limits);
  EXPECT_EQ(names(set), (Names{"fills", "split"}));
  ASSERT_EQ(set.groups.size(), 1U);
  EXPECT_EQ(set.groups[0].events, (Names{"fills", "packed", "scalar"}));
}

TEST(Groups, are_the_fewest_where_first_fit_needs_more) {
  SlotLimits limits{.capacity = {{core, 10}}};
  Names events;
  for (const std::size_t slots : {6U, 5U, 5U, 4U, 3U, 3U, 2U, 2U}) {  // 30 slots: three full groups
    events.push_back("e" + std::to_string(events.size()));
    limits.slots[{"pmu", events.back()}] = slots;
  }
  EXPECT_EQ(fewest_groups("pmu", events, limits).size(), 3U);
  EXPECT_EQ(fewest_groups("pmu", events, {}).size(), 1U) << "no limit is known";
  limits.slots[{"pmu", "e0"}] = 11;
  EXPECT_THROW(fewest_groups("pmu", events, limits), std::invalid_argument);
}

TEST(Groups, hold_no_more_events_of_particular_counters_than_there_are_of_those) {
  SlotLimits limits{.capacity = {{core, 8}}};
  const Names caches{"fills", "victims", "lines_in", "lines_out", "loads"}, flops4{"scalar", "128", "256", "512"};
  for (const auto& event : caches) limits.only_on[{"pmu", event}] = {0, 1, 2, 3};
  Names all = flops4;
  all.insert(all.end(), caches.begin(), caches.end() - 1);
  EXPECT_EQ(fewest_groups("pmu", all, limits).size(), 1U) << "four on the lower half, four anywhere";
  EXPECT_EQ(fewest_groups("pmu", caches, limits).size(), 2U) << "five, and four counters";
  limits.only_on[{"pmu", "scalar"}] = {3};
  limits.only_on[{"pmu", "fills"}] = {0, 3};
  EXPECT_EQ(fewest_groups("pmu", Names{"fills", "scalar"}, limits).size(), 1U) << "the first moves to another of its counters";
  limits.only_on[{"pmu", "fills"}] = {3};
  EXPECT_EQ(fewest_groups("pmu", Names{"fills", "scalar"}, limits).size(), 2U);
  limits.only_on[{"pmu", "merged"}] = {0};
  limits.slots[{"pmu", "merged"}] = 2;
  EXPECT_THROW(fewest_groups("pmu", Names{"merged"}, limits), std::invalid_argument) << "two counters, and only one of them fits";
}

TEST(Groups, are_of_one_pmu_each_and_each_pmu_has_its_own_counters) {
  SlotLimits limits{.capacity = {{core, 2}, {{"pmu", "umc"}, 4}}};
  Names events{"a", "b"};
  for (const char* channel : {"read", "write", "x", "y"}) {
    events.emplace_back(channel);
    limits.pmus[{"pmu", channel}] = "umc";
  }
  const auto groups = fewest_groups("pmu", events, limits);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].events, (Names{"a", "b"}));
  EXPECT_EQ(groups[1].events, (Names{"read", "write", "x", "y"}));
}

/// The limits that a run shows in which each case counted a and b alone, and then both together.
SlotLimits limits_of_joint_counts(std::initializer_list<std::pair<double, double>> alone_and_beside) {
  Results results;
  for (const auto& [alone, beside] : alone_and_beside) {
    test::add(results, {.work = "validation/triad/fp64/n=" + std::to_string(results.cases.size())});
    const auto count = [&](std::int32_t group, const char* event, double net) {
      CountRow row{.case_id = results.cases.back().id, .node = "node0", .session = {}, .event = event, .backend = "pmu"};
      row.group = group;
      row.net = net;
      results.counts.push_back(row);
    };
    count(0, "a", alone), count(1, "b", 500), count(2, "a", beside), count(2, "b", 500);
  }
  return limits_shown_by(results, measurements_of(results), {.slots = {{{"pmu", "a"}, 2}}});
}

TEST(Limits, part_events_that_count_otherwise_beside_others_than_alone) {
  const SlotLimits same = limits_of_joint_counts({{1000, 1004}}), halved = limits_of_joint_counts({{1000, 500}});
  EXPECT_EQ(same.capacity.at(core), 3U) << "the largest group, of which one event takes two";
  EXPECT_TRUE(same.conflicts.empty()) << "0.4 % is within what is allowed";
  EXPECT_EQ(halved.conflicts.size(), 1U);
  EXPECT_EQ(fewest_groups("pmu", Names{"a", "b"}, same).size(), 1U);
  EXPECT_EQ(fewest_groups("pmu", Names{"a", "b"}, halved).size(), 2U);
}

TEST(Limits, heed_no_case_in_which_a_few_cache_lines_are_all_that_is_counted) {
  EXPECT_TRUE(limits_of_joint_counts({{128, 64}, {384, 832}, {704, 640}, {1e6, 1000064}}).conflicts.empty());
  EXPECT_EQ(limits_of_joint_counts({{128, 128}, {384, 384}, {704, 704}, {1e6, 5e5}}).conflicts.size(), 1U);
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
      if (slots > limits.capacity.at(core)) return false;
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

void expect_cost(const CounterSet& set, const std::vector<Candidate>& all, const SlotLimits& limits, const Cost& best, int round) {
  std::vector<const Candidate*> chosen;
  for (const auto& c : set.counters)
    chosen.push_back(&*std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.chosen.counter.name == c.counter.name; }));
  const Cost found = cost_of(chosen, limits);
  EXPECT_EQ(std::get<0>(found), std::get<0>(best)) << round;
  EXPECT_EQ(std::get<1>(found), std::get<1>(best)) << round;
  EXPECT_NEAR(std::get<2>(found), std::get<2>(best), 1e-12) << round;
}

TEST(Choice, is_the_cheapest_of_all) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const Names wanted{"flops.fp64", "flops.fp32"};
  for (int round = 0; round < 60; ++round) {
    SlotLimits limits{.capacity = {{core, 2 + below(3)}}};
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
    expect_cost(set, all, limits, best, round);
    EXPECT_EQ(set.groups.size(), std::get<0>(best)) << round;
  }
}

// Counters of one area, some of which see several of its parts: every subset of them, by the rules of the header in their plainest form.
struct Subset {
  std::vector<const Candidate*> counters;
  std::vector<int> ranks;  // of the wanted quantities, best first; 9: not seen
  bool is_mixed = false;
};

std::optional<Subset> judged(const std::vector<Candidate>& all, std::size_t bits, const Names& wanted, const Names& needed_of_each) {
  Subset subset;
  std::map<std::string, int> rank_of_part;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((bits >> i & 1U) == 0) continue;
    subset.counters.push_back(&all[i]);
    const auto& claims = all[i].chosen.counter.quantities;
    for (const auto& part : claims)
      if (!rank_of_part.emplace(part, all[i].chosen.grade - 'A').second) return std::nullopt;
    subset.is_mixed = subset.is_mixed || claims.size() > 1 || std::find(wanted.begin(), wanted.end(), claims.front()) == wanted.end();
  }
  std::size_t seen = 0;
  for (const auto& quantity : wanted) {
    int worst = 0;
    for (const auto& part : needed_of_each.empty() ? Names{quantity} : needed_of_each)
      worst = std::max(worst, rank_of_part.contains(part) ? rank_of_part.at(part) : 9);
    subset.ranks.push_back(worst);
    seen += worst < 9;
  }
  std::sort(subset.ranks.begin(), subset.ranks.end());
  return seen > 0 ? std::optional(subset) : std::nullopt;
}

/// All subsets of the best merit, of which none holds a counter for nothing: one with it costs no less.
std::vector<Subset> best_subsets(const std::vector<Candidate>& all, const Names& wanted, const Names& needed_of_each) {
  std::vector<Subset> best;
  for (std::size_t bits = 1; bits < (std::size_t{1} << all.size()); ++bits) {
    const auto subset = judged(all, bits, wanted, needed_of_each);
    if (!subset) continue;
    const auto merit = [](const Subset& s) { return std::pair(s.ranks, s.is_mixed); };
    if (!best.empty() && merit(best[0]) < merit(*subset)) continue;
    if (!best.empty() && merit(*subset) < merit(best[0])) best.clear();
    best.push_back(*subset);
  }
  return best;
}

std::vector<Candidate> random_counters(std::mt19937& random, const Names& parts, const std::string& prefix) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<Candidate> all;
  for (int k = 0; k < 7; ++k) {
    Names events, claims;
    for (const char* event : {"a", "b", "c", "d"})
      if (below(3) == 0) events.emplace_back(event);
    if (events.empty()) events.emplace_back("d");
    for (const auto& part : parts)
      if (below(3) == 0) claims.push_back(part);
    if (claims.empty()) claims.push_back(parts[below(parts.size())]);
    all.push_back(candidate(prefix + std::to_string(k), events, claims, "AAB"[below(3)], 1 + 0.001 * static_cast<double>(1 + below(20))));
  }
  return all;
}

TEST(Choice, of_counters_that_see_several_parts_is_the_cheapest_of_all) {
  std::mt19937 random(11);
  const Names precisions{"flops.fp64", "flops.fp32"};
  const std::string at = "bytes.L1-L2.";
  const Names flows{at + "demand_read", at + "rfo", at + "write_back"};
  int chosen_rounds = 0, joint_rounds = 0;
  for (int round = 0; round < 150; ++round) {
    SlotLimits limits{.capacity = {{core, 2 + random() % 2}}};
    if (random() % 2 == 0) limits.conflicts.insert({{"pmu", "a"}, {"pmu", "b"}});
    const auto of_flops = random_counters(random, {"flops.fp64", "flops.fp32", "flops.fp16"}, "flops");
    const auto of_bytes = random_counters(random, {flows[0], flows[1], flows[2], at + "nt_store"}, "bytes");
    auto first = best_subsets(of_flops, precisions, {}), second = best_subsets(of_bytes, l2, flows);
    const bool flops_seen = !first.empty(), bytes_seen = !second.empty();
    if (!flops_seen) first.emplace_back();
    if (!bytes_seen) second.emplace_back();
    Cost best{SIZE_MAX, SIZE_MAX, HUGE_VAL};
    for (const auto& a : first)
      for (const auto& b : second) {
        auto together = a.counters;
        together.insert(together.end(), b.counters.begin(), b.counters.end());
        best = std::min(best, cost_of(together, limits));
      }
    auto all = of_flops;
    all.insert(all.end(), of_bytes.begin(), of_bytes.end());
    const CounterSet set = choose_counters(all, Names{"flops.fp64", "flops.fp32", "bytes.L1-L2"}, limits);
    expect_cost(set, all, limits, best, round);
    const auto unseen = static_cast<std::size_t>(std::count(first[0].ranks.begin(), first[0].ranks.end(), 9));
    EXPECT_EQ(set.uncovered.size(), (flops_seen ? unseen : 2) + (bytes_seen ? 0 : 1)) << round;
    chosen_rounds += flops_seen && bytes_seen;
    joint_rounds += first[0].is_mixed;
  }
  EXPECT_GT(chosen_rounds, 50);
  EXPECT_GT(joint_rounds, 20);
}

}  // namespace
}  // namespace plumbline
