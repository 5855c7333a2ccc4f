#include "measure/gpu_counting.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/kernel.hpp"
#include "tests/cuda/standin/stand_in_gpu.hpp"

namespace plumbline {
namespace {

int value = 0, sweeps_counted = 0, prepared = 0;  // of the data, which a sweep changes and restoring resets

class Changed final : public Workload {
 public:
  std::size_t extent() const override { return 1; }
  void initialise(std::size_t, std::size_t) override { value = 1; }
  const void* arguments() const override { return &value; }
  bool restores() const override { return true; }
  void restore(std::size_t, std::size_t) override { value = 1; }
  double error() const override { return 0; }
  double tolerance() const override { return 0; }
};

Case changing(std::uint64_t bytes = 8) {
  static std::uint64_t needed;
  needed = bytes;
  static const Kernel kernel{
      .name = "test/changing",
      .summary = "",
      .parameters = {},
      .precisions = {"fp64"},
      .model = [](const Parameters&, std::string_view, std::string_view) { return Work{}; },
      .prepare = [](const Parameters&, std::string_view, std::pmr::memory_resource& memory) -> std::unique_ptr<Workload> {
        memory.deallocate(memory.allocate(needed), needed);
        ++prepared;
        return std::make_unique<Changed>();
      },
      .count = {},
      .flavors = {},
      .space = Space::cuda};
  const Sweep sweep = [](const void*, std::size_t, std::size_t) { ++value, ++sweeps_counted; };
  return {.kernel = &kernel, .parameters = {}, .precision = "fp64", .flavor = {"cuda13-sm_90a", "fp64", sweep}, .team = {}};
}

GpuProperties small() {
  GpuProperties properties{};
  properties.memory_bytes = 1 << 20;
  return properties;
}

/// Counts the sweeps of the region, over its passes, and what the data were when it was entered.
class SweepCounter final : public MultiPass {
 public:
  explicit SweepCounter(int passes, Availability refused = {})
      : groups_{{.events = {"unused"}}, {.events = {"sweeps"}}}, needed_(passes), refused_(std::move(refused)) {}

  std::string_view name() const override { return "sweeps"; }
  Availability availability() const override { return {}; }
  const std::vector<EventGroup>& groups() const override { return groups_; }
  void prepare(std::size_t group, int threads) override {
    EXPECT_EQ(group, 1U);
    EXPECT_EQ(threads, 1);
    swept_ = 0, entries_ = 0, is_open_ = false, ++regions;
  }
  void open(int) noexcept override { is_open_ = true; }
  void close(int) noexcept override { is_open_ = false; }
  void enter(int) noexcept override {
    EXPECT_TRUE(is_open_);
    EXPECT_EQ(value, 1) << "the data are not as before the first sweep";
    before_ = sweeps_counted;
    ++entries_;
  }
  void leave(int) noexcept override {
    swept_ += sweeps_counted - before_;
    order.push_back(sweeps_counted == before_ ? 'e' : 'k');
  }
  void expect(std::size_t entries) override { EXPECT_EQ(entries, 1U); }
  void begin_pass() noexcept override {}
  void end_pass() noexcept override {}
  bool wants_another_pass() const noexcept override { return entries_ < needed_; }
  std::vector<Reading> readings(int) const override {
    if (swept_ == 0 && !refused_empty.ok()) return {{.event = "sweeps", .status = refused_empty.status, .reason = refused_empty.reason}};
    if (no_number_below > swept_) return {{.event = "sweeps", .status = Status::failed, .reason = "no number", .no_number = true}};
    if (!refused_.ok()) return {{.event = "sweeps", .status = refused_.status, .reason = refused_.reason}};
    EXPECT_EQ(entries_, needed_) << "whatever was planned";
    return {{.event = "sweeps", .raw = static_cast<std::uint64_t>(swept_ / needed_)}};
  }

  void release() noexcept override { ++releases; }

  int regions = 0, releases = 0, no_number_below = 0;
  Availability refused_empty = {};
  std::string order;  // of the entries: k with a kernel, e empty

 private:
  std::vector<EventGroup> groups_;
  int needed_;  // passes, as this GPU takes them
  Availability refused_;
  int swept_ = 0, entries_ = 0, before_ = 0;
  bool is_open_ = false;
};

TEST(count_on_gpu, each_repetition_is_one_sweep_behind_a_warm_one_and_the_empty_region_comes_once_and_after_it) {
  StandInGpu gpu(small());
  SweepCounter backend(1);
  sweeps_counted = 0;
  const CountedCase counted = count_on_gpu(changing(), backend, 1, 3, gpu);
  ASSERT_EQ(counted.status, Status::ok) << counted.reason;
  ASSERT_EQ(counted.repetitions.size(), 3U);
  for (const RegionCounts& one : counted.repetitions) {
    EXPECT_EQ(one.empty.at(0).at(0).raw, 0U);
    EXPECT_EQ(one.kernel.at(0).at(0).raw, 1U);
    EXPECT_EQ(one.sweeps, 1U);
  }
  EXPECT_EQ(sweeps_counted, 1 + 3 * 2) << "one prepares the data, and each region of the kernel has a warm one";
  EXPECT_EQ(backend.order, "kekk");
}

TEST(count_on_gpu, an_empty_region_that_is_refused_counts_nothing_and_leaves_a_note) {
  StandInGpu gpu(small());
  SweepCounter backend(1);
  backend.refused_empty = {Status::failed, "CUPTI counted 0 ranges"};
  const CountedCase counted = count_on_gpu(changing(), backend, 1, 2, gpu);
  ASSERT_EQ(counted.status, Status::ok) << counted.reason;
  ASSERT_EQ(counted.repetitions.size(), 2U);
  for (const RegionCounts& one : counted.repetitions) {
    EXPECT_EQ(one.kernel.at(0).at(0).raw, 1U);
    EXPECT_EQ(one.empty.at(0).at(0).status, Status::ok);
    EXPECT_EQ(one.empty.at(0).at(0).raw, 0U);
    EXPECT_EQ(one.empty.at(0).at(0).reason, "nothing is subtracted, for the empty region has no count: CUPTI counted 0 ranges");
  }
}

TEST(CountingOnGpu, counts_the_empty_region_once_for_all_cases) {
  StandInGpu gpu(small());
  SweepCounter backend(1);
  EmptyRegions empties;
  for (int i = 0; i < 3; ++i) {
    const Case measured = changing();
    const CountedCase counted = CountingOnGpu(measured, gpu, empties).count(backend, 1, 2);
    ASSERT_EQ(counted.status, Status::ok) << counted.reason;
    EXPECT_EQ(counted.repetitions.at(1).empty.at(0).at(0).event, "sweeps");
  }
  EXPECT_EQ(backend.order, "kekkkkk");
  EXPECT_EQ(backend.releases, 0) << "whoever goes on with other groups and cases releases";
}

TEST(count_on_gpu, a_group_of_several_passes_sweeps_the_same_data_as_often) {
  StandInGpu gpu(small());
  SweepCounter backend(4);
  const CountedCase counted = count_on_gpu(changing(), backend, 1, 1, gpu);
  EXPECT_EQ(counted.repetitions.at(0).kernel.at(0).at(0).raw, 1U);
}

TEST(CountingOnGpu, prepares_a_case_once_for_all_its_groups) {
  StandInGpu gpu(small());
  SweepCounter backend(2);
  const Case measured = changing();
  EmptyRegions empties;
  CountingOnGpu counting(measured, gpu, empties);
  prepared = 0;
  for (int group = 0; group < 3; ++group) {
    const CountedCase counted = counting.count(backend, 1, 2);
    ASSERT_EQ(counted.status, Status::ok) << counted.reason;
    EXPECT_EQ(counted.repetitions.at(1).kernel.at(0).at(0).raw, 1U);
  }
  EXPECT_EQ(prepared, 1);
}

TEST(count_on_gpu, refused_counters_are_the_status_and_are_not_tried_again) {
  StandInGpu gpu(small());
  SweepCounter backend(1, {Status::permission, "this user may not"});
  const CountedCase counted = count_on_gpu(changing(), backend, 1, 5, gpu);
  EXPECT_EQ(counted.status, Status::permission);
  EXPECT_EQ(counted.reason, "this user may not");
  ASSERT_EQ(counted.repetitions.size(), 1U) << "so that the refusal has its row";
  EXPECT_EQ(counted.repetitions[0].kernel.at(0).at(0).status, Status::permission);
  EXPECT_EQ(backend.regions, 1);
}

TEST(count_on_gpu, no_number_of_a_region_without_kernels_is_nothing_and_of_the_kernels_region_a_failure) {
  StandInGpu gpu(small());
  SweepCounter backend(1);
  backend.no_number_below = 1;
  const CountedCase counted = count_on_gpu(changing(), backend, 1, 2, gpu);
  ASSERT_EQ(counted.status, Status::ok) << counted.reason;
  ASSERT_EQ(counted.repetitions.size(), 2U);
  EXPECT_EQ(counted.repetitions[1].empty.at(0).at(0).status, Status::ok);
  EXPECT_EQ(counted.repetitions[1].empty.at(0).at(0).raw, 0U);
  EXPECT_EQ(counted.repetitions[1].kernel.at(0).at(0).raw, 1U);
  backend.no_number_below = 2;
  const CountedCase failed = count_on_gpu(changing(), backend, 1, 2, gpu);
  EXPECT_EQ(failed.status, Status::failed);
  EXPECT_EQ(failed.reason, "no number");
  EXPECT_EQ(backend.releases, 2) << "once a group, however it ends";
}

TEST(count_on_gpu, data_that_do_not_fit_are_a_value) {
  StandInGpu gpu(small());
  SweepCounter backend(1);
  const CountedCase counted = count_on_gpu(changing(1 << 21), backend, 1, 1, gpu);
  EXPECT_EQ(counted.status, Status::failed);
  EXPECT_NE(counted.reason.find("too little memory of the GPU"), std::string::npos) << counted.reason;
  EXPECT_EQ(backend.regions, 0);
}

}  // namespace
}  // namespace plumbline
