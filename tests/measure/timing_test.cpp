#include "measure/timing.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>
#include <vector>

#include "measure/clock.hpp"
#include "measure/repeating.hpp"
#include "measure/stolen_time.hpp"
#include "measure/stopwatch.hpp"
#include "tests/measure/measured_case.hpp"

namespace plumbline {
namespace {

Case triad(std::int64_t n, std::string_view level) { return measured_case("validation/triad", {{"n", n}}, level); }

TEST(time_case, keeps_every_repetition_and_its_clock) {
  Synchronization alone;
  const auto timed = time_case(triad(10000, "O3"), {.min_seconds = 0.001, .max_repetitions = 7}, ThreadTeam(1), alone);
  ASSERT_EQ(timed.status, Status::ok) << timed.reason;
  EXPECT_GE(timed.repetitions.size(), 5U);
  EXPECT_LE(timed.repetitions.size(), 7U);
  for (const auto& repetition : timed.repetitions) {
    EXPECT_GT(repetition.seconds, 0);
    EXPECT_LE(repetition.rank_seconds, repetition.seconds * 1.000001);
    EXPECT_GT(repetition.clock_hz, 1e8);
  }
  EXPECT_LE(timed.error, timed.tolerance);
}

TEST(time_case, works_with_more_threads_than_parts) {
  Synchronization alone;
  const auto timed = time_case(triad(8, "O0"), {.min_seconds = 0.0001, .max_repetitions = 5}, ThreadTeam(3), alone);
  EXPECT_EQ(timed.status, Status::ok) << timed.reason;
}

TEST(time_case, times_each_phase_of_an_application_beside_the_whole) {
  const Case heat = measured_case("proxies/heat2d", {{"n", 100}, {"steps", 3}}, "O0", 2);
  Synchronization alone;
  const auto timed = time_case(heat, {.min_seconds = 0.001, .max_repetitions = 5}, ThreadTeam(2), alone);
  ASSERT_EQ(timed.status, Status::ok) << timed.reason;
  double least_update = 1, least_total = 1;
  for (const auto& repetition : timed.repetitions) {
    ASSERT_EQ(repetition.phases.size(), 5U);
    double sum = 0;
    for (const auto& phase : repetition.phases) {
      EXPECT_GT(phase.seconds, 0);
      sum += phase.seconds;
    }
    EXPECT_LE(sum, repetition.seconds * 1.001);
    least_update = std::min(least_update, repetition.phases[1].seconds);
    least_total = std::min(least_total, repetition.phases[3].seconds);
  }
  EXPECT_GT(least_update, least_total) << "30000 points against a sum of 100";
}

TEST(time_case, finds_a_wrong_result) {
  Case broken = triad(1000, "O3");
  broken.flavor.sweep = [](const void*, std::size_t, std::size_t) {};
  Synchronization alone;
  const auto timed = time_case(broken, {}, ThreadTeam(1), alone);
  EXPECT_EQ(timed.status, Status::wrong_result) << timed.reason;
  EXPECT_TRUE(timed.repetitions.empty());
  EXPECT_NE(timed.reason.find("computed 3 times more here: wrong 3 times"), std::string::npos) << timed.reason;
}

int sweeps_so_far = 0;

/// A triad whose first element, of the array that its arguments begin with, is right after the first sweep alone.
Case wrong_under_load() {
  Case measured = triad(1000, "O3");
  static Sweep right = nullptr;
  right = measured.flavor.sweep;
  sweeps_so_far = 0;
  measured.flavor.sweep = [](const void* arguments, std::size_t begin, std::size_t end) {
    right(arguments, begin, end);
    if (++sweeps_so_far > 1) (*static_cast<double* const*>(arguments))[begin] = 1e9;
  };
  return measured;
}

TEST(time_case, looks_at_the_result_that_the_timed_sweeps_leave) {
  Synchronization alone;
  const auto timed = time_case(wrong_under_load(), {.min_seconds = 0.001}, ThreadTeam(1), alone);
  EXPECT_EQ(timed.status, Status::wrong_result) << timed.reason;
  EXPECT_TRUE(timed.repetitions.empty());
  EXPECT_NE(timed.reason.find("right before the"), std::string::npos) << timed.reason;
  EXPECT_NE(timed.reason.find("wrong 3 times"), std::string::npos) << timed.reason;
}

TEST(time_case, says_of_a_wrong_result_that_did_not_come_again_that_it_did_not) {
  Case once = triad(1000, "O3");
  static Sweep right = nullptr;
  right = once.flavor.sweep;
  sweeps_so_far = 0;
  once.flavor.sweep = [](const void* arguments, std::size_t begin, std::size_t end) {
    if (sweeps_so_far++ > 0) right(arguments, begin, end);
  };
  Synchronization alone;
  const auto timed = time_case(once, {}, ThreadTeam(1), alone);
  EXPECT_EQ(timed.status, Status::wrong_result);
  EXPECT_NE(timed.reason.find("wrong 0 times"), std::string::npos) << timed.reason;
}

TEST(time_case, reports_memory_that_cannot_be_had_as_a_value) {
  Synchronization alone;
  const auto timed = time_case(triad(std::int64_t{1} << 55, "O3"), {}, ThreadTeam(1), alone);
  EXPECT_EQ(timed.status, Status::failed);
  EXPECT_NE(timed.reason.find("cannot prepare"), std::string::npos);
}

/// A core that lowers its clock for wide vectors: low from a sweep on until the thread waits for the others again.
thread_local bool met_wide_vectors = false;
double clock_of_such_a_core() { return std::exchange(met_wide_vectors, false) ? 2.0e9 : 3.5e9; }

Repetition measured_on_such_a_core(int threads, Synchronization& team) {
  Case measured = triad(1000, "O3");
  measured.flavor.sweep = [](const void*, std::size_t, std::size_t) { met_wide_vectors = true; };
  Prepared prepared(measured, threads);
  const ThreadTeam all(threads);
  all.run([&](int thread) { prepared.initialise(thread); });
  Stopwatch watch(prepared, all, team, clock_of_such_a_core);
  watch.measure(1);
  return watch.measure(3);
}

TEST(Stopwatch, the_clock_is_that_of_a_core_that_comes_from_the_kernel) {
  Synchronization alone;
  EXPECT_EQ(measured_on_such_a_core(1, alone).clock_hz, 2.0e9);
  EXPECT_EQ(measured_on_such_a_core(2, alone).clock_hz, 2.0e9);
}

/// A clock of a boost that falls from look to look, by a hundredth each time.
double looks_so_far = 0;
double falling_clock() { return 3e9 - 3e7 * looks_so_far++; }

TEST(Stopwatch, a_boost_that_falls_meanwhile_does_not_lower_the_clock_of_a_rate) {
  Synchronization alone;
  Case measured = triad(1000, "O3");
  Prepared prepared(measured, 1);
  const ThreadTeam one(1);
  one.run([&](int thread) { prepared.initialise(thread); });
  Stopwatch watch(prepared, one, alone, falling_clock);
  looks_so_far = 0;
  EXPECT_EQ(watch.measure(1).clock_hz, 3e9);
  EXPECT_EQ(watch.measure(1).clock_hz, 3e9 - 2 * 3e7);
}

/// A team of this rank and one more, whose cores run at half the clock.
class WithASlowerRank : public Synchronization {
 public:
  double sum(double value) override { return value > 1e8 ? 1.5 * value : 2 * value; }
};

TEST(Stopwatch, the_clock_of_a_team_is_the_mean_over_its_ranks) {
  WithASlowerRank team;
  const Repetition repetition = measured_on_such_a_core(2, team);
  EXPECT_EQ(repetition.clock_hz, 1.5e9);
  EXPECT_EQ(repetition.rank_clock_hz, 2.0e9);
}

TEST(Stopwatch, stolen_time_is_summed_over_the_cpus_of_all_ranks_and_absent_where_one_is_not_told) {
  constexpr std::uint64_t sweeps = 10000;  // some milliseconds: stolen time that the system had still to take off is no more
  const auto measured_with = [](const std::vector<double>& told, Synchronization& team) {
    const Case measured = triad(1000, "O3");
    Prepared prepared(measured, 1);
    const ThreadTeam alone(1);
    alone.run([&](int thread) { prepared.initialise(thread); });
    std::size_t asked = 0;
    Stopwatch watch(prepared, alone, team, core_clock_hz, [&](std::span<const int> cpus) {
      EXPECT_EQ(cpus.size(), 1U);
      return StolenTime{told.at(asked++), ""};
    });
    return watch.measure(sweeps);
  };
  WithASlowerRank two;
  const Repetition repetition = measured_with({1.25, 1.75}, two);
  EXPECT_EQ(repetition.rank_steal_seconds, 0.5);
  EXPECT_EQ(repetition.steal_seconds, 1.0);
  EXPECT_EQ(repetition.sweeps, sweeps);
  EXPECT_GT(repetition.rank_cpu_share, 0);
  EXPECT_LE(repetition.rank_cpu_share, 1);
  EXPECT_DOUBLE_EQ(repetition.mean_cpu_share, repetition.rank_cpu_share);  // both sums double
  Synchronization alone;
  EXPECT_TRUE(std::isnan(measured_with({1.25, absent}, alone).steal_seconds));
}

class AnotherRankFails : public Synchronization {
 public:
  bool any(bool) override { return true; }
};

TEST(time_case, gives_up_with_a_rank_that_failed) {
  AnotherRankFails team;
  const auto timed = time_case(triad(1000, "O3"), {}, ThreadTeam(1), team);
  EXPECT_EQ(timed.status, Status::failed);
  EXPECT_EQ(timed.reason, "another rank of the team failed");
  EXPECT_EQ(timed.failed_at, FailedAt::another_rank);
}

TEST(sweeps_lasting, a_pause_of_the_thread_does_not_pass_for_long_sweeps) {
  int calls = 0;
  const auto paused_in_call = [&](int paused) {
    calls = 0;
    return [&calls, paused](std::uint64_t sweeps) { return 1e-6 * static_cast<double>(sweeps) + (++calls == paused ? 4e-3 : 0); };
  };
  for (int paused = 0; paused < 5; ++paused) {
    const std::uint64_t sweeps = sweeps_lasting(1e-3, paused_in_call(paused));
    EXPECT_GE(sweeps, 1000U) << paused;
    EXPECT_LE(sweeps, 1500U) << paused;
  }
}

TEST(sweeps_lasting, what_lasts_longer_than_a_pause_is_not_tried_again) {
  int calls = 0;
  EXPECT_EQ(sweeps_lasting(1e-3, [&](std::uint64_t) { return ++calls, 5.0; }), 1U);
  EXPECT_EQ(calls, 1);
}

/// Repetitions as they are told, then the last one for ever.
class Told {
 public:
  explicit Told(std::vector<double> cpu_shares) : cpu_shares_(std::move(cpu_shares)) {}
  Timed timed(const TimingProtocol& protocol) {
    Timed all;
    Synchronization alone;
    repeat_until_known([this] { return next(); }, protocol, now_seconds(), 1, alone, all);
    return all;
  }

 private:
  Repetition next() {
    const double share = cpu_shares_[std::min(made_++, cpu_shares_.size() - 1)];
    Repetition repetition{};
    repetition.seconds = 1e-3 / share;
    repetition.clock_hz = 3e9;
    repetition.mean_cpu_share = share;
    repetition.sweeps = 20;
    return repetition;
  }

  std::vector<double> cpu_shares_;
  std::size_t made_ = 0;
};

constexpr TimingProtocol patient{.ci_relative = 0.02, .max_repetitions = 50, .min_repetitions = 5, .budget_seconds = 1e9};

TEST(repeat_until_known, measures_disturbed_repetitions_again_and_keeps_them) {
  EXPECT_EQ(Told({1}).timed(patient).repetitions.size(), 5U);
  const Timed timed = Told({0.5, 0.5, 0.5, 0.5, 0.5, 1}).timed(patient);
  EXPECT_EQ(timed.repetitions.size(), 10U);
  EXPECT_EQ(timed.repetitions.front().seconds, 2e-3);
}

TEST(repeat_until_known, gives_up_on_a_disturbance_that_stays) { EXPECT_EQ(Told({0.5}).timed(patient).repetitions.size(), 15U); }

TEST(repeat_until_known, a_team_that_shares_cores_does_not_wait_for_a_quiet_moment) {
  TimingProtocol shared = patient;
  shared.quiet = false;
  EXPECT_EQ(Told({0.5}).timed(shared).repetitions.size(), 5U);
}

TEST(repeat_until_known, a_spent_budget_ends_the_wait_for_a_quiet_moment) {
  TimingProtocol spent = patient;
  spent.budget_seconds = -1;
  EXPECT_EQ(Told({0.5}).timed(spent).repetitions.size(), 5U);
}

TEST(stolen_time, is_the_eighth_number_of_a_cpu_in_ticks) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / ("stolen_time." + std::to_string(getpid()));
  std::filesystem::create_directories(root / "proc");
  std::ofstream(root / "proc/stat") << "cpu  9 9 9 9 9 9 9 999 9 9\ncpu0 1 2 3 4 5 6 7 100 9 10\ncpu1 1 2 3 4 5 6 7 250 9 10\n"
                                       "cpu11 1 2 3 4 5 6 7 9000 0 0\ncpu12 1 2 3\nintr 5\n";
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(stolen_time(std::vector{0, 1}, root).seconds, 350 * tick);
  EXPECT_DOUBLE_EQ(stolen_time(std::vector{11}, root).seconds, 9000 * tick);
  EXPECT_NE(stolen_time(std::vector{12}, root).why_not.find("cpu12"), std::string::npos);
  EXPECT_TRUE(std::isnan(stolen_time(std::vector{0, 2}, root).seconds));
  const StolenTime nowhere = stolen_time(std::vector{0}, root / "nothing");
  EXPECT_TRUE(std::isnan(nowhere.seconds));
  EXPECT_NE(nowhere.why_not.find("cannot be read"), std::string::npos);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace plumbline
