#include "measure/host_loop.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/case.hpp"
#include "core/kernel.hpp"
#include "core/unavailable.hpp"
#include "measure/gpu_timing.hpp"
#include "tests/cuda/standin/stand_in_gpu.hpp"

namespace plumbline {
namespace {

/// A number on the device is copied to the host, which adds one to it there, and back.
class SharedWithHost final : public ApplicationData {
 public:
  SharedWithHost(const Parameters&, DeviceMemory& memory) : memory_(memory), there_(1, memory) {
    steps_ = {
        {.phase = 0, .arguments = there_.data(), .extent = 1},
        {.phase = 1, .copy = [this] { memory_.copy_out(&here_, there_.data(), sizeof(double)); }},
        {.phase = 2, .arguments = &here_, .extent = 1, .on_host = true},
        {.phase = 2, .exchange = [this](Peers& peers) { on_device_ = dynamic_cast<DevicePeers*>(&peers) != nullptr; }, .on_host = true},
        {.phase = 3, .copy = [this] { memory_.copy_in(there_.data(), &here_, sizeof(double)); }}};
  }
  const std::vector<Step>& steps() const override { return steps_; }
  std::size_t extent() const override { return 1; }
  void initialise(std::size_t, std::size_t) override { restore(0, 1); }
  bool restores() const override { return true; }
  void restore(std::size_t, std::size_t) override {
    there_.fill(0, 1, [](std::size_t) { return 1.0; });
  }
  /// Doubled by the GPU, and one more by the host.
  double error() const override { return on_device_ ? 100 : std::abs(there_.to_host().front() - 3); }
  double tolerance() const override { return 0; }

 private:
  DeviceMemory& memory_;
  DeviceArray<double> there_;
  double here_ = 0;
  bool on_device_ = false;
  std::vector<Step> steps_;
};

void plus_one(const void* number, std::size_t, std::size_t) { *static_cast<double*>(const_cast<void*>(number)) += 1; }
void times_two(const void* number, std::size_t, std::size_t) { *static_cast<double*>(const_cast<void*>(number)) *= 2; }

constexpr Flavor of_cpus[] = {{"gcc12-O0-v2", "fp64", times_two},   {"gcc12-O0-neon", "fp64", times_two},
                              {"lib-openblas", "fp64", times_two},  {"gcc12-O3-v2", "fp64", plus_one},
                              {"gcc12-O3-neon", "fp64", plus_one},  {"gcc12-O3-mars", "fp64", times_two},
                              {"clang16-O3-v2", "fp64", times_two}, {"clang16-O3-neon", "fp64", times_two}};

/// A kernel for GPUs that leaves steps to that one for CPUs, which is registered when it is first wanted.
const Kernel& shared_kernel(const std::string& host_kernel = "test/of_host") {
  static Kernel kernel;
  if (find_kernel("test/of_host") == nullptr) {
    Kernel of_host;
    of_host.name = "test/of_host";
    of_host.flavors = [] { return std::span<const Flavor>(of_cpus); };
    register_kernel(std::move(of_host));
  }
  kernel.name = "test/shared";
  kernel.space = Space::cuda;
  kernel.host_kernel = host_kernel;
  kernel.model = [](const Parameters&, std::string_view, std::string_view) { return Work{}; };
  kernel.prepare = [](const Parameters& p, std::string_view, std::pmr::memory_resource& memory) -> std::unique_ptr<Workload> {
    return std::make_unique<SharedWithHost>(p, dynamic_cast<DeviceMemory&>(memory));
  };
  return kernel;
}
Case shared(const Kernel& kernel) {
  return {.kernel = &kernel, .parameters = {}, .precision = "fp64", .flavor = {"cuda13-sm_90a", "fp64", times_two}, .team = {}};
}

TEST(host_loop, is_the_first_of_the_best_flavors_that_run_here) {
  EXPECT_TRUE(host_loop(shared(shared_kernel()))->name.starts_with("gcc12-O3-"));
  EXPECT_FALSE(host_loop(shared(shared_kernel("")))) << "nothing is left to the host";
}

TEST(host_loop, that_is_not_there_is_unavailable_in_a_line) {
  Case in_fp32 = shared(shared_kernel());
  in_fp32.precision = "fp32";
  EXPECT_THROW(host_loop(in_fp32), UnavailableHere);
  try {
    host_loop(shared(shared_kernel("test/nothing")));
    FAIL();
  } catch (const UnavailableHere& refused) {
    EXPECT_STREQ(refused.what(), "steps of test/shared are done by the host's test/nothing, which this program has not");
  }
}

TEST(PreparedOnGpu, has_the_hosts_steps_done_by_its_flavor_and_its_messages_by_the_ranks_themselves) {
  GpuProperties properties;
  properties.memory_bytes = 1 << 20;
  StandInGpu gpu(properties);
  const Case measured = shared(shared_kernel());
  const Timed timed = time_on_gpu(measured, {.min_seconds = 0.0005, .max_repetitions = 6, .budget_seconds = 0.05}, gpu);
  ASSERT_EQ(timed.status, Status::ok) << timed.reason;
  EXPECT_TRUE(timed.host_flavor.starts_with("gcc12-O3-"));
  ASSERT_EQ(timed.repetitions.front().phases.size(), 4U);
}

/// A row of numbers, each of which the host counts up once a sweep.
struct Row {
  std::array<std::atomic<int>, 100> times{};
  std::mutex guard;
  std::set<std::thread::id> by;
};
void count_up(const void* row, std::size_t begin, std::size_t end) {
  Row& all = *static_cast<Row*>(const_cast<void*>(row));
  for (std::size_t i = begin; i < end; ++i) ++all.times[i];
  const std::scoped_lock lock(all.guard);
  if (begin < end) all.by.insert(std::this_thread::get_id());
}
constexpr Flavor counting_up[] = {{"gcc12-O3-v2", "fp64", count_up}, {"gcc12-O3-neon", "fp64", count_up}};

TEST(HostSide, has_each_thread_do_its_part_of_a_step_once_and_returns_when_all_have) {
  if (find_kernel("test/counting_up") == nullptr) {
    Kernel of_host;
    of_host.name = "test/counting_up";
    of_host.flavors = [] { return std::span<const Flavor>(counting_up); };
    register_kernel(std::move(of_host));
  }
  const Case measured = shared(shared_kernel("test/counting_up"));
  for (const int threads : {1, 2, 3}) {
    const ThreadTeam team(threads);
    Row row;
    HostSide(measured, team).run({.arguments = &row, .extent = row.times.size(), .grain = 8, .on_host = true});
    for (const auto& times : row.times) ASSERT_EQ(times, 1) << threads;
    EXPECT_EQ(row.by.size(), static_cast<std::size_t>(threads));
    EXPECT_TRUE(row.by.contains(std::this_thread::get_id())) << "the one that drives the GPU works too";
  }
}

TEST(PreparedOnGpu, enters_on_the_device_what_the_host_does_not_do) {
  GpuProperties properties;
  properties.memory_bytes = 1 << 20;
  StandInGpu gpu(properties);
  const Case measured = shared(shared_kernel());
  const PreparedOnGpu prepared(measured, gpu);
  EXPECT_EQ(prepared.entries(), 1U);
  EXPECT_EQ(prepared.entries_of(2), 0U);
}

}  // namespace
}  // namespace plumbline
