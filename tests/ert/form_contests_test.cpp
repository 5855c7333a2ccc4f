// Loops compete for a ceiling, and the winners' points stand in the plan.
#include "ert/form_contests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "core/kernel.hpp"
#include "tests/byte_units.hpp"

namespace plumbline {
namespace {

const std::vector<std::string> all_isas{"v2", "v3", "v4"};
const std::vector<CeilingTeam> two_teams{{{1, 1}, true}, {{1, 2}, true}};

std::vector<CeilingCase> plan_of(CeilingMode mode, const std::vector<std::string>& isas = all_isas) {
  return plan_ceilings(mode, isas, {.bytes = 32 * MiB}, 16 * GiB, two_teams);
}

std::vector<ContestPlan> contests_of(CeilingMode mode, const std::vector<std::string>& isas = all_isas) {
  return plan_contests(mode, plan_of(mode, isas), isas);
}

std::set<std::string> forms_of(const ContestPlan& contest) {
  std::set<std::string> forms;
  for (const auto& one : contest.candidates) forms.insert(one.form);
  return forms;
}

double bytes_of_thread(const ContestPlan& contest) {
  const CeilingCase& own = contest.candidates.front();
  return own.working_set_bytes / own.measured.team.threads;
}

class FormContests : public testing::Test {
 protected:
  void SetUp() override {
    const auto flavors = find_kernel("ert/stream")->flavors();
    if (std::none_of(flavors.begin(), flavors.end(), [](const Flavor& f) { return split_flavor(f.name).isa == "v4"; }))
      GTEST_SKIP() << "SKIP: no x86-64 flavors up to v4 in this build";
  }
};

TEST_F(FormContests, every_bandwidth_pattern_has_several_forms_in_each_team) {
  for (const auto mode : {CeilingMode::quick, CeilingMode::full}) {
    std::set<std::string> planned, contested;
    for (const auto& c : plan_of(mode))
      if (c.level == "sweep" && c.pattern != "chase") planned.insert(c.pattern + c.measured.team.name());
    for (const auto& contest : contests_of(mode))
      if (const auto& own = contest.candidates.front(); own.level == "sweep") contested.insert(own.pattern + own.measured.team.name());
    EXPECT_EQ(contested, planned);
  }
}

TEST_F(FormContests, candidates_do_the_same_on_the_same_data) {
  for (const auto& contest : contests_of(CeilingMode::full)) {
    const CeilingCase& own = contest.candidates.front();
    EXPECT_EQ(forms_of(contest).size(), contest.candidates.size()) << own.name;
    for (const auto& one : contest.candidates) {
      EXPECT_EQ(one.amount_per_sweep, own.level == "sweep" ? own.amount_per_sweep : one.amount_per_sweep);
      EXPECT_EQ(one.pattern, own.pattern);
      EXPECT_EQ(one.measured.team, own.measured.team);
      EXPECT_TRUE(one.name.ends_with(", " + one.form)) << one.name;
      if (own.level != "sweep") continue;
      EXPECT_EQ(one.data_id(), own.data_id());
      EXPECT_EQ(one.working_set_bytes, own.working_set_bytes);
      std::vector<std::uint64_t> bytes, bytes_of_own;
      for (const auto& s : one.measured.work().streams) bytes.push_back(s.footprint_bytes);
      for (const auto& s : own.measured.work().streams) bytes_of_own.push_back(s.footprint_bytes);
      EXPECT_EQ(bytes, bytes_of_own) << one.name;  // arrays of equal lengths
    }
  }
}

TEST_F(FormContests, loads_are_contested_in_every_isa_of_the_machine_and_none_beyond) {
  for (const auto& contest : contests_of(CeilingMode::full)) {
    if (contest.candidates.front().pattern != "load" || bytes_of_thread(contest) > 64 * 1024) continue;
    std::set<std::string> isas;
    for (const auto& one : contest.candidates) isas.insert(split_flavor(one.measured.flavor.name).isa);
    EXPECT_EQ(isas, (std::set<std::string>{"v2", "v3", "v4"}));
    for (const char* form : {"compiled v4", "bumped v4", "indexed v4", "deep v4", "ahead v4", "bumped v3", "bumped v2"})
      EXPECT_TRUE(forms_of(contest).contains(form)) << form;
  }
  for (const auto& contest : contests_of(CeilingMode::full, {"v2", "v3"}))
    for (const auto& one : contest.candidates) EXPECT_NE(split_flavor(one.measured.flavor.name).isa, "v4");
}

TEST_F(FormContests, stores_go_past_the_caches_only_beyond_them) {
  int beyond = 0;
  for (const auto& contest : contests_of(CeilingMode::full)) {
    const std::string& pattern = contest.candidates.front().pattern;
    if (pattern != "store" && pattern != "copy" && pattern != "triad") continue;
    const auto forms = forms_of(contest);
    const bool any = std::any_of(forms.begin(), forms.end(), [](const std::string& form) { return form.starts_with("nt"); });
    EXPECT_EQ(any, bytes_of_thread(contest) >= 8 * MiB) << pattern << " " << bytes_of_thread(contest);
    if (any && pattern == "copy") {
      EXPECT_TRUE(forms.contains("nt paged v4") && forms.contains("nt ahead v4") && forms.contains("string v4"));
    }
    beyond += any;
  }
  EXPECT_GT(beyond, 0);
}

TEST_F(FormContests, each_pattern_is_contested_in_its_largest_working_set) {
  const auto plan = plan_of(CeilingMode::quick);
  std::map<std::string, double> largest, contested;
  for (const auto& c : plan)
    if (c.level == "sweep" && c.pattern != "chase") largest[c.pattern + c.measured.team.name()] = c.working_set_bytes;
  for (const auto& contest : contests_of(CeilingMode::quick))
    if (const auto& own = contest.candidates.front(); own.level == "sweep") {
      double& most = contested[own.pattern + own.measured.team.name()];
      most = std::max(most, own.working_set_bytes);
    }
  EXPECT_EQ(contested, largest);
}

const ContestPlan& contest_of(const std::vector<ContestPlan>& contests, const std::string& name, const Team& team = {1, 1}) {
  const auto found = std::find_if(contests.begin(), contests.end(), [&](const ContestPlan& contest) {
    const CeilingCase& own = contest.candidates.front();
    return own.name == name && own.measured.team == team;
  });
  if (found == contests.end()) throw std::out_of_range(name);
  return *found;
}

TEST_F(FormContests, every_kind_of_arithmetic_has_other_shapes_of_its_loop) {
  for (const auto mode : {CeilingMode::quick, CeilingMode::full}) {
    const auto contests = contests_of(mode);
    for (const char* precision : {"FP64", "FP32"})
      for (const char* kind : {"vector FMA", "vector add", "vector mul", "vector mul+add", "FMA+add", "scalar FMA", "scalar add"}) {
        const auto forms = forms_of(contest_of(contests, std::string(precision) + " " + kind + ", v4", {1, 2}));
        EXPECT_TRUE(forms.contains("v4") && forms.contains("deep v4")) << precision << " " << kind;
        EXPECT_EQ(forms.contains("brief v4"), std::string_view(kind) == "vector mul+add") << precision << " " << kind;
        EXPECT_EQ(forms.contains("wide v4"), std::string_view(kind).starts_with("scalar")) << precision << " " << kind;
      }
  }
  EXPECT_EQ(forms_of(contest_of(contests_of(CeilingMode::quick, {"v2", "v3"}), "FP64 scalar FMA, v3")),
            (std::set<std::string>{"v3", "deep v3"}));  // 16 registers hold no more chains
}

TEST_F(FormContests, shapes_do_the_same_arithmetic_a_sweep) {
  int compared = 0;
  for (const auto& contest : contests_of(CeilingMode::full)) {
    const CeilingCase& own = contest.candidates.front();
    for (const auto& one : contest.candidates) {
      if (!is_other_shape(one, own)) continue;
      EXPECT_EQ(one.amount_per_sweep, own.amount_per_sweep) << one.name;
      EXPECT_NE(one.measured.id(), own.measured.id());
      ++compared;
    }
  }
  EXPECT_GT(compared, 2 * 2 * 7);
}

TEST_F(FormContests, another_isa_is_no_other_shape) {
  const auto contest = contest_of(contests_of(CeilingMode::full), "FP64 vector FMA, v4");
  std::map<std::string, bool> shapes;
  for (const auto& one : contest.candidates) shapes[one.form] = is_other_shape(one, contest.candidates.front());
  EXPECT_EQ(shapes, (std::map<std::string, bool>{{"v4", false}, {"deep v4", true}, {"v3", false}}));
}

TEST_F(FormContests, vector_arithmetic_is_contested_between_isas) {
  std::set<std::string> names;
  for (const auto& contest : contests_of(CeilingMode::full))
    if (const auto& own = contest.candidates.front(); own.level == "compute" && own.name.starts_with("FP64 vector FMA")) {
      EXPECT_EQ(forms_of(contest), (std::set<std::string>{"v3", "v4", "deep v4"}));  // v2 has no FMA
      names.insert(own.name);
    }
  EXPECT_EQ(names, (std::set<std::string>{"FP64 vector FMA, v4"}));
}

TEST_F(FormContests, the_plans_own_winning_adds_nothing) {
  const auto plan = plan_of(CeilingMode::full);
  const auto contests = plan_contests(CeilingMode::full, plan, all_isas);
  EXPECT_EQ(with_winners(plan, contests, std::vector<std::size_t>(contests.size(), 0)).size(), plan.size());
}

TEST_F(FormContests, winners_follow_what_they_share_data_with) {
  const auto plan = plan_of(CeilingMode::full);
  const auto contests = plan_contests(CeilingMode::full, plan, all_isas);
  const auto all = with_winners(plan, contests, std::vector<std::size_t>(contests.size(), 1));
  ASSERT_EQ(all.size(), plan.size() + contests.size());
  std::set<std::string> made;  // data that were given up, by team
  std::string data;
  for (const auto& c : all) {
    if (c.data_id() != data) {
      const bool large = c.working_set_bytes / c.share / c.measured.team.threads >= 8 * MiB;
      EXPECT_TRUE(!large || made.insert(c.data_id()).second) << c.name << " " << c.data_id();
    }
    data = c.data_id();
  }
  for (std::size_t i = 1; i < all.size(); ++i)
    if (!all[i].form.empty() && all[i].level == "sweep") {
      EXPECT_EQ(all[i].pattern, all[i - 1].pattern);
    }
}

TEST_F(FormContests, a_small_case_is_the_same_loop) {
  for (const auto& contest : contests_of(CeilingMode::full))
    for (const auto& one : contest.candidates) {
      const Case small = small_case(one);
      EXPECT_EQ(small.flavor.sweep, one.measured.flavor.sweep);
      std::uint64_t bytes = 0;
      for (const auto& s : small.work().streams) bytes += s.footprint_bytes;
      EXPECT_LE(bytes, 3 * 65536u * static_cast<std::uint64_t>(small.team.threads)) << one.name;
      if (one.level == "sweep") {
        EXPECT_EQ(small.parameters.word("pattern"), one.measured.parameters.word("pattern"));
      }
    }
}

TEST_F(FormContests, there_are_none_where_nothing_is_measured) { EXPECT_TRUE(plan_contests(CeilingMode::full, {}, all_isas).empty()); }

}  // namespace
}  // namespace plumbline
