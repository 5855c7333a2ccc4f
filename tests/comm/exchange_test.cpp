#include "comm/exchange.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "comm/exchange_samples.hpp"

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

/// Seconds of a turn in the best sample, and the turns of each run, of runs whose seconds are told: of so many turns in the nth run.
struct Told {
  double best_turn = 0;
  std::vector<std::uint64_t> turns = {};
};
Told told(const std::function<double(std::uint64_t turns, std::size_t run)>& seconds_of, const ExchangeProtocol& protocol = {}) {
  Told all;
  ExchangeSamples samples(protocol);
  while (const std::uint64_t turns = samples.next_turns()) {
    samples.take(seconds_of(turns, all.turns.size()));
    all.turns.push_back(turns);
  }
  all.best_turn = samples.best_turn();
  return all;
}

constexpr double turn_seconds = 1e-6;

TEST(exchange_samples, turns_grow_until_they_last_a_sample) {
  const Told fast = told([](std::uint64_t turns, std::size_t) { return turn_seconds * static_cast<double>(turns); });
  EXPECT_DOUBLE_EQ(fast.best_turn, turn_seconds);
  EXPECT_EQ(fast.turns.front(), 1U);
  EXPECT_GE(static_cast<double>(fast.turns.back()) * turn_seconds, ExchangeProtocol().sample_seconds);
}

TEST(exchange_samples, a_pause_in_any_one_run_is_no_part_of_a_sample) {
  for (std::size_t paused = 0; paused < 8; ++paused)
    for (const double pause : {0.01, 0.06, 1.0}) {
      const auto seconds_of = [&](std::uint64_t turns, std::size_t run) {
        return turn_seconds * static_cast<double>(turns) + (run == paused ? pause : 0);
      };
      EXPECT_DOUBLE_EQ(told(seconds_of).best_turn, turn_seconds) << "in run " << paused << " of " << pause << " s";
    }
}

TEST(exchange_samples, what_stays_slow_is_told) {
  const auto seconds_of = [](std::uint64_t turns, std::size_t run) {
    return (run < 2 ? 1 : 10) * turn_seconds * static_cast<double>(turns);
  };
  EXPECT_DOUBLE_EQ(told(seconds_of).best_turn, 10 * turn_seconds);
}

TEST(exchange_samples, of_a_link_so_slow_that_one_sample_takes_the_patience_there_is_one) {
  const Told slow = told([](std::uint64_t turns, std::size_t) { return 0.2 * static_cast<double>(turns); });
  EXPECT_EQ(slow.turns, (std::vector<std::uint64_t>{1, 1})) << "behind the one that warms up";
  EXPECT_DOUBLE_EQ(slow.best_turn, 0.2);
}

}  // namespace
}  // namespace plumbline
