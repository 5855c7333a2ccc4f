#include "measure/counting.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "core/case.hpp"
#include "core/kernel.hpp"
#include "tests/measure/measured_case.hpp"

namespace plumbline {
namespace {

/// Counts the calls that it gets: what a counting pass does, in order.
class Recording final : public Backend {
 public:
  explicit Recording(bool whole_team) : groups_{{.events = {"entries"}, .whole_team = whole_team}} {}
  std::string_view name() const override { return "recording"; }
  Availability availability() const override { return {}; }
  const std::vector<EventGroup>& groups() const override { return groups_; }
  void prepare(std::size_t, int threads) override {
    ++prepared;
    entries_.assign(static_cast<std::size_t>(threads), 0);
  }
  void open(int) noexcept override { ++open_; }
  void close(int) noexcept override { --open_; }
  void enter(int) noexcept override { entered_before_open = entered_before_open || open_ == 0; }
  void leave(int thread) noexcept override { ++entries_[static_cast<std::size_t>(thread)]; }
  std::vector<Reading> readings(int thread) const override {
    read_while_open = read_while_open || open_ != 0;
    return {{"entries", entries_[static_cast<std::size_t>(thread)]}};
  }

  int prepared = 0;
  bool entered_before_open = false;
  mutable bool read_while_open = false;

 private:
  std::vector<EventGroup> groups_;
  std::vector<std::uint64_t> entries_;
  std::atomic<int> open_{0};
};

Case triad(int threads) { return measured_case("validation/triad", {{"n", 1000}}, "O3", threads); }

CountedCase count(Backend& backend, int threads, const CountingProtocol& protocol) {
  Synchronization alone;
  const ThreadTeam team(threads);
  return count_case(triad(threads), backend, 0, team, protocol, alone);
}

TEST(counting, every_repetition_has_an_empty_region_of_as_many_sweeps) {
  Recording backend(false);
  const CountedCase counted = count(backend, 2, {.repetitions = 5, .min_seconds = 1e-3});
  ASSERT_EQ(counted.status, Status::ok) << counted.reason;
  ASSERT_EQ(counted.repetitions.size(), 5U);
  EXPECT_EQ(backend.prepared, 10);
  for (const auto& repetition : counted.repetitions) {
    ASSERT_EQ(repetition.kernel.size(), 2U);
    for (int t = 0; t < 2; ++t) {
      EXPECT_EQ(repetition.kernel[static_cast<std::size_t>(t)][0].raw, 1U) << "one entry";
      EXPECT_EQ(repetition.empty[static_cast<std::size_t>(t)][0].raw, 1U);
    }
    EXPECT_EQ(repetition.sweeps, counted.repetitions.front().sweeps);
  }
  EXPECT_FALSE(backend.entered_before_open);
  EXPECT_FALSE(backend.read_while_open);
}

TEST(counting, a_region_is_one_sweep_unless_it_has_to_last) {
  Recording backend(false);
  EXPECT_EQ(count(backend, 1, {}).repetitions.at(0).sweeps, 1U);
  EXPECT_GT(count(backend, 1, {.repetitions = 1, .min_seconds = 0.1}).repetitions.at(0).sweeps, 1U);
}

TEST(counting, of_an_application_each_phase_is_entered_by_itself_and_exchanges_never) {
  Recording backend(false);
  Synchronization alone;
  const Case heat = measured_case("proxies/heat2d", {{"n", 40}, {"steps", 3}}, "O3", 2);
  const CountedCase counted = count_case(heat, backend, 0, ThreadTeam(2), {}, alone);
  ASSERT_EQ(counted.status, Status::ok) << counted.reason;
  const std::vector<std::uint64_t> entries_of_phase{0, 3, 1, 1, 0};  // halo, update, energy, total, sum
  ASSERT_EQ(counted.phases.size(), entries_of_phase.size());
  for (std::size_t thread = 0; thread < 2; ++thread) {
    EXPECT_EQ(counted.repetitions.at(0).kernel[thread][0].raw, 5U) << "the whole";
    for (std::size_t phase = 0; phase < entries_of_phase.size(); ++phase) {
      EXPECT_EQ(counted.phases[phase].at(0).kernel[thread][0].raw, entries_of_phase[phase]) << phase;
      EXPECT_EQ(counted.phases[phase].at(0).empty[thread][0].raw, entries_of_phase[phase]) << phase;
    }
  }
}

std::uint64_t swept = 0;

/// A workload whose sweeps are undone where the test says so.
class Swept final : public Workload {
 public:
  explicit Swept(bool undone) : undone_(undone) {}
  std::size_t extent() const override { return 1; }
  void initialise(std::size_t, std::size_t) override { swept = 0; }
  const void* arguments() const override { return nullptr; }
  bool restores() const override { return undone_; }
  void restore(std::size_t, std::size_t) override { ++restored; }
  double error() const override { return 0; }
  double tolerance() const override { return 0; }
  static inline std::uint64_t restored = 0;

 private:
  bool undone_;
};

template <bool undone>
const Kernel& swept_kernel() {
  static const Kernel kernel{.name = "test/swept",
                             .summary = "",
                             .parameters = {},
                             .precisions = {"fp64"},
                             .model = [](const Parameters&, std::string_view, std::string_view) { return Work{}; },
                             .prepare = [](const Parameters&, std::string_view, std::pmr::memory_resource&) -> std::unique_ptr<Workload> {
                               return std::make_unique<Swept>(undone);
                             },
                             .count = {},
                             .flavors = {}};
  return kernel;
}

RegionCounts count_swept(const Kernel& kernel) {
  const auto sweep = [](const void*, std::size_t, std::size_t) { ++swept; };
  Recording backend(false);
  Synchronization alone;
  Swept::restored = 0;
  const Case measured{.kernel = &kernel, .parameters = {}, .precision = "fp64", .flavor = {"O3", "fp64", sweep}, .team = {1, 1}};
  return count_case(measured, backend, 0, ThreadTeam(1), {.repetitions = 1, .min_seconds = 60}, alone).repetitions.at(0);
}

TEST(counting, sweeps_share_one_entry_unless_each_is_undone) {
  const RegionCounts together = count_swept(swept_kernel<false>());
  EXPECT_GT(together.sweeps, 1U);
  EXPECT_EQ(together.kernel[0][0].raw, 1U);
  EXPECT_EQ(swept, together.sweeps + 3) << "two to find how many, and a warm one";
  const RegionCounts apart = count_swept(swept_kernel<true>());
  EXPECT_GT(apart.sweeps, 1U);
  EXPECT_EQ(apart.kernel[0][0].raw, apart.sweeps);
  EXPECT_EQ(swept, apart.sweeps + 3);
  EXPECT_EQ(Swept::restored, 2 * (apart.sweeps + 1) + 2) << "after each sweep, and after each of the empty region's";
}

TEST(counting, a_group_of_the_whole_team_is_read_once) {
  Recording backend(true);
  EXPECT_EQ(count(backend, 2, {}).repetitions.at(0).kernel.size(), 1U);
}

/// A team of which another rank has no memory.
class Unlucky final : public Synchronization {
 public:
  bool any(bool) override { return true; }
  void barrier() override { ADD_FAILURE() << "nobody else is there to be met"; }
};

TEST(counting, a_rank_goes_no_further_than_its_team) {
  Recording backend(false);
  Unlucky team;
  const ThreadTeam threads(1);
  const CountedCase counted = count_case(triad(1), backend, 0, threads, {.repetitions = 5}, team);
  EXPECT_EQ(counted.status, Status::failed);
  EXPECT_EQ(counted.reason, "another rank of the team could not prepare the case");
  EXPECT_EQ(counted.failed_at, FailedAt::another_rank);
  EXPECT_TRUE(counted.repetitions.empty());
}

}  // namespace
}  // namespace plumbline
