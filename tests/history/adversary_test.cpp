// The adversary of `check` and `nodes`, with a twentieth of the trials that it was kept with.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "app/nights/missing_rows.hpp"
#include "faulty_night.hpp"
#include "judging_table.hpp"

namespace plumbline::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t first_seed = 2001;  // of those that were judged, not set on

Json kept(const std::string& name) {
  std::ifstream in(PLUMBLINE_GOLDEN "/" + name);
  return Json::parse(in);
}

/// Expects as many as the kept file has, but for what a twentieth has more or less of by chance.
void expect_as_kept(const Json& now, const Json& all, const char* some, const char* of) {
  const double n = now.at(of).get<double>(), all_n = all.at(of).get<double>();
  if (n == 0 || all_n == 0) return;
  const double part = all.at(some).get<double>() / all_n, deviation = std::sqrt(std::max(part * (1 - part), 1 / all_n) / n);
  EXPECT_NEAR(now.at(some).get<double>() / n, part, 4 * deviation) << all.dump() << "\nnow " << now.dump();
}

TEST(Adversary, has_kinds_of_night_and_of_job_by_names_of_their_own) {
  std::set<std::string> nights, jobs;
  for (const auto& kind : night_kinds()) EXPECT_TRUE(nights.insert(kind.name).second) << kind.name;
  for (const auto& kind : node_kinds()) EXPECT_TRUE(jobs.insert(kind.name).second) << kind.name;
  EXPECT_GT(nights.size(), 40U);
  EXPECT_GT(jobs.size(), 40U);
}

TEST(Adversary, has_rows_of_cases_that_there_are) {
  for (const RowName& row : quick_rows()) EXPECT_TRUE(row.is_ceiling() || !app::is_retired(row.what)) << row.what;
}

TEST(Adversary, finds_check_as_good_as_it_was_kept) {
  constexpr std::size_t every = 7;  // kind: sudden and slow ones alternate
  const Json rows = kept("adversary_nights.json").at("rows");
  ASSERT_EQ(rows.size(), night_kinds().size() * hosts().size()) << "run the command of tests/golden/adversary_nights.json again";
  Json all = Json::array();
  std::vector<NightKind> some;
  for (std::size_t kind = 0; kind < night_kinds().size(); kind += every) {
    some.push_back(night_kinds()[kind]);
    for (std::size_t host = 0; host < hosts().size(); ++host) all.push_back(rows.at(kind * hosts().size() + host));
  }
  const Json now = rows_of(count_nights(some, first_seed, first_seed));
  const Json sum_now = summed(now), sum_all = summed(all);
  EXPECT_LE(sum_now.at("accused").get<double>() / sum_now.at("nights").get<double>(), 0.05) << "as stated";
  expect_as_kept(sum_now, sum_all, "found", "trials");
  expect_as_kept(sum_now, sum_all, "named", "found");
}

TEST(Adversary, finds_nodes_as_good_as_it_was_kept) {
  const Json all = kept("adversary_nodes.json").at("rows");
  const Json now = rows_of(count_jobs(node_kinds(), first_seed, first_seed));
  ASSERT_EQ(now.size(), all.size()) << "run the command of tests/golden/adversary_nodes.json again";
  const Json sum_now = summed(now), sum_all = summed(all);
  expect_as_kept(sum_now, sum_all, "accused", "jobs");
  expect_as_kept(sum_now, sum_all, "found", "slow");
  expect_as_kept(sum_now, sum_all, "named", "found");
}

TEST(Adversary, is_told_of_whole_nodes_and_of_what_rows_share) {
  const auto find = [](const std::string& name) {
    std::vector<NightKind> one;
    for (const auto& kind : night_kinds())
      if (kind.name == name) one.push_back(kind);
    return count_nights(one, first_seed, first_seed);
  };
  for (const std::string name : {"the node slower by 20 %", "level O0 slower by 20 %", "all cases 10 times as long",
                                 "half of the CPU taken: the node, and slower to 3 times"})
    for (const auto& count : find(name)) EXPECT_EQ(count.found, count.trials) << name << ", " << count.host;
}

}  // namespace
}  // namespace plumbline::test
