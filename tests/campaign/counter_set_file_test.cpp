#include "campaign/counter_set_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"

namespace plumbline {
namespace {

const CounterSet example{.machine = "node7: AMD EPYC 9354",
                         .file = "validation.h5",
                         .counters = {{.counter = {.name = "l1_fills",
                                                   .backend = "perf_event",
                                                   .terms = {{"l1_fills_l2", 64}, {"l1_fills_ccx", 64}},
                                                   .quantities = {"bytes.L1-L2.demand_read", "bytes.L1-L2.rfo"}},
                                       .grade = 'B',
                                       .factor = 1.0 / 3,
                                       .offset = 48000.1,
                                       .offset_lo = 47000,
                                       .offset_hi = 49000.5,
                                       .offset_per = OffsetPer::rank,
                                       .good_up_to = 9.8e6,
                                       .ratio_lo = 0.987654321012345,
                                       .ratio_hi = 1.02,
                                       .cases = 120,
                                       .evidence = "steady: multiply by 0.3333 (about 1/3), with \"quotes\""},
                                      {.counter = {.name = "flops",
                                                   .backend = "papi",
                                                   .terms = {{"PAPI_DP_OPS", 1, "add"}},
                                                   .quantities = {"flops.fp64"},
                                                   .kind = Kind::flops},
                                       .grade = 'A',
                                       .cases = 3,
                                       .evidence = "always exact"}},
                         .groups = {{"perf_event", {"l1_fills_ccx", "l1_fills_l2"}}, {"papi", {"PAPI_DP_OPS"}}},
                         .uncovered = {{"bytes.L3-mem", "no counter that was scored sees it"}}};

std::string why_not(const std::string& text) {
  try {
    parse_counter_set(text, "set.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CounterSetFile, is_read_as_it_was_written) {
  const CounterSet again = parse_counter_set(counter_set_toml(example), "set.toml");
  EXPECT_EQ(again.machine, example.machine);
  EXPECT_EQ(again.file, example.file);
  ASSERT_EQ(again.counters.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const ChosenCounter &a = again.counters[i], &b = example.counters[i];
    EXPECT_EQ(a.counter.name, b.counter.name);
    EXPECT_EQ(a.counter.backend, b.counter.backend);
    EXPECT_EQ(a.counter.quantities, b.counter.quantities);
    EXPECT_EQ(a.counter.kind, b.counter.kind);
    ASSERT_EQ(a.counter.terms.size(), b.counter.terms.size());
    for (std::size_t t = 0; t < a.counter.terms.size(); ++t) {
      EXPECT_EQ(a.counter.terms[t].event, b.counter.terms[t].event);
      EXPECT_EQ(a.counter.terms[t].weight, b.counter.terms[t].weight);
      EXPECT_EQ(a.counter.terms[t].kind, b.counter.terms[t].kind);
    }
    EXPECT_EQ(a.grade, b.grade);
    EXPECT_EQ(a.factor, b.factor) << "to the last bit";
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_EQ(a.offset_lo, b.offset_lo);
    EXPECT_EQ(a.offset_per, b.offset_per);
    EXPECT_EQ(a.good_up_to, b.good_up_to);
    EXPECT_EQ(a.offset_hi, b.offset_hi);
    EXPECT_EQ(a.ratio_lo, b.ratio_lo);
    EXPECT_EQ(a.ratio_hi, b.ratio_hi);
    EXPECT_EQ(a.cases, b.cases);
    EXPECT_EQ(a.evidence, b.evidence);
  }
  ASSERT_EQ(again.groups.size(), 2U);
  EXPECT_EQ(again.groups[0].backend, "perf_event");
  EXPECT_EQ(again.groups[0].events, example.groups[0].events);
  ASSERT_EQ(again.uncovered.size(), 1U);
  EXPECT_EQ(again.uncovered[0].quantity, "bytes.L3-mem");
}

TEST(CounterSetFile, is_refused_with_the_place_where_it_is_wrong) {
  const std::string text = counter_set_toml(example);
  EXPECT_NE(why_not("name = 3").find("plumbline-counters/1"), std::string::npos);
  EXPECT_NE(why_not("schema = ").find("not valid TOML"), std::string::npos);
  EXPECT_NE(why_not("schema = \"plumbline-counters/1\"\nmachine = \"m\"\nscored = \"f\"").find("no [[counter]]"), std::string::npos);
  EXPECT_NE(why_not(changed(text, "'B'", "'D'")).find("'grade' in [[counter]] is 'D'"), std::string::npos);
  EXPECT_NE(why_not(changed(text, "cases = 120", "cases = 0")).find("at least 1"), std::string::npos);
  EXPECT_NE(why_not(changed(text, "ratio_most = 1.02", "ratio_most = 0.5")).find("greater than"), std::string::npos);
  EXPECT_NE(why_not(changed(text, "ratio_most = 1.02", "ratio_most = inf")).find("finite"), std::string::npos);
  EXPECT_NE(why_not(changed(text, "'flops.fp64'", "'flop.fp64'")).find("holds 'flop.fp64'; allowed are quantities: flops."),
            std::string::npos);
  EXPECT_NE(why_not(changed(text, "'flops.fp64'", "'bytes.L1-L2'")).find("l1_fills and flops both see bytes.L1-L2.demand_read"),
            std::string::npos);
  EXPECT_NE(why_not(changed(text, "offset_most = 49000.5", "offset_most = 48000.0")).find("does not lie between"), std::string::npos);
  EXPECT_NE(why_not(changed(text, "offset_least = 47000.0", "")).find("lacks 'offset_least'"), std::string::npos);
  const std::string lost = why_not(changed(text, "'l1_fills_ccx', 'l1_fills_l2'", "'l1_fills_ccx'"));
  EXPECT_NE(lost.find("'l1_fills_l2' of l1_fills is in no [[group]] of perf_event"), std::string::npos) << lost;
  EXPECT_TRUE(lost.starts_with("set.toml:")) << lost;
  try {
    read_counter_set("/nowhere/set.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::user_error);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(CounterSetFile, is_written_over_a_set_but_over_nothing_else) {
  const auto path = (std::filesystem::path(testing::TempDir()) / ("target" + std::to_string(getpid()))).string();
  const auto refused = [&](const std::string& content) {
    std::ofstream(path) << content;
    try {
      require_set_or_nothing(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Exit::user_error);
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused(counter_set_toml(example)));
  EXPECT_FALSE(refused("")) << "as mktemp makes it";
  EXPECT_TRUE(refused("schema = \"plumbline-campaign/1\"\n"));
  EXPECT_TRUE(refused(std::string("\x89HDF\r\n\x1a\n\0\0", 10)));
  EXPECT_TRUE(refused("notes of mine\n"));
  std::filesystem::remove(path);
  EXPECT_NO_THROW(require_set_or_nothing(path));
  EXPECT_NO_THROW(require_set_or_nothing("/dev/null"));
}

}  // namespace
}  // namespace plumbline
