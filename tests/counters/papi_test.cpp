// PAPI is tried for real: off the emulator what it has here, under it (this program started by valgrind) the whole path by software-defined
// events.
#include "counters/papi/papi.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/case.hpp"
#include "counters/emulated/emulated.hpp"
#include "counters/papi/sde_export.hpp"
#include "measure/counting.hpp"

namespace plumbline {
namespace {

std::string sde(const std::string& event) { return std::string(sde_prefix) + event; }

bool under_emulator() { return emulated_backend()->availability().ok(); }

#define NEEDS_EMULATOR \
  if (!under_emulator()) GTEST_SKIP() << "SKIP: this process does not run under the emulator"

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * 1.5;
  return sum;
}

TEST(papi, events_go_into_as_few_groups_as_forty_slots_allow) {
  const auto backend = papi_backend(papi_emulated_events());
  ASSERT_TRUE(backend->refused().empty());
  std::size_t events = 0;
  for (const auto& group : backend->groups()) {
    EXPECT_LE(group.events.size(), 40U);
    EXPECT_TRUE(group.emulated && group.whole_team && group.repeats_exactly);
    events += group.events.size();
  }
  EXPECT_EQ(events, emulated_events().size());
  EXPECT_EQ(backend->groups().size(), (events + 39) / 40);
}

TEST(papi, a_software_defined_event_that_nobody_registered_is_refused_though_papi_says_ok) {
  for (const char* name : {"sde:::plumbline::flops.fp63.add", "sde:::nosuch::X"}) {
    const auto backend = papi_backend({name});
    EXPECT_TRUE(backend->groups().empty());
    ASSERT_EQ(backend->refused().size(), 1U);
    EXPECT_TRUE(backend->refused().front().unknown);
    EXPECT_EQ(backend->refused().front().why.status, Status::unavailable);
  }
}

TEST(papi, an_event_that_papi_does_not_know_is_refused_in_its_words) {
  const auto backend = papi_backend({"perf::NO-SUCH-EVENT"});
  ASSERT_EQ(backend->refused().size(), 1U);
  EXPECT_NE(backend->refused().front().why.reason.find("PAPI_"), std::string::npos);
}

TEST(papi_native, off_the_emulator_its_events_are_no_numbers) {
  if (under_emulator()) GTEST_SKIP() << "SKIP: this process runs under the emulator";
  if (emulated_events().empty()) GTEST_SKIP() << "SKIP: the emulator is not compiled in";
  const auto backend = papi_backend({sde("loads")});
  ASSERT_EQ(backend->groups().size(), 1U);
  backend->prepare(0, 1);
  backend->open(0);
  backend->simulator()->enter(0);
  backend->simulator()->leave(0);
  backend->close(0);
  const auto readings = backend->readings(0);
  EXPECT_EQ(readings.at(0).status, Status::unavailable);
  EXPECT_EQ(readings.at(0).raw, 0U);
  EXPECT_FALSE(readings.at(0).reason.empty());
}

TEST(papi_native, counts_in_this_process_for_each_thread) {
  if (under_emulator()) GTEST_SKIP() << "SKIP: the kernel's counters are for a run without the emulator";
  const auto backend = papi_backend({"perf::PAGE-FAULTS"});
  if (!backend->refused().empty()) GTEST_SKIP() << "SKIP: " << backend->refused().front().why.reason;
  const ThreadTeam team(2);
  backend->prepare(0, 2);
  team.run([&](int t) { backend->open(t); });
  constexpr std::size_t pages = 64;
  team.run([&](int t) {
    backend->enter(t);
    const std::vector<char> touched((t == 0 ? 1 : 16) * pages * 4096, 1);
    backend->leave(t);
    EXPECT_EQ(touched.back(), 1);
  });
  team.run([&](int t) { backend->close(t); });
  for (int t = 0; t < 2; ++t) {
    const Reading reading = backend->readings(t).at(0);
    ASSERT_EQ(reading.status, Status::ok) << reading.reason;
    EXPECT_GE(reading.raw, (t == 0 ? 0U : pages));
  }
}

TEST(papi_emulated, sums_of_a_team_equal_what_the_emulator_counted_in_the_same_region) {
  NEEDS_EMULATOR;
  const auto all = emulated_events();
  for (const int threads : {1, 3}) {
    const auto backend = papi_backend({sde("loads"), sde("instructions"), sde("flops.fp64.mul"), sde("bytes.L1-L2.demand_read")});
    ASSERT_EQ(backend->groups().size(), 1U);
    const ThreadTeam team(threads);
    backend->simulator()->set_counting(false);
    backend->prepare(0, threads);
    team.run([&](int t) { backend->open(t); });
    Simulator& around = *backend->simulator();
    std::vector<std::vector<double>> values(3, std::vector<double>(5000, 1));
    around.set_counting(true);
    double sums[3]{};
    team.run([&](int t) {
      around.enter(t);
      sums[t] = sum_of(values[static_cast<std::size_t>(t)]);
      around.leave(t);
    });
    around.set_counting(false);
    team.run([&](int t) { backend->close(t); });
    EXPECT_EQ(sums[0], 7500);
    for (const Reading& reading : backend->readings(0)) {
      std::uint64_t emulated = 0;
      for (int t = 0; t < threads; ++t)
        for (const Reading& one : around.readings(t))
          if (sde(std::string(one.event)) == reading.event) emulated += one.raw;
      EXPECT_EQ(reading.status, Status::ok) << reading.reason;
      EXPECT_EQ(reading.raw, emulated) << reading.event << ", " << threads << " threads";
      EXPECT_GT(reading.raw, 0U) << reading.event;
    }
  }
}

TEST(papi_emulated, a_second_running_set_of_a_thread_is_a_failure_in_papis_words) {
  NEEDS_EMULATOR;
  const auto first = papi_backend({sde("loads")}), second = papi_backend({sde("stores")});
  first->prepare(0, 1);
  second->prepare(0, 1);
  first->open(0);
  second->open(0);
  second->close(0);
  first->close(0);
  const Reading refused = second->readings(0).at(0);
  EXPECT_EQ(refused.status, Status::failed);
  EXPECT_NE(refused.reason.find("PAPI_start"), std::string::npos) << refused.reason;
  EXPECT_EQ(first->readings(0).at(0).status, Status::ok);
}

TEST(papi_emulated, a_counter_made_of_the_emulated_ones_goes_the_same_way) {
  NEEDS_EMULATOR;
  const auto all = emulated_events();
  const auto loads = static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [](const EventDescription& event) { return event.name == "loads"; }) - all.begin());
  sde_counter("test.loads_twice_and_7", "wrong on purpose",
              [loads, asked = 0]() mutable { return 2 * emulated_total(loads) + 7 * asked++; });
  const auto backend = papi_backend({sde("loads"), sde("test.loads_twice_and_7")});
  ASSERT_EQ(backend->groups().size(), 1U);
  EXPECT_FALSE(backend->groups().front().repeats_exactly);
  backend->simulator()->set_counting(false);
  backend->prepare(0, 1);
  backend->open(0);
  Simulator& around = *backend->simulator();
  const std::vector<double> values(1000, 1);
  around.set_counting(true);
  around.enter(0);
  const double sum = sum_of(values);
  around.leave(0);
  around.set_counting(false);
  backend->close(0);
  EXPECT_EQ(sum, 1500);
  const auto readings = backend->readings(0);
  EXPECT_GT(readings[0].raw, 0U);
  EXPECT_EQ(readings[1].raw, 2 * readings[0].raw + 7) << "asked once at the start and once at the stop";
}

}  // namespace
}  // namespace plumbline
