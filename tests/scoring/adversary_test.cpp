// The judge is tried by every kind of counter, a tenth of the seeds by which it was judged, and is as good as the kept table says.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <set>

#include "adversary_base.hpp"
#include "adversary_table.hpp"

namespace plumbline {
namespace {

using namespace test;

/// The seeds are those of the kept file's command. The thresholds were set on seeds 1 to 50.
constexpr std::uint64_t first_seed = 1001, seeds = 5;

const std::vector<KindCount>& tried() {
  static const std::vector<KindCount> counts = [] {
    const Bases bases = kept_bases(PLUMBLINE_GOLDEN);
    const CaseWords words(bases);
    std::vector<Verdict> all;
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed)
      for (auto& one : verdicts(seed, bases, words, attack_kinds())) all.push_back(std::move(one));
    return counted_by_kind(all);
  }();
  return counts;
}

const nlohmann::json& kept() {
  static const nlohmann::json all = nlohmann::json::parse(std::ifstream(PLUMBLINE_GOLDEN "/adversary.json"));
  return all;
}

TEST(Adversary, has_more_than_forty_kinds_of_wrong_counters_each_under_a_name_of_its_own) {
  std::set<std::string> names;
  std::size_t wrong = 0;
  for (const auto& kind : attack_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    wrong += !kind.is_right;
  }
  EXPECT_GT(wrong, 40U);
}

TEST(Adversary, finds_the_judge_as_good_as_it_was_kept_in_every_kind) {
  const auto& rows = kept().at("first_tenth_of_seeds");
  ASSERT_EQ(rows.size(), tried().size()) << "run the command of tests/golden/adversary.json again";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const KindCount& count = tried()[i];
    ASSERT_EQ(rows[i].at("kind"), count.kind);
    ASSERT_EQ(rows[i].at("counters"), count.counters);
    const auto more = [&](const char* key, int now) { return now - rows[i].at(key).get<int>(); };
    const auto why = count.kind + ": " + count.worst.grade + " " + count.worst.reason;
    constexpr int by_rounding = 1;  // another compiler's last digits may tip one
    EXPECT_LE(more("trusted_wrongly", count.trusted_wrongly), by_rounding) << why;
    EXPECT_LE(more("accused", count.accused), by_rounding) << why;
    EXPECT_LE(more("chosen_wrongly", count.chosen_wrongly), by_rounding) << why;
    EXPECT_GE(more("says_why", count.says_why), -by_rounding) << why;
    EXPECT_GE(more("as_wanted", count.as_wanted), -by_rounding) << why;
  }
}

TEST(Adversary, finds_it_over_all_as_good_as_with_all_seeds) {
  constexpr double by_chance = 0.02;
  const Shares shares = shares_of(tried());
  const auto& all = kept().at("shares");
  std::cout << in_words(tried());
  EXPECT_LE(shares.accused, all.at("accused").get<double>() + by_chance);
  EXPECT_LE(shares.trusted_wrongly, all.at("trusted_wrongly").get<double>() + by_chance);
  EXPECT_LE(shares.chosen_wrongly, all.at("chosen_wrongly").get<double>() + by_chance);
  EXPECT_GE(shares.says_why, all.at("says_why").get<double>() - by_chance);
  EXPECT_GE(shares.as_wanted, all.at("as_wanted").get<double>() - by_chance);
}

}  // namespace
}  // namespace plumbline
