// The bytes that a twin moves follow from how often each of its blocks was entered.
#include "core/twin.hpp"

#include <gtest/gtest.h>

#include <array>

namespace plumbline {
namespace {

const std::array<Block, 3> blocks{{{8, 0, 0, 0, nullptr}, {64, 32, 16, 0, nullptr}, {0, 0, 0, 0, "rep stosq"}}};

struct Entered {
  explicit Entered(std::array<std::uint64_t, 3> times) : executions(times) {}
  std::array<std::uint64_t, 3> executions;
  BlockTable table{blocks.size(), executions.data(), blocks.data()};
};

TEST(Twin, references_are_the_blocks_bytes_times_their_executions) {
  const Entered entered({1, 1000, 0});
  std::string why;
  const auto references = executed_references(entered.table, why);
  ASSERT_TRUE(references);
  EXPECT_EQ(*references, (References{64008, 32000, 16000}));
  EXPECT_EQ(why, "");
}

TEST(Twin, an_unknown_instruction_that_ran_leaves_no_references) {
  const Entered entered({1, 0, 1});
  std::string why;
  EXPECT_FALSE(executed_references(entered.table, why));
  EXPECT_EQ(why, "the code does not tell how many bytes 'rep stosq' moves");
}

TEST(Twin, what_was_executed_is_forgotten) {
  Entered entered({1, 2, 3});
  forget_executions(entered.table);
  std::string why;
  EXPECT_EQ(executed_references(entered.table, why), References{});
}

TEST(Twin, quantities_are_the_flows_and_their_total) {
  EXPECT_EQ(executed_counts({24, 8, 16}), (Counts{{"executed.bytes.reg-L1", 48},
                                                  {"executed.bytes.reg-L1.load", 24},
                                                  {"executed.bytes.reg-L1.store", 8},
                                                  {"executed.bytes.reg-L1.nt_store", 16}}));
}

void unregistered(const void*, std::size_t, std::size_t) {}

TEST(Twin, a_sweep_that_nobody_registered_has_none) { EXPECT_EQ(find_twin(unregistered), nullptr); }

}  // namespace
}  // namespace plumbline
