// The words for what is counted, and what each is made of.
#include "core/quantity.hpp"

#include <gtest/gtest.h>

#include "core/quantity_parts.hpp"

namespace plumbline {
namespace {

using Names = std::vector<std::string>;

TEST(quantity, the_words_of_cpus_and_gpus_are_known_and_others_are_not) {
  for (const char* name :
       {"flops.fp64", "flops.bf16.fma", "flops.tensor.fp16", "flops.tensor.int8", "flops.int8", "flops.int8.fma", "bytes.reg-L1.load",
        "bytes.reg-shared", "bytes.reg-shared.store", "bytes.L1-L2.rfo", "bytes.L2-mem.write_back", "bytes.host-dev", "instructions",
        "fp_instructions", "int_instructions", "cycles", "seconds", "hertz", "occupancy"})
    EXPECT_TRUE(is_quantity(name)) << name;
  for (const char* name : {"", "flops", "flops.", "flops.fp64.", "flops.fp8", "flops.tensor", "flops.tensor.", "bytes.shared-L1",
                           "bytes.dev-host", "bytes.L2-mem.reads", "seconds.fp64", "time", "occupancy."})
    EXPECT_FALSE(is_quantity(name)) << name;
}

TEST(quantity, every_word_has_a_unit) {
  EXPECT_EQ(unit_of("bytes.reg-shared.load"), "bytes");
  EXPECT_EQ(unit_of("flops.tensor.fp16"), "operations");
  EXPECT_EQ(unit_of("int_instructions"), "operations");
  EXPECT_EQ(unit_of("cycles"), "cycles");
  EXPECT_EQ(unit_of("seconds"), "seconds");
  EXPECT_EQ(unit_of("hertz"), "hertz");
  EXPECT_EQ(unit_of("occupancy"), "fraction");
}

TEST(quantity, one_counter_claims_one_unit_and_nothing_twice) {
  const auto wrong = [](Names names) { return wrong_claim(names).has_value(); };
  EXPECT_FALSE(wrong({"flops.fp16", "flops.bf16"}));
  EXPECT_FALSE(wrong({"flops.tensor.fp8", "flops.tensor.fp6"}));
  EXPECT_FALSE(wrong({"bytes.reg-shared.load", "bytes.reg-shared.store"}));
  EXPECT_TRUE(wrong({"bytes.reg-shared", "bytes.reg-shared.store"}));
  EXPECT_TRUE(wrong({"seconds", "cycles"}));
}

TEST(quantity, integer_operations_are_no_part_of_all_flops) {
  EXPECT_EQ(area_of("flops.int8.fma"), "flops.int8");
  EXPECT_EQ(parts_seen(Names{"flops.int8"}, "flops.int8"), (std::set<std::string>{"flops.int8"}));
  EXPECT_EQ(parts_seen(Names{"flops"}, "flops").count("flops.int8"), 0U);
  EXPECT_TRUE(is_flops_total("flops.int8"));
}

TEST(quantity, registers_exchange_loads_and_stores_and_caches_lines) {
  EXPECT_EQ(needed_parts("bytes.reg-shared"), (Names{"bytes.reg-shared.load", "bytes.reg-shared.store"}));
  EXPECT_EQ(needed_parts("bytes.reg-L1"), (Names{"bytes.reg-L1.load", "bytes.reg-L1.store"}));
  EXPECT_EQ(needed_parts("bytes.L2-mem"), (Names{"bytes.L2-mem.demand_read", "bytes.L2-mem.rfo", "bytes.L2-mem.write_back"}));
}

}  // namespace
}  // namespace plumbline
