// Hundreds of machines that never were: how often their levels are found among disturbances.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "measured_levels.hpp"

namespace plumbline::test {
namespace {

/// Shares of right numbers of levels, and of right sizes too.
struct Rates {
  double levels = 0, sizes = 0;
};
template <class Found>
Rates rates_of(const std::vector<Machine>& machines, int seeds, Found found) {
  Rates rates;
  for (const auto& machine : machines)
    for (int seed = 0; seed < seeds; ++seed) {
      const FoundLevels levels = found(machine, 1000 + static_cast<std::uint64_t>(seed));
      rates.levels += has_levels_of(levels, machine);
      rates.sizes += has_sizes_of(levels, machine);
    }
  const double all = static_cast<double>(machines.size()) * seeds;
  return {rates.levels / all, rates.sizes / all};
}

Rates rates_under(const Disturbance& disturbance, int rounds, int seeds) {
  return rates_of(machines(), seeds, [&](const Machine& machine, std::uint64_t seed) {
    const Curves curves = measured(machine, {.rounds = rounds}, disturbance, seed);
    return find_levels(curves.load, curves.chase);
  });
}

TEST(Levels, bursts_in_three_rounds_cost_at_most_two_percent_of_the_detections) {
  const Rates rates = rates_under(bursts, 3, 20);
  EXPECT_GE(rates.levels, 0.98);
  EXPECT_GE(rates.sizes, 0.96);
}

TEST(Levels, a_single_round_with_bursts_still_gives_nine_of_ten) { EXPECT_GE(rates_under(bursts, 1, 20).levels, 0.88); }

TEST(Levels, five_rounds_that_are_disturbed_half_of_the_time_give_nineteen_of_twenty) {
  const Rates rates = rates_under(heavy, 5, 15);
  EXPECT_GE(rates.levels, 0.95);
  EXPECT_GE(rates.sizes, 0.90);
}

TEST(Levels, machines_drawn_at_random_are_found_too) {
  std::mt19937_64 random(7);
  std::vector<Machine> drawn;
  for (int i = 0; i < 200; ++i) drawn.push_back(any_machine(random));
  const Rates rates = rates_of(drawn, 1, [](const Machine& machine, std::uint64_t seed) {
    const Curves curves = measured(machine, {.rounds = 3}, bursts, seed);
    return find_levels(curves.load, curves.chase);
  });
  EXPECT_GE(rates.levels, 0.95);
  EXPECT_GE(rates.sizes, 0.90);
}

}  // namespace
}  // namespace plumbline::test
