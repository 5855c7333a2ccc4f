// A program's phases, as its marks make them.
#include "injection/phases.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace plumbline {
namespace {

class phases_of_a_program : public ::testing::Test {
 protected:
  phases_of_a_program() { phases::forget(); }

  /// The regions that are open in the calling thread's phase: "outer inner".
  static std::string now() {
    const std::uint32_t phase = phases::current();
    const ProgramPhases all = phases::all();
    std::string names;
    for (const auto region : all.phases.at(phase)) names += (names.empty() ? "" : " ") + all.regions.at(region).name;
    return names;
  }
};

TEST_F(phases_of_a_program, ranges_nest_and_end_in_their_own_domain_alone) {
  EXPECT_EQ(phases::current(), 0U);
  phases::enter("solve", 0);
  phases::enter("theirs", 7);
  phases::enter("step", 0);
  EXPECT_EQ(now(), "solve theirs step");
  phases::leave(7);
  EXPECT_EQ(now(), "solve step");
  phases::leave(9);
  EXPECT_EQ(now(), "solve step") << "nothing is open there";
  phases::leave(0);
  EXPECT_EQ(now(), "solve");
  phases::leave("other", 0);
  phases::leave("solve", 0);
  EXPECT_EQ(phases::current(), 0U);
}

TEST_F(phases_of_a_program, a_region_in_itself_is_one_and_its_time_goes_on_until_the_last_of_its_ranges_ends) {
  phases::enter("twice", 0);
  phases::enter("twice", 0);
  EXPECT_EQ(now(), "twice");
  phases::leave(0);
  EXPECT_TRUE(phases::all().regions.at(0).open);
  phases::leave(0);
  const PhaseRegion region = phases::all().regions.at(0);
  EXPECT_EQ(region.entries, 2U);
  EXPECT_FALSE(region.open);
  EXPECT_GT(region.seconds, 0);
}

TEST_F(phases_of_a_program, a_range_of_the_process_is_around_those_of_all_threads_and_ends_in_any) {
  phases::enter("mine", 0);
  EXPECT_EQ(now(), "mine");
  std::uint64_t number = 0;
  std::thread([&] {
    EXPECT_EQ(phases::current(), 0U) << "the other thread's range is its own";
    number = phases::begin("everybody's");
    EXPECT_EQ(now(), "everybody's");
  }).join();
  EXPECT_EQ(now(), "everybody's mine");
  phases::end(number + 1);
  EXPECT_EQ(now(), "everybody's mine") << "no such range";
  phases::end("everybody's");
  EXPECT_EQ(now(), "mine");
  phases::leave(0);
}

TEST_F(phases_of_a_program, names_beyond_the_most_are_said_to_be_lost_and_balance_all_the_same) {
  for (std::size_t i = 0; i < phases::most_regions; ++i) phases::enter(std::to_string(i), 0), phases::leave(0);
  phases::enter("one more", 0);
  EXPECT_EQ(phases::current(), 0U);
  phases::enter("0", 0);
  EXPECT_EQ(now(), "0");
  phases::leave(0);
  phases::leave(0);
  EXPECT_EQ(phases::all().regions.size(), phases::most_regions);
  EXPECT_EQ(phases::all().lost, 1U);
}

}  // namespace
}  // namespace plumbline
