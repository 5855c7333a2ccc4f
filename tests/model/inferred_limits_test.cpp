// Limits of CPUs that are in no vendor's table, inferred from what their undisturbed samples show: by stored facts of such machines.
#include "model/ceilings/inferred_limits.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "model/ceilings/ceiling_limits.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline {
namespace {

const CoreIdentity masked{"GenuineIntel", 6, 167, "Intel(R) Xeon(R) Processor"};  // Granite Rapids as a hypervisor shows it

/// A ceiling and what it reached: operations, or bytes, a clock and core.
struct Shown {
  std::string precision, pattern, flavor;
  double per_clock = 0;
  std::int64_t threads = 1;
  double clock_hz = 3.6e9;
};

bool is_bandwidth(const Shown& shown) { return shown.precision == "-"; }

CeilingRow row_of(const Shown& shown) {
  CeilingRow row{.name = shown.precision + " " + shown.pattern + " " + shown.flavor,
                 .precision = shown.precision,
                 .level = is_bandwidth(shown) ? "L1" : "compute",
                 .pattern = shown.pattern,
                 .threads = shown.threads,
                 .node = "n",
                 .session = {},
                 .value = shown.per_clock * shown.clock_hz * static_cast<double>(shown.threads) * 1e-9,
                 .unit = is_bandwidth(shown) ? "GB/s" : "GFLOP/s",
                 .method = shown.flavor + ", something"};
  row.scope = "core";
  row.working_set_bytes = is_bandwidth(shown) ? 16384 : absent;
  row.clock_hz = shown.clock_hz;
  row.sentinel = 4;
  row.cpu_share = 1;
  return row;
}

/// Five rounds of each, the last two a little slower.
std::vector<CeilingRow> rounds_of(const std::vector<Shown>& all) {
  std::vector<CeilingRow> rows;
  for (int round = 0; round < 5; ++round)
    for (const Shown& shown : all) {
      rows.push_back(row_of(shown));
      rows.back().round = round;
      rows.back().value *= round < 3 ? 1 : 0.99;
    }
  return rows;
}

struct InferredPeaks {
  std::vector<Ceiling> ceilings;
  const Ceiling& of(const std::string& precision, const std::string& pattern, std::int64_t threads = 1) const {
    for (const Ceiling& c : ceilings)
      if (c.precision == precision && c.pattern == pattern && c.threads == threads) return c;
    throw std::out_of_range(precision + " " + pattern);
  }
  double per_clock(const std::string& precision, const std::string& pattern, std::int64_t threads = 1) const {
    const Ceiling& c = of(precision, pattern, threads);
    return c.limit * 1e9 / (c.clock_hz * static_cast<double>(threads));
  }
};

InferredPeaks inferred(const std::vector<CeilingRow>& rows, const CoreIdentity& core = masked) {
  const NodeFacts node{.node = "n", .core = core};
  InferredPeaks result{fit_ceilings(rows, std::span(&node, 1))};
  hold_to_limits(result.ceilings, rows, std::span(&node, 1));
  for (const Ceiling& c : result.ceilings) {
    EXPECT_EQ(c.limit_basis == LimitBasis::none, std::isnan(c.limit)) << c.name;
    EXPECT_EQ(c.limit_source.empty(), std::isnan(c.limit)) << c.name;
    EXPECT_FALSE(c.limit_basis == LimitBasis::inferred && c.fraction_of_limit() > most_of_limit) << c.name;
  }
  return result;
}

/// Samples as seen of Granite Rapids under KVM, at 3.6 GHz (2026-11-23): 30.2 FLOP a clock, L1 loads of 435 GB/s.
const std::vector<Shown> granite_rapids{
    {"fp64", "fma", "gcc12-O3-v4", 30.2},       {"fp64", "fma", "gcc12-O3-v4", 30.0, 2},  {"fp32", "fma", "gcc12-O3-v4", 60.6},
    {"fp16", "fma", "gcc12-O3-v4fp16", 120.9},  {"fp64", "mul+add", "gcc12-O3-v4", 15.2}, {"fp64", "fma+add", "gcc12-O3-v4", 22.9},
    {"fp64", "scalar fma", "gcc12-O3-v4", 3.8}, {"-", "load", "gcc12-O3-v4", 435 / 3.6},  {"-", "store", "gcc12-O3-v4", 61},
    {"-", "copy", "gcc12-O3-v4", 118},          {"-", "triad", "gcc12-O3-v4", 150},
};

TEST(InferredLimits, a_masked_granite_rapids_has_two_pipes_of_512_bits_in_every_precision_and_team) {
  const InferredPeaks g = inferred(rounds_of(granite_rapids));
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "fma"), 32);
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "fma", 2), 32);
  EXPECT_DOUBLE_EQ(g.per_clock("fp32", "fma"), 64);
  EXPECT_DOUBLE_EQ(g.per_clock("fp16", "fma"), 128);
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "mul+add"), 16);
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "fma+add"), 24);
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "scalar fma"), 4);
  const Ceiling& fma = g.of("fp64", "fma");
  EXPECT_EQ(fma.limit_basis, LimitBasis::inferred);
  EXPECT_EQ(fma.limit_source, "inferred: fp64 shows 30.2 of 32 operations a clock: two 512-bit instructions a clock");
  EXPECT_NEAR(fma.fraction_of_limit(), 0.944, 1e-3);
}

TEST(InferredLimits, its_loads_and_stores_tell_the_ports_of_l1_and_the_patterns_that_share_them) {
  const InferredPeaks g = inferred(rounds_of(granite_rapids));
  EXPECT_DOUBLE_EQ(g.per_clock("-", "load"), 128);
  EXPECT_DOUBLE_EQ(g.per_clock("-", "store"), 64);
  EXPECT_DOUBLE_EQ(g.per_clock("-", "copy"), 128);
  EXPECT_DOUBLE_EQ(g.per_clock("-", "triad"), 192);
  EXPECT_EQ(g.of("-", "load").limit_source, "inferred: load shows 121 of 128 bytes a clock: two of 64 bytes");
}

/// 288 GB/s by loads that add: between one vector a clock and two, and no sign of which.
TEST(InferredLimits, a_rate_between_two_hypotheses_has_no_limit_but_a_reason) {
  std::vector<Shown> shown{{"-", "load", "gcc12-O3-v4", 288 / 3.6}, {"-", "store", "gcc12-O3-v4", 61}, {"fp64", "fma", "gcc12-O3-v4", 20}};
  const InferredPeaks g = inferred(rounds_of(shown));
  EXPECT_TRUE(std::isnan(g.of("-", "load").limit));
  EXPECT_NE(g.of("-", "load").limit_reason.find("80 bytes a clock, which tells no number of vectors"), std::string::npos);
  EXPECT_DOUBLE_EQ(g.per_clock("-", "store"), 64);
  EXPECT_TRUE(std::isnan(g.of("fp64", "fma").limit));
  EXPECT_NE(g.of("fp64", "fma").limit_reason.find("1.25 instructions a clock, which tells no number of pipes"), std::string::npos);
}

TEST(InferredLimits, a_precision_that_tells_nothing_has_the_pipes_that_another_shows) {
  const InferredPeaks g = inferred(rounds_of({{"fp64", "fma", "gcc12-O3-v4", 20}, {"fp32", "fma", "gcc12-O3-v4", 61}}));
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "fma"), 32);
  EXPECT_NE(g.of("fp64", "fma").limit_source.find("fp32 shows 30.5 of 32"), std::string::npos) << g.of("fp64", "fma").limit_source;
}

TEST(InferredLimits, precisions_that_tell_different_pipes_are_not_reconciled) {
  const InferredPeaks g = inferred(rounds_of({{"fp64", "fma", "gcc12-O3-v4", 15.8}, {"fp32", "fma", "gcc12-O3-v4", 61}}));
  EXPECT_TRUE(std::isnan(g.of("fp64", "fma").limit));
  EXPECT_NE(g.of("fp64", "fma").limit_reason.find("fp64 tell of one"), std::string::npos) << g.of("fp64", "fma").limit_reason;
  EXPECT_DOUBLE_EQ(g.per_clock("fp32", "fma"), 64);
}

/// Two hardware threads of one core have half of it each: the limit is the core's.
TEST(InferredLimits, many_cores_have_the_limit_of_one) {
  const InferredPeaks g = inferred(rounds_of({{"fp64", "fma", "gcc12-O3-v4", 30.2}, {"fp64", "fma", "gcc12-O3-v4", 15.9, 2}}));
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "fma"), 32);
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "fma", 2), 32);
}

TEST(InferredLimits, an_avx2_cpu_has_pipes_of_256_bits) {
  const InferredPeaks g = inferred(rounds_of({{"fp64", "fma", "gcc12-O3-v3", 15.6},
                                              {"fp32", "fma", "clang14-O3-v3", 31.4},
                                              {"int8", "dot", "gcc12-O3-v3vnni", 126},
                                              {"-", "load", "gcc12-O3-v3", 95},
                                              {"-", "store", "gcc12-O3-v3", 31}}),
                                   {"HygonGenuine", 24, 1, ""});
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "fma"), 16);
  EXPECT_DOUBLE_EQ(g.per_clock("fp32", "fma"), 32);
  EXPECT_DOUBLE_EQ(g.per_clock("int8", "dot"), 128);
  EXPECT_DOUBLE_EQ(g.per_clock("-", "load"), 96);  // three of 32
  EXPECT_DOUBLE_EQ(g.per_clock("-", "store"), 32);
}

/// Copies move more than one store a clock could: then there are two, which the store alone does not show.
TEST(InferredLimits, a_pattern_that_proves_more_than_the_store_alone_leaves_the_store_without_limit) {
  const InferredPeaks g =
      inferred(rounds_of({{"-", "load", "gcc12-O3-v4", 127}, {"-", "store", "gcc12-O3-v4", 63}, {"-", "copy", "gcc12-O3-v4", 190}}));
  EXPECT_DOUBLE_EQ(g.per_clock("-", "load"), 128);
  EXPECT_TRUE(std::isnan(g.of("-", "store").limit));
  EXPECT_TRUE(std::isnan(g.of("-", "copy").limit));
}

TEST(InferredLimits, tiles_and_dot_products_have_pipes_of_their_own) {
  const InferredPeaks g = inferred(rounds_of({{"fp64", "fma", "gcc12-O3-v4", 31.5},
                                              {"bf16", "dot", "gcc12-O3-v4bf16", 31.6},
                                              {"int8", "dot", "gcc12-O3-v4vnni", 250},
                                              {"tensor.bf16", "amx", "gcc12-O3-v4amxbf16", 1010},
                                              {"tensor.int8", "amx", "gcc12-O3-v4amxint8", 2010}}));
  EXPECT_DOUBLE_EQ(g.per_clock("bf16", "dot"), 32);  // one every second clock
  EXPECT_DOUBLE_EQ(g.per_clock("int8", "dot"), 256);
  EXPECT_DOUBLE_EQ(g.per_clock("tensor.bf16", "amx"), 1024);
  EXPECT_DOUBLE_EQ(g.per_clock("tensor.int8", "amx"), 2048);
  EXPECT_NE(g.of("tensor.bf16", "amx").limit_source.find("a tile product every 16 clocks"), std::string::npos);
}

/// The chain that measures the clock ran before the turbo did: 32 FLOP a clock look like 35.
TEST(InferredLimits, a_clock_that_lies_lifts_nothing_above_a_limit) {
  const InferredPeaks g = inferred(rounds_of({{"fp64", "fma", "gcc12-O3-v4", 35.2, 1, 3.3e9}}));
  EXPECT_TRUE(std::isnan(g.of("fp64", "fma").limit));
  EXPECT_NE(g.of("fp64", "fma").limit_reason.find("the clock lies"), std::string::npos);
  auto rows = rounds_of({{"fp64", "fma", "gcc12-O3-v4", 30.2}});
  rows.front().clock_hz *= 0.9;  // of the best sample alone, which is found to be slow
  rows.front().value *= 1.01;
  const InferredPeaks of_one = inferred(rows);
  const Ceiling& one = of_one.of("fp64", "fma");
  EXPECT_TRUE(std::isnan(one.limit)) << one.fraction_of_limit();
  EXPECT_NE(one.limit_reason.find("the clock beside the best one is wrong"), std::string::npos) << one.limit_reason;
}

TEST(InferredLimits, rates_beyond_the_next_pipe_take_it) {
  const InferredPeaks g =
      inferred(rounds_of({{"fp64", "add", "gcc12-O3-v4", 16.3}, {"fp64", "mul", "gcc12-O3-v4", 16.4}, {"fp32", "mul", "gcc12-O3-v4", 46}}));
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "add"), 16);  // 1.019 of two a clock
  EXPECT_DOUBLE_EQ(g.per_clock("fp32", "mul"), 48);
  EXPECT_DOUBLE_EQ(g.per_clock("fp64", "mul"), 24);
}

TEST(InferredLimits, disturbed_samples_tell_nothing) {
  auto rows = rounds_of(granite_rapids);
  for (auto& row : rows) row.cpu_share = 0.5;
  const InferredPeaks g = inferred(rows);
  for (const Ceiling& c : g.ceilings) {
    EXPECT_TRUE(std::isnan(c.limit)) << c.name;
    EXPECT_NE(c.limit_reason.find("undisturbed"), std::string::npos) << c.name << ": " << c.limit_reason;
  }
  rows = rounds_of({{"fp64", "fma", "gcc12-O3-v4", 30.2}});
  for (std::size_t i = 1; i < rows.size(); ++i) rows[i].value /= 2, rows[i].sentinel = 2;  // all but the first share their core
  rows[1].sentinel = rows[0].sentinel = 4;
  rows[1].value = rows[0].value;
  EXPECT_DOUBLE_EQ(inferred(rows).per_clock("fp64", "fma"), 32);
}

TEST(InferredLimits, known_cores_keep_their_vendors_limits_and_lack_what_these_lack) {
  const CoreIdentity zen5{"AuthenticAMD", 0x1a, 0x02, ""}, cascade_lake{"GenuineIntel", 6, 0x55, ""};
  const std::vector<Shown> shown{
      {"fp64", "fma", "gcc12-O3-v4", 15.8}, {"bf16", "dot", "gcc12-O3-v4bf16", 62}, {"-", "load", "gcc12-O3-v4", 63}};
  for (const CoreIdentity& core : {zen5, cascade_lake}) {
    const InferredPeaks known = inferred(rounds_of(shown), core);
    EXPECT_DOUBLE_EQ(known.per_clock("fp64", "fma"), 32);  // not the 16 that it would be taken for
    EXPECT_DOUBLE_EQ(known.per_clock("-", "load"), 128);
    EXPECT_EQ(known.of("fp64", "fma").limit_basis, LimitBasis::vendor);
    EXPECT_EQ(known.of("fp64", "fma").limit_source.find("inferred"), std::string::npos);
  }
  EXPECT_TRUE(std::isnan(inferred(rounds_of(shown), cascade_lake).of("bf16", "dot").limit));
}

TEST(InferredLimits, a_hypothesis_is_the_smallest_that_explains_what_is_shown) {
  constexpr std::array rates{1.0, 2.0, 3.0};
  EXPECT_EQ(hypothesis_of(1.89, rates).rate, 2);
  EXPECT_TRUE(hypothesis_of(1.89, rates).reached);
  EXPECT_EQ(hypothesis_of(1.02, rates).rate, 1);
  EXPECT_EQ(hypothesis_of(1.03, rates).rate, 2);
  EXPECT_FALSE(hypothesis_of(1.03, rates).reached);
  EXPECT_TRUE(std::isnan(hypothesis_of(3.2, rates).rate));
  EXPECT_FALSE(hypothesis_of(3.2, rates).reached);
}

}  // namespace
}  // namespace plumbline
