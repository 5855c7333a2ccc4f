// Cores have limits in a cycle, and measured ceilings stand beside them.
#include "model/ceilings/core_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/ceilings/ceiling_limits.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline {
namespace {

const CoreIdentity zen5{"AuthenticAMD", 0x1a, 0x02, "AMD EPYC 9B45"}, zen4{"AuthenticAMD", 0x19, 0x11, ""},
    cascade_lake{"GenuineIntel", 6, 0x55, ""}, v1{"implementer 0x41", 0, 0, "part 0xd40"}, unknown_core{"HygonGenuine", 24, 1, ""};

double flops_of_core(const CoreIdentity& core, const char* isa, const char* precision, const char* pattern) {
  const auto limit = arithmetic_limit(core, isa, precision, pattern);
  return limit ? limit->per_clock : absent;
}

TEST(CoreLimits, zen_5_has_four_pipes_and_a_cascade_lake_two) {
  EXPECT_EQ(flops_of_core(zen5, "v4", "fp64", "fma"), 32);
  EXPECT_EQ(flops_of_core(zen5, "v4", "fp64", "add"), 16);
  EXPECT_EQ(flops_of_core(zen5, "v4", "fp64", "mul+add"), 32);
  EXPECT_EQ(flops_of_core(zen5, "v4", "fp64", "fma+add"), 48);
  EXPECT_EQ(flops_of_core(zen5, "v4", "fp32", "fma"), 64);
  EXPECT_EQ(flops_of_core(zen5, "v3", "fp64", "fma"), 16);
  EXPECT_EQ(flops_of_core(zen5, "v4bf16", "bf16", "dot"), 128);
  EXPECT_EQ(flops_of_core(cascade_lake, "v4", "fp64", "fma"), 32);
  EXPECT_EQ(flops_of_core(cascade_lake, "v4", "fp64", "mul+add"), 16);
  EXPECT_EQ(flops_of_core(cascade_lake, "v4", "fp64", "fma+add"), 24);
}

TEST(CoreLimits, a_wide_vector_in_two_halves_is_worth_what_the_narrow_one_is) {
  EXPECT_EQ(flops_of_core(zen4, "v4", "fp64", "fma"), flops_of_core(zen4, "v3", "fp64", "fma"));
  EXPECT_EQ(flops_of_core(zen4, "v4", "fp64", "scalar fma"), 4);
}

TEST(CoreLimits, a_core_takes_up_so_many_instructions_a_cycle) {
  EXPECT_EQ(issue_limit(zen4)->per_clock, 6);
  EXPECT_EQ(issue_limit(zen5)->per_clock, 8);
  EXPECT_EQ(issue_limit(cascade_lake)->per_clock, 4);
  EXPECT_FALSE(issue_limit(unknown_core));
}

TEST(CoreLimits, the_emulator_is_given_the_pipes_of_a_known_core) {
  const auto pipes = core_pipes(zen4);
  ASSERT_TRUE(pipes);
  EXPECT_EQ(pipes->width, 6);
  EXPECT_EQ(pipes->window, 320);
  EXPECT_EQ(pipes->registers, 176);
  EXPECT_EQ(pipes->add, 2);
  EXPECT_EQ(pipes->vectors, 4);
  EXPECT_EQ(pipes->fma_latency, 4);
  EXPECT_EQ(pipes->code_bytes, 64);
  EXPECT_EQ(core_pipes(cascade_lake)->vectors, 2);
  EXPECT_FALSE(core_pipes(unknown_core));
  EXPECT_FALSE(core_pipes({"implementer 0x41", 0, 0, "part 0xd40"})) << "the emulator does not run there";
}

TEST(CoreLimits, sapphire_rapids_makes_half_a_dot_product_a_cycle) {
  const CoreIdentity sapphire_rapids{"GenuineIntel", 6, 0x8f, ""}, granite_rapids{"GenuineIntel", 6, 0xad, ""};
  EXPECT_EQ(flops_of_core(sapphire_rapids, "v4bf16", "bf16", "dot"), 32);
  EXPECT_TRUE(std::isnan(flops_of_core(granite_rapids, "v4bf16", "bf16", "dot")));  // nobody has published it
}

TEST(CoreLimits, tiles_make_an_instruction_every_sixteen_clocks) {
  const CoreIdentity sapphire_rapids{"GenuineIntel", 6, 0x8f, ""}, emerald_rapids{"GenuineIntel", 6, 0xcf, ""},
      granite_rapids{"GenuineIntel", 6, 0xad, ""};
  for (const CoreIdentity& core : {sapphire_rapids, emerald_rapids, granite_rapids}) {
    EXPECT_EQ(flops_of_core(core, "v4amxbf16", "tensor.bf16", "amx"), 2 * 16 * 16 * 32 / 16);
    EXPECT_EQ(flops_of_core(core, "v4amxint8", "tensor.int8", "amx"), 2 * 16 * 16 * 64 / 16);
  }
  EXPECT_EQ(flops_of_core(granite_rapids, "v4amxfp16", "tensor.fp16", "amx"), 1024);
  EXPECT_TRUE(std::isnan(flops_of_core(sapphire_rapids, "v4amxfp16", "tensor.fp16", "amx")));  // which it has not
  EXPECT_TRUE(std::isnan(flops_of_core(zen5, "v4amxbf16", "tensor.bf16", "amx")));
}

TEST(CoreLimits, dot_products_of_int8_go_where_fmas_go) {
  EXPECT_EQ(flops_of_core(cascade_lake, "v4vnni", "int8", "dot"), 256);
  EXPECT_EQ(flops_of_core(zen5, "v4vnni", "int8", "dot"), 256);
  EXPECT_EQ(flops_of_core(zen5, "v3vnni", "int8", "dot"), 128);
  EXPECT_EQ(flops_of_core(zen4, "v4vnni", "int8", "dot"), 128);
  EXPECT_TRUE(std::isnan(flops_of_core(zen4, "v3vnni", "int8", "dot")));  // which it has not
}

TEST(CoreLimits, one_512_bit_unit_in_place_of_two_is_remarked) {
  EXPECT_NE(arithmetic_limit(cascade_lake, "v4", "fp64", "fma")->remark.find("have one"), std::string::npos);
  EXPECT_EQ(arithmetic_limit(cascade_lake, "v3", "fp64", "fma")->remark, "");
  EXPECT_EQ(arithmetic_limit(cascade_lake, "v4", "fp64", "scalar fma")->remark, "");
  EXPECT_EQ(arithmetic_limit(zen5, "v4", "fp64", "fma")->remark, "");
}

TEST(CoreLimits, scalars_have_no_lanes) {
  for (const char* precision : {"fp64", "fp32"}) {
    EXPECT_EQ(flops_of_core(zen5, "v4", precision, "scalar fma"), 4);
    EXPECT_EQ(flops_of_core(cascade_lake, "v4", precision, "scalar add"), 2);
  }
}

TEST(CoreLimits, arm_cores_are_known_by_their_part) {
  EXPECT_EQ(flops_of_core(v1, "neon", "fp64", "fma"), 16);
  EXPECT_EQ(flops_of_core(v1, "sve256", "fp64", "fma"), 16);
}

TEST(CoreLimits, nothing_is_guessed) {
  EXPECT_TRUE(std::isnan(flops_of_core(unknown_core, "v3", "fp64", "fma")));
  EXPECT_TRUE(std::isnan(flops_of_core(cascade_lake, "v4bf16", "bf16", "dot")));
  EXPECT_FALSE(bandwidth_limit(unknown_core, "L1", "load"));
  EXPECT_FALSE(bandwidth_limit(zen5, "L3", "load"));
}

TEST(CoreLimits, patterns_share_the_ports_of_loads_and_stores) {
  const auto bytes = [](const CoreIdentity& core, const char* level, const char* pattern) {
    return bandwidth_limit(core, level, pattern)->per_clock;
  };
  EXPECT_EQ(bytes(zen5, "L1", "load"), 128);
  EXPECT_EQ(bytes(zen5, "L1", "store"), 64);
  EXPECT_EQ(bytes(zen5, "L1", "copy"), 128);
  EXPECT_EQ(bytes(zen5, "L1", "loads2store1"), 192);
  EXPECT_EQ(bytes(zen4, "L1", "triad"), 96);
  EXPECT_EQ(bytes(cascade_lake, "L2", "load"), 64);
  EXPECT_NE(bandwidth_limit(zen5, "L1", "load")->source.find("58455"), std::string::npos);
}

TEST(CeilingLimits, a_sample_alone_is_held_to_its_own_isa_and_clock) {
  CeilingRow row{.name = "FP64 vector FMA, deep v4",
                 .precision = "fp64",
                 .level = "choice",
                 .pattern = "fma",
                 .ranks = 1,
                 .threads = 2,
                 .node = {},
                 .session = {},
                 .unit = "GFLOP/s",
                 .method = "gcc12-O3-v4, deep v4",
                 .form = "deep v4"};
  row.value = 190;
  row.clock_hz = 3e9;
  EXPECT_DOUBLE_EQ(fraction_of_limit(row, zen5), 190.0 / (2 * 32 * 3));
  row.method = "gcc12-O3-v3, v3";
  EXPECT_DOUBLE_EQ(fraction_of_limit(row, zen5), 190.0 / (2 * 16 * 3));
  EXPECT_TRUE(std::isnan(fraction_of_limit(row, unknown_core)));
  row.unit = "GB/s";
  row.pattern = "load";
  EXPECT_TRUE(std::isnan(fraction_of_limit(row, zen5)));
}

TEST(CeilingLimits, take_the_clock_of_the_sample_that_the_ceiling_stands_for) {
  CeilingRow row{.name = "FP64 vector FMA",
                 .precision = "fp64",
                 .level = "compute",
                 .pattern = "fma",
                 .threads = 2,
                 .node = "n",
                 .session = {},
                 .unit = {},
                 .method = {}};
  row.unit = "GFLOP/s";
  row.method = "gcc12-O3-v4";
  row.scope = "node";
  std::vector<CeilingRow> samples{row, row};
  samples[0].value = 150;
  samples[0].clock_hz = 2.5e9;
  samples[1].value = 120;
  samples[1].clock_hz = 3e9;
  const NodeFacts node{.node = "n", .core = cascade_lake};
  auto ceilings = fit_ceilings(samples, std::span(&node, 1));
  hold_to_limits(ceilings, samples, std::span(&node, 1));
  ASSERT_EQ(ceilings.size(), 1U);
  EXPECT_EQ(ceilings[0].clock_hz, 2.5e9);
  EXPECT_EQ(ceilings[0].scope, "node");
  EXPECT_DOUBLE_EQ(ceilings[0].limit, 2 * 32 * 2.5);
  EXPECT_DOUBLE_EQ(ceilings[0].fraction_of_limit(), 150.0 / 160);
  samples[0].clock_hz = 2.3e9;  // 101.9 % of it: the boost fell meanwhile, for the team was seen at 3 GHz
  hold_to_limits(ceilings, samples, std::span(&node, 1));
  EXPECT_DOUBLE_EQ(ceilings[0].fraction_of_limit(), 1);
  EXPECT_EQ(ceilings[0].clock_hz, 2.3e9);
  samples[1].clock_hz = 2.31e9;  // and never at what it needs
  hold_to_limits(ceilings, samples, std::span(&node, 1));
  EXPECT_DOUBLE_EQ(ceilings[0].fraction_of_limit(), 150 / (64 * 2.31));
  samples[0].clock_hz = 2e9;  // no boost moves so far
  samples[1].clock_hz = 3e9;
  hold_to_limits(ceilings, samples, std::span(&node, 1));
  EXPECT_DOUBLE_EQ(ceilings[0].fraction_of_limit(), 150 / (64 * 2.1));
  for (auto& sample : samples) sample.clock_hz = absent;  // an old file's
  hold_to_limits(ceilings, samples, std::span(&node, 1));
  EXPECT_TRUE(std::isnan(ceilings[0].fraction_of_limit()));
  samples[0].clock_hz = 2.5e9;
  auto elsewhere = fit_ceilings(samples, {});
  hold_to_limits(elsewhere, samples, {});
  EXPECT_TRUE(std::isnan(elsewhere[0].fraction_of_limit()));
}

}  // namespace
}  // namespace plumbline
