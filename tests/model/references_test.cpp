// Counters of loads and stores are held against what the machine code executes, never against the references as written.
#include <gtest/gtest.h>

#include <cmath>

#include "core/twin.hpp"
#include "model/placement/roofline.hpp"
#include "model/scoring/accuracy.hpp"
#include "samples.hpp"

namespace plumbline {
namespace {

using test::add;
using test::CaseSample;

const Counter references{
    .name = "references", .backend = "pmu", .terms = {{"bytes", 1}}, .quantities = {"bytes.reg-L1.load", "bytes.reg-L1.store"}};

/// A triad whose references as written are 16 bytes loaded and 8 stored an element; executed 80 and 24 without optimization.
CaseSample triad(const std::string& kernel, const std::string& flavor, double n, bool knows_executed = true) {
  CaseSample sample{.work = "validation/" + kernel + "/fp64/n=" + std::to_string(static_cast<long>(n)), .flavor = flavor, .backend = "pmu"};
  const std::uint64_t load = flavor.find("O0") == std::string::npos ? 16 : 80, store = load == 16 ? 8 : 24;
  const auto elements = static_cast<std::uint64_t>(n);
  sample.model = {{"bytes.reg-L1", {24 * n, 24 * n}},
                  {"bytes.reg-L1.load", {16 * n, 16 * n}},
                  {"bytes.reg-L1.store", {8 * n, 8 * n}},
                  {"bytes.reg-L1.nt_store", {0, 0}}};
  if (knows_executed)
    for (const auto& [quantity, amount] : executed_counts({elements * load, elements * store, 0}))
      sample.model[quantity] = {static_cast<double>(amount.lo), static_cast<double>(amount.hi)};
  return sample;
}

struct Campaign {
  Results results;
  /// `count` says what is counted of a case.
  template <class Count>
  explicit Campaign(Count count, bool knows_executed = true) {
    for (const char* kernel : {"triad", "dot", "stencil5"})
      for (const char* flavor : {"gcc12-O0-v3", "clang14-O0-v3", "gcc12-O3-v3", "clang14-O3-v3"})
        for (const double n : {1e3, 4e3, 16e3, 64e3}) {
          CaseSample sample = triad(kernel, flavor, n, knows_executed);
          sample.counts = {{"bytes", count(sample, n)}};
          add(results, sample);
        }
  }
  Accuracy judged() const { return score(measurements_of(results), std::span(&references, 1)); }
};

double executed_of(const CaseSample& sample, double) { return sample.model.at("executed.bytes.reg-L1").first; }
double written_of(const CaseSample& sample, double) { return sample.model.at("bytes.reg-L1").first; }

TEST(References, a_counter_of_what_is_executed_is_trusted) {
  const Accuracy accuracy = Campaign(executed_of).judged();
  EXPECT_EQ(accuracy.counters.at(0).grade, 'A') << accuracy.counters.at(0).reason;
  EXPECT_EQ(accuracy.rows.at(0).exact_lo, 104e3);
}

TEST(References, a_counter_of_what_is_written_is_wrong_without_optimization) {
  const CounterScore score = Campaign(written_of).judged().counters.at(0);
  EXPECT_GT(score.grade, 'B');
  EXPECT_NE(score.reason.find("O3"), std::string::npos) << score.reason;
}

TEST(References, a_counter_of_sixteen_bytes_an_instruction_is_wrong) {
  const CounterScore score = Campaign([](const CaseSample& sample, double n) {
                               const double width = sample.flavor.find("O0") == std::string::npos ? 32 : 8;
                               return executed_of(sample, n) / width * 16;
                             })
                                 .judged()
                                 .counters.at(0);
  EXPECT_GT(score.grade, 'B') << score.reason;
}

TEST(References, a_file_that_does_not_know_what_was_executed_rejects_nobody) {
  const Accuracy accuracy = Campaign(written_of, false).judged();
  EXPECT_TRUE(accuracy.rows.empty());
  EXPECT_TRUE(accuracy.counters.empty());
  ASSERT_EQ(accuracy.unscored.size(), 1U);
  EXPECT_EQ(accuracy.unscored[0].reason.rfind("no exact truth in this file", 0), 0U) << accuracy.unscored[0].reason;
}

TEST(References, cases_of_which_the_code_is_not_known_are_outside_the_coverage_and_told) {
  Campaign campaign(executed_of);
  CaseSample library = triad("dgemm", "lib-openblas", 1e3, false);
  library.counts = {{"bytes", 1}};
  add(campaign.results, library);
  const Accuracy accuracy = campaign.judged();
  EXPECT_EQ(accuracy.counters.at(0).grade, 'A');
  EXPECT_EQ(accuracy.counters.at(0).attempts.without_truth, 1U);
  EXPECT_NE(accuracy.counters.at(0).reason.find("no exact truth in 1 more case"), std::string::npos) << accuracy.counters.at(0).reason;
  for (const auto& row : accuracy.rows) EXPECT_EQ(row.case_id.find("lib-openblas"), std::string::npos);
}

TEST(References, of_a_gpu_are_those_of_its_model) {
  CaseSample sample = triad("triad", "cuda13-sm_90a", 1e3, false);
  sample.gpus = 1;
  sample.counts = {{"bytes", 24e3}};
  Results results;
  add(results, sample);
  EXPECT_EQ(score(measurements_of(results), std::span(&references, 1)).rows.at(0).ratio, 1);
}

std::vector<LevelIntensity> levels_of(const std::vector<CaseSample>& samples) {
  static Results results;  // placements borrow from it
  results = {};
  for (const auto& sample : samples) add(results, sample);
  for (const auto& one : place(measurements_of(results), {}))
    if (one.of->id == samples.back().id()) return one.levels;
  return {};
}

CaseSample with_flops(CaseSample sample) {
  sample.model["flops.fp64"] = {2000, 2000};
  sample.seconds = 1e-6;
  return sample;
}

TEST(References, at_L1_the_model_draws_what_is_executed_where_that_is_known) {
  EXPECT_EQ(levels_of({with_flops(triad("triad", "gcc12-O0-v4", 1e3))}).at(0).bytes, 104e3);
  EXPECT_EQ(levels_of({with_flops(triad("triad", "gcc12-O0-v4", 1e3, false))}).at(0).bytes, 24e3);
}

TEST(References, at_L1_nothing_is_transferred_to_code_that_is_known) {
  const auto counted = [](const char* flavor) {
    CaseSample sample = with_flops(triad("triad", flavor, 1e3));
    sample.backend = "emulated";
    sample.counts = {{"flops.fp64.fma", 1000}, {"bytes.reg-L1.load", 16e3}, {"bytes.reg-L1.store", 8e3}, {"bytes.reg-L1.nt_store", 0}};
    return sample;
  };
  CaseSample v4 = with_flops(triad("triad", "gcc12-O3-v4", 1e3));
  v4.model["executed.bytes.reg-L1"] = {25e3, 25e3};
  const auto levels = levels_of({counted("gcc12-O3-v2"), counted("gcc12-O3-v3"), v4});
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].bytes, 25e3);
  EXPECT_EQ(levels[0].source, "model");
}

}  // namespace
}  // namespace plumbline
