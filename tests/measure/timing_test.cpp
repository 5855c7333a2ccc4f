#include "measure/timing.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace plumbline {
namespace {

/// By a flavor of that level at the ISA that every machine of this architecture runs: the first one.
Case triad(std::int64_t n, std::string_view level) {
  Case measured{.kernel = find_kernel("validation/triad"), .parameters = {{"n", n}}, .precision = "fp64", .flavor = {}, .team = {}};
  for (const Flavor& flavor : measured.kernel->flavors())
    if (flavor.precision == "fp64" && split_flavor(flavor.name).level == level && measured.flavor.sweep == nullptr)
      measured.flavor = flavor;
  return measured;
}

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

TEST(time_case, finds_a_wrong_result) {
  Case broken = triad(1000, "O3");
  broken.flavor.sweep = [](const void*, std::size_t, std::size_t) {};
  Synchronization alone;
  const auto timed = time_case(broken, {}, ThreadTeam(1), alone);
  EXPECT_EQ(timed.status, Status::failed);
  EXPECT_TRUE(timed.wrong_result);
  EXPECT_TRUE(timed.repetitions.empty());
  EXPECT_NE(timed.reason.find("computed 3 times more here: wrong 3 times"), std::string::npos) << timed.reason;
}

int sweeps_so_far = 0;

/// A triad whose first element, of the array that its arguments begin with, is wrong from the 20th sweep on.
Case wrong_under_load() {
  Case measured = triad(1000, "O3");
  static Sweep right = nullptr;
  right = measured.flavor.sweep;
  sweeps_so_far = 0;
  measured.flavor.sweep = [](const void* arguments, std::size_t begin, std::size_t end) {
    right(arguments, begin, end);
    if (++sweeps_so_far >= 20) (*static_cast<double* const*>(arguments))[begin] = 1e9;
  };
  return measured;
}

TEST(time_case, looks_at_the_result_that_the_timed_sweeps_leave) {
  Synchronization alone;
  const auto timed = time_case(wrong_under_load(), {.min_seconds = 0.001}, ThreadTeam(1), alone);
  EXPECT_GT(sweeps_so_far, 20);
  EXPECT_EQ(timed.status, Status::failed);
  EXPECT_TRUE(timed.wrong_result);
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
  EXPECT_EQ(timed.status, Status::failed);
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

/// This rank and one more, whose cores run at half the clock.
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

class AnotherRankFails : public Synchronization {
 public:
  bool any(bool) override { return true; }
};

TEST(time_case, gives_up_with_a_rank_that_failed) {
  AnotherRankFails team;
  const auto timed = time_case(triad(1000, "O3"), {}, ThreadTeam(1), team);
  EXPECT_EQ(timed.status, Status::failed);
  EXPECT_EQ(timed.reason, "another rank of the team failed");
}

}  // namespace
}  // namespace plumbline
