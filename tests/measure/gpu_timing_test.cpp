#include "measure/gpu_timing.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "core/kernel.hpp"
#include "core/unavailable.hpp"
#include "tests/cuda/standin/stand_in_gpu.hpp"

namespace plumbline {
namespace {

constexpr double gpu_clock_hz = 1.5e9;

/// Each element is doubled in place: wrong after two sweeps, unless it is restored in between.
class Doubling final : public Workload {
 public:
  struct Arguments {
    double* x;
    std::size_t swept;
  };
  Doubling(std::size_t n, DeviceMemory& memory) : x_(n, memory), arguments_{x_.data(), 0} {}

  std::size_t extent() const override { return x_.size(); }
  std::size_t grain() const override { return 4; }
  void initialise(std::size_t begin, std::size_t end) override {
    x_.fill(begin, end, [](std::size_t) { return 0.5; });
  }
  const void* arguments() const override { return &arguments_; }
  bool restores() const override { return true; }
  void restore(std::size_t begin, std::size_t end) override { initialise(begin, end); }
  double error() const override {
    double worst = 0;
    x_.read(0, x_.size(), [&](std::size_t, double computed) { worst = std::max(worst, std::abs(computed - 1)); });
    return worst;
  }
  double tolerance() const override { return 0; }

 private:
  DeviceArray<double> x_;
  Arguments arguments_;
};

std::size_t last_range = 0, sweeps_made = 0;

void doubled(const void* arguments, std::size_t begin, std::size_t end) {
  const auto& a = *static_cast<const Doubling::Arguments*>(arguments);
  for (std::size_t i = begin; i < end; ++i) a.x[i] *= 2;
  last_range = end - begin;
  ++sweeps_made;
}

Case doubling(std::int64_t n, Sweep sweep = doubled) {
  static const Kernel kernel{
      .name = "test/doubling",
      .summary = "",
      .parameters = {{.name = "n", .preset = std::int64_t{1000}, .description = ""}},
      .precisions = {"fp64"},
      .model =
          [](const Parameters& p, std::string_view, std::string_view) {
            return Work{.streams = {{.array = "x", .footprint_bytes = p.integer("n") * sizeof(double), .read = true, .written = true}}};
          },
      .prepare = [](const Parameters& p, std::string_view, std::pmr::memory_resource& memory) -> std::unique_ptr<Workload> {
        return std::make_unique<Doubling>(p.integer("n"), dynamic_cast<DeviceMemory&>(memory));
      },
      .count = {},
      .flavors = {},
      .space = Space::cuda};
  return {.kernel = &kernel, .parameters = {{"n", n}}, .precision = "fp64", .flavor = {"cuda13-sm_90a", "fp64", sweep}, .team = {}};
}

GpuProperties stand_in(std::uint64_t memory_bytes) {
  GpuProperties properties{};
  properties.name = "stand-in GPU";
  properties.clock_hz = gpu_clock_hz;
  properties.memory_bytes = memory_bytes;
  return properties;
}

constexpr TimingProtocol quickly{.min_seconds = 0.0005, .max_repetitions = 6, .budget_seconds = 0.05};

TEST(time_on_gpu, keeps_every_repetition_with_the_clock_of_the_gpu_and_nothing_of_a_cpu) {
  StandInGpu gpu(stand_in(1 << 20));
  const Timed timed = time_on_gpu(doubling(1000), quickly, gpu);
  ASSERT_EQ(timed.status, Status::ok) << timed.reason;
  EXPECT_GE(timed.repetitions.size(), 5U);
  EXPECT_LE(timed.repetitions.size(), 6U);
  for (const Repetition& repetition : timed.repetitions) {
    EXPECT_GT(repetition.seconds, 0);
    EXPECT_EQ(repetition.rank_seconds, repetition.seconds);
    EXPECT_EQ(repetition.clock_hz, gpu_clock_hz);
    EXPECT_TRUE(std::isnan(repetition.sentinel) && std::isnan(repetition.cpu_share));
  }
  EXPECT_EQ(timed.error, 0);
  EXPECT_EQ(gpu.free_bytes(), 1U << 20) << "memory was kept";
}

TEST(time_on_gpu, tells_a_wrong_result_and_how_often_it_comes_again) {
  StandInGpu gpu(stand_in(1 << 20));
  const Timed timed = time_on_gpu(doubling(1000, [](const void*, std::size_t, std::size_t) {}), quickly, gpu);
  EXPECT_EQ(timed.status, Status::wrong_result) << timed.reason;
  EXPECT_TRUE(timed.repetitions.empty());
  EXPECT_NE(timed.reason.find("in flavor cuda13-sm_90a; computed 3 times more here: wrong 3 times"), std::string::npos) << timed.reason;
}

TEST(time_on_gpu, tells_what_memory_a_case_needs_and_what_is_free_where_it_does_not_fit) {
  StandInGpu gpu(stand_in(1'000'000'000));
  const Timed timed = time_on_gpu(doubling(250'000'000), quickly, gpu);
  EXPECT_EQ(timed.status, Status::failed);
  EXPECT_EQ(timed.reason, "cannot prepare the case on the GPU: too little memory of the GPU: the arrays take 2 GB, 1 GB are free");
}

// The kernel throws as cuBLAS's does where it has no product of a type for a GPU.
TEST(time_on_gpu, what_this_machine_cannot_have_is_unavailable_with_its_reason_and_no_failure) {
  StandInGpu gpu(stand_in(1 << 20));
  Case refused = doubling(1000);
  Kernel kernel = *refused.kernel;
  kernel.prepare = [](const Parameters&, std::string_view, std::pmr::memory_resource&) -> std::unique_ptr<Workload> {
    throw UnavailableHere("no product of these types");
  };
  refused.kernel = &kernel;
  const Timed at_first = time_on_gpu(refused, quickly, gpu);
  EXPECT_EQ(at_first.status, Status::unavailable);
  EXPECT_EQ(at_first.reason, "no product of these types");
  const Timed in_a_sweep =
      time_on_gpu(doubling(1000, [](const void*, std::size_t, std::size_t) { throw UnavailableHere("not on this one"); }), quickly, gpu);
  EXPECT_EQ(in_a_sweep.status, Status::unavailable);
  EXPECT_TRUE(in_a_sweep.repetitions.empty());
}

/// Work that fails on the device is told by the next call that waits.
class FailingGpu final : public Gpu {
 public:
  explicit FailingGpu(int waits) : waits_(waits) {}
  const GpuProperties& properties() const override { return gpu_.properties(); }
  DeviceMemory& memory() override { return gpu_.memory(); }
  std::uint64_t free_bytes() override { return gpu_.free_bytes(); }
  void wait() override { fail_in_time(); }
  void start() override { gpu_.start(); }
  double stop() override {
    fail_in_time();
    return gpu_.stop();
  }
  void mark(std::size_t number) override { gpu_.mark(number); }
  double between_marks(std::size_t first, std::size_t second) override { return gpu_.between_marks(first, second); }
  double clock_hz() override { return gpu_.clock_hz(); }

 private:
  void fail_in_time() {
    if (waits_-- == 0) throw std::runtime_error("an illegal memory access was encountered");
  }
  int waits_;
  StandInGpu gpu_{stand_in(1 << 20)};
};

TEST(time_on_gpu, a_device_that_fails_in_the_first_sweep_or_later_is_a_value) {
  FailingGpu at_once(0), later(8);
  const Timed first = time_on_gpu(doubling(1000), quickly, at_once), last = time_on_gpu(doubling(1000), quickly, later);
  EXPECT_EQ(first.status, Status::failed);
  EXPECT_EQ(first.reason, "cannot prepare the case on the GPU: an illegal memory access was encountered");
  EXPECT_EQ(last.status, Status::failed);
  EXPECT_EQ(last.reason, "the GPU failed while the case was measured: an illegal memory access was encountered");
}

TEST(time_on_gpu, looks_at_the_result_that_the_timed_sweeps_leave) {
  StandInGpu gpu(stand_in(1 << 20));
  sweeps_made = 0;
  const Case wrong_under_load = doubling(1000, [](const void* arguments, std::size_t begin, std::size_t end) {
    doubled(arguments, begin, end);
    if (sweeps_made > 1) static_cast<const Doubling::Arguments*>(arguments)->x[begin] = 7;
  });
  const Timed timed = time_on_gpu(wrong_under_load, quickly, gpu);
  EXPECT_EQ(timed.status, Status::wrong_result) << timed.reason;
  EXPECT_TRUE(timed.repetitions.empty());
  EXPECT_NE(timed.reason.find("right before the"), std::string::npos) << timed.reason;
}

TEST(PreparedOnGpu, sweeps_only_the_share_asked_for_in_whole_grains) {
  StandInGpu gpu(stand_in(1 << 20));
  PreparedOnGpu prepared(doubling(1000), gpu);
  for (const auto& [share, indices] : std::vector<std::pair<double, std::size_t>>{{1, 1000}, {0.5, 500}, {0.1001, 100}, {0, 4}}) {
    prepared.sweep_only(share);
    prepared.sweep();
    EXPECT_EQ(last_range, indices) << share;
  }
}

TEST(PreparedOnGpu, a_measurement_is_so_many_sweeps_each_restored) {
  StandInGpu gpu(stand_in(1 << 20));
  PreparedOnGpu prepared(doubling(1000), gpu);
  sweeps_made = 0;
  prepared.measure(7);
  EXPECT_EQ(sweeps_made, 7U);
  prepared.sweep();
  Timed timed;
  prepared.check(timed);
  EXPECT_EQ(timed.status, Status::ok) << timed.reason;
}

TEST(PreparedOnGpu, is_kept_busy_for_the_warm_up_before_it_is_calibrated) {
  StandInGpu gpu(stand_in(1 << 20));
  PreparedOnGpu prepared(doubling(1000), gpu);
  sweeps_made = 0;
  const auto began = std::chrono::steady_clock::now();
  const std::uint64_t sweeps = prepared.calibrate(0.0001, 0.02);
  EXPECT_GE(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 0.02);
  EXPECT_GT(sweeps_made, sweeps) << "of which the last ones alone were for calibration";
}

/// A GPU that keeps a list of what it was told, and measures a clock over each span.
class TellingGpu final : public Gpu {
 public:
  const GpuProperties& properties() const override { return gpu_.properties(); }
  DeviceMemory& memory() override { return gpu_.memory(); }
  std::uint64_t free_bytes() override { return gpu_.free_bytes(); }
  void wait() override {}
  void start() override { told += "start ", gpu_.start(); }
  double stop() override { return told += "stop ", gpu_.stop(); }
  void mark(std::size_t number) override { gpu_.mark(number); }
  double between_marks(std::size_t first, std::size_t second) override { return gpu_.between_marks(first, second); }
  double clock_hz() override { return told += "clock ", gpu_.clock_hz(); }
  void empty_l2() override { told += "empty "; }
  void begin_clock_span() override { told += "begin "; }
  double clock_of_span() override { return told += "end ", of_span; }
  std::string told = {};
  double of_span = 1.1e9;

 private:
  StandInGpu gpu_{stand_in(1 << 20)};
};

TEST(PreparedOnGpu, tells_the_clock_of_the_whole_measurement_and_else_the_one_behind_it) {
  TellingGpu gpu;
  PreparedOnGpu prepared(doubling(1000), gpu);
  EXPECT_EQ(prepared.measure(2).clock_hz, 1.1e9);
  EXPECT_EQ(gpu.told, "begin start stop start stop end ");
  gpu.of_span = std::nan(""), gpu.told = "";
  EXPECT_EQ(prepared.measure(1).clock_hz, gpu_clock_hz);
  EXPECT_EQ(gpu.told, "begin start stop end clock ");
}

TEST(PreparedOnGpu, empties_l2_before_each_cold_sweep_outside_its_span) {
  TellingGpu gpu;
  PreparedOnGpu prepared(doubling(1000), gpu);
  prepared.sweep_cold();
  prepared.measure(2);
  EXPECT_EQ(gpu.told, "begin empty start stop empty start stop end ");
}

}  // namespace
}  // namespace plumbline
