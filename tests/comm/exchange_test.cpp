#include "comm/exchange.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plumbline {
namespace {

std::vector<std::uint64_t> sent_by(int rank, std::size_t words) {
  std::vector<std::uint64_t> messages(words);
  fill_messages(messages, rank);
  return messages;
}

TEST(exchange, what_a_rank_sends_is_known_at_the_other_end) {
  EXPECT_TRUE(are_messages_of(sent_by(3, 1000), 3));
  EXPECT_FALSE(are_messages_of(sent_by(3, 1000), 4)) << "another rank's";
  EXPECT_FALSE(are_messages_of(std::vector<std::uint64_t>(1000, 0), 3)) << "nothing came";
}

TEST(exchange, one_changed_bit_or_two_exchanged_messages_show) {
  auto messages = sent_by(0, 1000);
  messages[999] ^= 1;
  EXPECT_FALSE(are_messages_of(messages, 0));
  messages = sent_by(0, 1000);
  std::swap(messages[10], messages[500]);
  EXPECT_FALSE(are_messages_of(messages, 0));
}

TEST(exchange, messages_of_another_length_do_not_pass_for_these) {
  auto earlier = sent_by(0, 64);
  earlier.resize(32);
  EXPECT_FALSE(are_messages_of(earlier, 0));
}

TEST(exchange, a_window_holds_64_small_messages_and_two_of_the_largest) {
  EXPECT_EQ(window_of(8), 64U);
  EXPECT_EQ(window_of(std::size_t{4} << 20), 2U);
}

}  // namespace
}  // namespace plumbline
