// Hundreds of counters are scored over thousands of cases: how long is printed; nothing is asserted of the time.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "faults.hpp"
#include "model/scoring/accuracy.hpp"
#include "tests/sanitized.hpp"

namespace plumbline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The work is less under AddressSanitizer, which takes ten times as long and a multiple of the memory.
constexpr std::size_t wanted_cases = address_sanitized ? 600 : 4248, wanted_counters = address_sanitized ? 10 : 200;

/// The realistic campaign again and again, under other names of sizes, up to the paper's number of cases.
std::vector<test::TrueCase> many_cases() {
  std::vector<test::TrueCase> cases;
  for (std::uint64_t copy = 0; cases.size() < wanted_cases; ++copy)
    for (auto one : test::realistic_campaign(copy)) {
      if (cases.size() == wanted_cases) break;
      one.row.work += "/copy=" + std::to_string(copy);
      one.row.id = one.row.work + "/r" + std::to_string(one.row.ranks) + "t1/" + one.row.flavor;
      cases.push_back(std::move(one));
    }
  return cases;
}

TEST(Speed, the_papers_4248_cases_by_200_counters_are_scored) {
  test::Random random(1);
  const auto cases = many_cases();
  std::vector<test::MadeCounter> made;
  std::vector<Counter> counters;
  while (made.size() < wanted_counters) {
    made.push_back(test::right_counter("counter" + std::to_string(made.size()),
                                       test::right_claims()[made.size() % test::right_claims().size()], random));
    made.back().joint = {};
    counters.push_back(made.back().counter);
  }
  const Results results = test::results_of(cases, made, 1);
  const auto start = Clock::now();
  const Measurements measurements = measurements_of(results);
  const double reading = seconds_since(start);
  const Accuracy accuracy = score(measurements, counters);
  std::cout << results.counts.size() << " counts of " << cases.size() << " cases by " << counters.size() << " counters: put together in "
            << reading << " s, scored in " << seconds_since(start) - reading << " s\n";
  ASSERT_EQ(accuracy.counters.size(), counters.size());
  EXPECT_EQ(accuracy.rows.size(), counters.size() * cases.size());
  for (const auto& one : accuracy.counters) EXPECT_EQ(one.grade, 'A') << one.quantity << ": " << one.reason;
}

}  // namespace
}  // namespace plumbline
