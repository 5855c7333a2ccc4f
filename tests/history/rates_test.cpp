// Nights that were never measured, thousands of them: how often `check` names a node that did not change, and one that did.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "model/comparing/night_check.hpp"
#include "simulated_nights.hpp"

namespace {

using namespace plumbline;

namespace simulated = plumbline::simulated;
using simulated::Slow;

const simulated::Host even, restless{.freedom = 4}, busy{.freedom = 4, .disturbed_part = 0.05},
    told{.freedom = 4, .disturbed_part = 0.05, .seen = 0.9};
constexpr unsigned judging_seeds = 10'001;  // none of those that the thresholds were set on

double found(const simulated::Host& host, const simulated::Nights& asked, unsigned trials = 100) {
  return static_cast<double>(simulated::nights(host, asked, judging_seeds, trials).found) / trials;
}

TEST(Check, exits_for_nothing_no_more_often_than_stated) {
  constexpr unsigned trials = 60;
  for (const auto& [name, host] : {std::pair{"even", even}, {"restless", restless}, {"busy", busy}, {"told", told}})
    for (const int before : {1, 2, 3, 7, 14}) {
      const auto result = simulated::nights(host, {.before = before}, judging_seeds, trials);
      RecordProperty(std::string(name) + "_" + std::to_string(before), static_cast<int>(result.false_exits));
      const double stated = before < static_cast<int>(least_nights) ? 0 : 0.05;
      EXPECT_LE(static_cast<double>(result.false_exits), trials * stated + 3 * std::sqrt(trials * stated))
          << name << ", " << before << " nights";
    }
}

TEST(Check, finds_a_row_and_a_node_that_are_10_percent_slower) {
  EXPECT_GE(found(even, {.before = 7, .slow_for = 2, .what = Slow::row}), 0.95);
  EXPECT_GE(found(even, {.before = 7, .what = Slow::node}), 0.99);
}

TEST(Check, finds_20_percent_beside_neighbours_that_come_and_go) {
  EXPECT_GE(found(busy, {.before = 14, .slow_for = 4, .slowdown = 0.2, .what = Slow::row}, 50), 0.9);
  EXPECT_GE(found(told, {.before = 14, .slow_for = 4, .slowdown = 0.2, .what = Slow::row}, 50), 0.9);
  EXPECT_GE(found(busy, {.before = 14, .slowdown = 0.2, .what = Slow::node}, 50), 0.95);
}

TEST(Check, finds_more_the_larger_the_slowdown) {
  double last = 0;
  for (const double by : {0.05, 0.1, 0.2}) {
    const double now = found(even, {.before = 7, .slowdown = by, .what = Slow::row});
    EXPECT_GE(now, last) << by;
    last = now;
  }
  EXPECT_GE(last, 0.85);
}

TEST(Nodes, are_named_no_more_often_than_stated_by_turns_that_hang_on_each_other) {
  constexpr unsigned trials = 20'000;
  for (const double correlation : {0.0, 0.7})
    for (const std::size_t turns : {5UL, 8UL, 15UL}) {
      const simulated::Turns asked{.turns = turns, .noise = 0.2, .correlation = correlation};
      EXPECT_LE(simulated::named(asked, judging_seeds, trials), asked.tail + 3 * std::sqrt(asked.tail / trials))
          << turns << " turns, " << correlation;
    }
}

TEST(Nodes, that_are_20_percent_slower_are_named_by_15_turns) {
  EXPECT_GE(simulated::named({.noise = 0.05, .slowdown = 0.2}, judging_seeds, 1000), 0.9);
  EXPECT_GE(simulated::named({.turns = 8, .noise = 0.02, .slowdown = 0.2}, judging_seeds, 1000), 0.9);
}

}  // namespace
