// Loops contest: the fastest wins clearly or not at all, and what is stored of them decides again what it decided before.
#include "model/ceilings/form_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "machines.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline {
namespace {

using test::KiB;
using test::MiB;

CeilingRow load_row(const std::string& level, const std::string& form, double bytes, double gbs, std::int32_t round = 0) {
  CeilingRow row{.name = form.empty() ? "load" : "load, " + form,
                 .precision = "-",
                 .level = level,
                 .pattern = "load",
                 .node = "node0",
                 .session = "s",
                 .round = round,
                 .value = gbs,
                 .unit = "GB/s",
                 .method = form.empty() ? "gcc12-O3-v4" : "gcc12-O3-v4, " + form,
                 .form = form};
  row.working_set_bytes = bytes;
  return row;
}

std::vector<FormRate> rates(const std::vector<double>& values) {
  std::vector<FormRate> all;
  for (std::size_t i = 0; i < values.size(); ++i) all.push_back({"form " + std::to_string(i), values[i]});
  return all;
}

TEST(FormChoice, the_fastest_wins) { EXPECT_EQ(winner_of(rates({225, 370, 367, 240})), 1u); }

TEST(FormChoice, a_tie_stays_with_the_first) {
  EXPECT_EQ(winner_of(rates({100, 100, 100})), 0u);
  EXPECT_EQ(winner_of(rates({100, 100.9, 100.5})), 0u);
  EXPECT_EQ(winner_of(rates({90, 100, 100.9})), 1u);
}

TEST(FormChoice, noise_below_a_percent_changes_nothing) {
  for (int seed = 0; seed < 100; ++seed) {
    std::vector<double> noisy;
    for (int i = 0; i < 5; ++i) noisy.push_back((i == 2 ? 130 : 100) * (1 + 0.004 * std::sin(seed * 7 + i * 13)));
    EXPECT_EQ(winner_of(rates(noisy)), 2u) << seed;
  }
}

TEST(FormChoice, what_failed_never_wins) {
  EXPECT_EQ(winner_of(rates({100, absent, 120, absent})), 2u);
  EXPECT_EQ(winner_of(rates({absent, 10})), 1u);
  EXPECT_EQ(winner_of(rates({absent, absent})), 0u);
}

std::vector<CeilingRow> two_contests() {
  return {load_row("choice", "compiled v4", 20 * KiB, 225), load_row("choice", "bumped v4", 20 * KiB, 370),
          load_row("choice", "deep v4", 20 * KiB, 367), load_row("choice", "compiled v4", 64 * MiB, 16.7),
          load_row("choice", "bumped v4", 64 * MiB, 16.8)};
}

TEST(FormChoice, rows_make_a_contest_for_each_working_set) {
  const auto rows = two_contests();
  const auto contests = contests_of(rows);
  ASSERT_EQ(contests.size(), 2u);
  EXPECT_EQ(contests[0].name, "load");
  EXPECT_EQ(contests[0].winner().form, "bumped v4");
  EXPECT_EQ(contests[1].winner().form, "compiled v4");
}

TEST(FormChoice, what_was_stored_decides_the_same_again_whatever_the_largest_working_set_is) {
  const auto chosen = chosen_forms(two_contests());
  EXPECT_EQ(form_chosen_for(chosen, load_row("sweep", "", 20 * KiB, 0)), "bumped v4");
  EXPECT_EQ(form_chosen_for(chosen, load_row("sweep", "", 61 * MiB, 0)), "compiled v4");
  CeilingRow other = load_row("sweep", "", 20 * KiB, 0);
  other.threads = 2;
  EXPECT_EQ(form_chosen_for(chosen, other), "");
  other = load_row("sweep", "", 20 * KiB, 0);
  other.node = "node1";
  EXPECT_EQ(form_chosen_for(chosen, other), "");
}

TEST(FormChoice, a_contest_of_which_a_candidate_failed_says_so) {
  auto rows = two_contests();
  rows[1].status = Status::failed;
  const auto chosen = chosen_forms(rows);
  EXPECT_FALSE(chosen[0].complete);
  EXPECT_EQ(chosen[0].form, "deep v4");
  EXPECT_TRUE(chosen[1].complete);
}

TEST(FormChoice, what_was_not_tried_takes_no_part) {
  auto rows = two_contests();
  rows[1].status = Status::skipped;
  rows[1].value = absent;
  const auto contests = contests_of(rows);
  EXPECT_EQ(contests[0].candidates.size(), 2u);
  EXPECT_TRUE(chosen_forms(rows)[0].complete);
}

// ---------------------------------------------------------------------------------------------------------------------- like nodes

FormContest contest_on(const std::string& node, const std::vector<double>& values, const std::string& session = "s",
                       double bytes = 20 * KiB) {
  return {node, session, "load", "-", "load", "GB/s", 1, 1, bytes, rates(values)};
}

const std::map<std::string, std::string> all_alike{{"n0", "Zen"}, {"n1", "Zen"}, {"n2", "Zen"}};

std::vector<std::string> forms_of(const std::vector<ChosenForm>& chosen) {
  std::vector<std::string> forms;
  for (const auto& one : chosen) forms.push_back(one.form);
  return forms;
}

TEST(AgreedForms, like_nodes_choose_one_loop_by_their_medians) {
  const std::vector contests{contest_on("n0", {100, 104, 101}), contest_on("n1", {100, 98, 103}), contest_on("n2", {50, 52, 50.2})};
  const auto chosen = agreed_forms(contests, all_alike);
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].node, "Zen");
  EXPECT_EQ(chosen[0].form, "form 1");  // a slow node has one vote as any other
  EXPECT_EQ(form_chosen_for(chosen,
                            [] {
                              CeilingRow own = load_row("sweep", "", 20 * KiB, 0);
                              own.node = "Zen";
                              return own;
                            }()),
            "form 1");
}

TEST(AgreedForms, a_tie_stays_with_the_plans_own_loop) {
  const std::vector contests{contest_on("n0", {100, 103}), contest_on("n1", {103, 100})};
  EXPECT_EQ(forms_of(agreed_forms(contests, all_alike)), (std::vector<std::string>{"form 0"}));
}

TEST(AgreedForms, unlike_nodes_choose_for_themselves) {
  const std::vector contests{contest_on("n0", {100, 120}), contest_on("n1", {120, 100})};
  EXPECT_EQ(forms_of(agreed_forms(contests, {{"n0", "Zen"}, {"n1", "other"}})), (std::vector<std::string>{"form 1", "form 0"}));
  EXPECT_EQ(forms_of(agreed_forms(contests, {})), (std::vector<std::string>{"form 1", "form 0"}));  // of unknown kinds
}

TEST(AgreedForms, what_failed_on_one_of_them_is_chosen_on_none) {
  const std::vector contests{contest_on("n0", {100, 120, 110}), contest_on("n1", {100, absent, 110})};
  EXPECT_EQ(forms_of(agreed_forms(contests, all_alike)), (std::vector<std::string>{"form 2"}));
  EXPECT_EQ(forms_of(agreed_forms(std::vector{contest_on("n0", {absent, absent})}, all_alike)), (std::vector<std::string>{"form 0"}));
}

TEST(AgreedForms, who_joins_later_takes_what_was_chosen) {
  const std::vector contests{contest_on("n0", {100, 120}), contest_on("n1", {120, 100}, "later"), contest_on("n2", {120, 100}, "later")};
  EXPECT_EQ(forms_of(agreed_forms(contests, all_alike)), (std::vector<std::string>{"form 1"}));
}

TEST(AgreedForms, what_a_node_measured_again_takes_the_place_of_what_it_had) {
  const std::vector contests{contest_on("n0", {absent, 90}), contest_on("n0", {100, 90}, "later")};
  EXPECT_EQ(forms_of(agreed_forms(contests, all_alike)), (std::vector<std::string>{"form 0"}));
}

TEST(AgreedForms, working_sets_that_differ_a_little_are_one_contest) {
  const std::vector near{contest_on("n0", {100, 120}, "s", 64 * MiB), contest_on("n1", {100, 110}, "s", 61 * MiB)};
  EXPECT_EQ(agreed_forms(near, all_alike).size(), 1u);
  const std::vector far{contest_on("n0", {100, 120}, "s", 64 * MiB), contest_on("n1", {100, 110}, "s", 16 * MiB)};
  EXPECT_EQ(agreed_forms(far, all_alike).size(), 2u);
}

TEST(FormChoice, rows_of_older_versions_hold_no_contest) {
  EXPECT_TRUE(contests_of(std::vector<CeilingRow>{load_row("sweep", "", 20 * KiB, 200)}).empty());
}

TEST(FormChoice, traffic_follows_the_form) {
  EXPECT_DOUBLE_EQ(traffic_factor("copy", "", "mem"), 1.5);
  EXPECT_DOUBLE_EQ(traffic_factor("copy", "deep v4", "mem"), 1.5);
  EXPECT_DOUBLE_EQ(traffic_factor("copy", "nt paged v4", "mem"), 1);
  EXPECT_DOUBLE_EQ(traffic_factor("store", "nt v3", "mem"), 1);
  EXPECT_TRUE(std::isnan(traffic_factor("store", "string v4", "mem")));
  EXPECT_TRUE(std::isnan(traffic_factor("store", "nt v4", "L3")));
  EXPECT_DOUBLE_EQ(traffic_factor("copy", "string v4", "L1"), 1);
}

// ------------------------------------------------------------------------------------------------------- ceilings of several forms

/// 225 to 40 KiB, 150 to 768 KiB, 50 to 24 MiB, then 16 GB/s by the plan's own loop; two rounds.
std::vector<CeilingRow> plain_sweep() {
  std::vector<CeilingRow> rows;
  for (double bytes = 4 * KiB; bytes <= 256 * MiB; bytes *= 1.26)
    for (const int round : {0, 1})
      rows.push_back(load_row("sweep", "", bytes, bytes <= 40 * KiB ? 225 : bytes <= 768 * KiB ? 150 : bytes <= 24 * MiB ? 50 : 16, round));
  return rows;
}

const NodeFacts facts_of_node{.node = "node0", .caches = {{1, 48 * 1024, 1}, {2, 1 << 20, 1}, {3, 32 << 20, 16}}};

const Ceiling& at(const std::vector<Ceiling>& ceilings, const std::string& level) {
  for (const auto& c : ceilings)
    if (c.level == level) return c;
  throw std::out_of_range(level);
}

TEST(CeilingForms, a_ceiling_is_the_best_of_them_and_names_the_others) {
  auto rows = plain_sweep();
  const auto before = fit_ceilings(rows, {&facts_of_node, 1});
  for (const int round : {0, 1}) rows.push_back(load_row("sweep", "bumped v4", 20 * KiB, 370 - round, round));
  const auto choice = two_contests();
  rows.insert(rows.end(), choice.begin(), choice.end());
  const auto fitted = fit_ceilings(rows, {&facts_of_node, 1});
  ASSERT_EQ(fitted.size(), before.size());  // a contest is no ceiling
  const Ceiling& l1 = at(fitted, "L1");
  EXPECT_EQ(l1.value, 370);
  EXPECT_EQ(l1.n, 2u);
  EXPECT_EQ(l1.name, "L1 load");
  EXPECT_EQ(l1.form, "bumped v4");
  EXPECT_NE(l1.method.find("bumped v4"), std::string::npos) << l1.method;
  ASSERT_EQ(l1.runners_up.size(), 2u);
  EXPECT_EQ(l1.runners_up[0].form, "deep v4");
  EXPECT_EQ(l1.runners_up[1].form, "compiled v4");
  EXPECT_EQ(l1.runners_up[1].rate, 225);
}

TEST(CeilingForms, the_levels_are_those_of_the_plans_own_loop) {
  auto rows = plain_sweep();
  const auto before = fit_ceilings(rows, {&facts_of_node, 1});
  for (const int round : {0, 1}) rows.push_back(load_row("sweep", "bumped v4", 200 * KiB, 600, round));  // would be a level of its own
  const auto fitted = fit_ceilings(rows, {&facts_of_node, 1});
  for (const char* level : {"L1", "L2", "L3"}) EXPECT_EQ(at(fitted, level).size_bytes, at(before, level).size_bytes) << level;
  EXPECT_EQ(at(fitted, "L2").value, 600);
}

TEST(CeilingForms, where_the_plans_own_loop_wins_it_is_named_too) {
  auto rows = plain_sweep();
  rows.push_back(load_row("choice", "compiled v4", 256 * MiB, 16.7));
  rows.push_back(load_row("choice", "bumped v4", 256 * MiB, 16.6));
  const auto fitted = fit_ceilings(rows, {&facts_of_node, 1});
  EXPECT_EQ(at(fitted, "mem").form, "compiled v4");
  ASSERT_EQ(at(fitted, "mem").runners_up.size(), 1u);
}

TEST(CeilingForms, memory_is_of_one_loop) {
  auto rows = plain_sweep();
  double largest = 0;
  for (const auto& row : rows) largest = std::max(largest, row.working_set_bytes);
  for (const int round : {0, 1}) {
    rows.push_back(load_row("sweep", "nt paged v4", largest, 24, round));
    rows.push_back(load_row("sweep", "ahead v4", largest, 20, round));
  }
  const auto fitted = fit_ceilings(rows, {&facts_of_node, 1});
  EXPECT_EQ(at(fitted, "mem").value, 24);
  EXPECT_EQ(at(fitted, "mem").form, "nt paged v4");
  EXPECT_TRUE(at(fitted, "mem").doubt.find("falls") == std::string::npos) << at(fitted, "mem").doubt;
}

TEST(CeilingForms, files_of_older_versions_have_none) {
  const auto fitted = fit_ceilings(plain_sweep(), {&facts_of_node, 1});
  for (const auto& ceiling : fitted) {
    EXPECT_EQ(ceiling.form, "");
    EXPECT_TRUE(ceiling.runners_up.empty());
  }
}

TEST(CeilingForms, arithmetic_of_a_narrower_isa_may_be_the_ceiling) {
  const auto row = [](const std::string& name, const std::string& form, const std::string& level, double gflops) {
    return CeilingRow{.name = name,
                      .precision = "fp64",
                      .level = level,
                      .pattern = "fma",
                      .node = "node0",
                      .session = "s",
                      .value = gflops,
                      .unit = "GFLOP/s",
                      .method = form == "v3" ? "gcc12-O3-v3, v3" : "gcc12-O3-v4",
                      .form = level == "choice" || form == "v3" ? form : ""};
  };
  const std::vector<CeilingRow> rows{row("FP64 vector FMA, v4", "v4", "choice", 80), row("FP64 vector FMA, v3", "v3", "choice", 95),
                                     row("FP64 vector FMA", "v4", "compute", 81), row("FP64 vector FMA, v3", "v3", "compute", 96)};
  const auto fitted = fit_ceilings(rows, {&facts_of_node, 1});
  ASSERT_EQ(fitted.size(), 1u);
  EXPECT_EQ(fitted[0].name, "FP64 vector FMA");
  EXPECT_EQ(fitted[0].value, 96);
  EXPECT_EQ(fitted[0].form, "v3");
  ASSERT_EQ(fitted[0].runners_up.size(), 1u);
  EXPECT_EQ(fitted[0].runners_up[0].form, "v4");
}

}  // namespace
}  // namespace plumbline
