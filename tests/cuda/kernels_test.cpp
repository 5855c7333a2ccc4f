// Every kernel for GPUs is tried on the host: its reference loop does what its model says, and its result is right and checked for being
// so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "gpu/device_peers.hpp"
#include "module_kernels.hpp"
#include "tests/kernels/ranks_as_threads.hpp"

namespace plumbline {
namespace {

/// Instructions of a kind, in whatever precision.
std::uint64_t of_kind(const Counts& flops, const std::string& kind) {
  std::uint64_t sum = 0;
  for (const auto& [quantity, amount] : flops)
    if (quantity.ends_with("." + kind)) sum += amount.lo;
  return sum;
}

class CudaKernel : public testing::TestWithParam<const Kernel*> {
 protected:
  const Kernel& kernel() const { return *GetParam(); }

  /// check(sweep, data, memory) for every small point, every edge and every precision that has a loop for the host.
  template <class Memory, class Check>
  void on_the_host(Check check) const {
    for (const Parameters& point : points_on_the_host(kernel()))
      for (const std::string& precision : kernel().precisions) {
        const Sweep sweep = kernel().on_host(precision);
        if (sweep == nullptr || !takes(kernel(), point, precision)) continue;
        SCOPED_TRACE(point.path() + " " + precision);
        Memory memory;
        check(sweep, *kernel().prepare(point, precision, memory), memory);
      }
  }
};

INSTANTIATE_TEST_SUITE_P(All, CudaKernel, testing::ValuesIn(all_kernels()), word_of);

/// The flavors of the architectures that the module has code for.
std::set<std::string> compiled_flavors() {
  std::set<std::string> all;
  for (const Kernel* kernel : all_kernels())
    for (const Flavor& flavor : kernel->flavors())
      if (!is_library(flavor.name)) all.emplace(flavor.name);
  return all;
}

TEST_P(CudaKernel, is_for_gpus_and_has_a_flavor_for_every_architecture) {
  EXPECT_EQ(kernel().space, Space::cuda);
  for (const AbsentFlavor& absent_here : kernel().absent_flavors()) {
    EXPECT_FALSE(absent_here.reason.empty()) << absent_here.name;
    if (is_library(absent_here.name)) GTEST_SKIP() << absent_here.reason;
  }
  for (const std::string& precision : kernel().precisions) {
    const auto flavors = kernel().flavors();
    EXPECT_TRUE(std::any_of(flavors.begin(), flavors.end(), [&](const Flavor& f) { return f.precision == precision; })) << precision;
    if (!kernel().only.empty()) continue;  // a library has one for all
    std::set<std::string> told;
    for (const AbsentFlavor& absent_here : kernel().absent_flavors()) told.insert(absent_here.name);
    for (const Flavor& flavor : flavors)
      if (flavor.precision == precision) told.emplace(flavor.name);
    for (const std::string& one : compiled_flavors()) EXPECT_TRUE(told.contains(one)) << precision << " " << one << " is left out untold";
  }
}

/// The kernels that go through a schedule of phases.
class CudaApplication : public CudaKernel {};
std::vector<const Kernel*> applications() {
  std::vector<const Kernel*> all = all_kernels();
  std::erase_if(all, [](const Kernel* kernel) { return !kernel->application; });
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, CudaApplication, testing::ValuesIn(applications()), word_of);

TEST_P(CudaApplication, counts_each_phase_as_modelled) {
  for (const Parameters& point : points_and_edges(kernel(), small)) {
    if (!takes(kernel(), point, kernel().precisions.front())) continue;
    const auto phases = kernel().application(point, kernel().precisions.front(), "").phases;
    const std::vector<Tally> counted = kernel().count_phases(point);
    ASSERT_EQ(counted.size(), phases.size());
    for (std::size_t i = 0; i < phases.size(); ++i)
      EXPECT_EQ(counted[i].total(), phases[i].entries * total_flops(phases[i].work.flops).lo) << point.path() << " " << phases[i].name;
  }
}

/// The data of so many ranks after a sweep on the host, each in a memory of its own, whose exchanges are staged as those of devices are.
std::vector<std::unique_ptr<Workload>> swept_by_ranks_with_devices(const Kernel& kernel, const Parameters& point,
                                                                   const std::string& precision,
                                                                   std::vector<HostInPlaceOfDevice>& memories) {
  RanksTogether together(static_cast<int>(memories.size()));
  std::vector<std::unique_ptr<Workload>> data(memories.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < memories.size(); ++rank)
    threads.emplace_back([&, rank] {
      data[rank] = kernel.prepare(point, precision, memories[rank]);
      RankAsThread ranks(together, static_cast<int>(rank));
      DevicePeers peers(ranks, memories[rank]);
      dynamic_cast<ApplicationData&>(*data[rank]).take_place(peers.rank(), peers.ranks());
      data[rank]->initialise(0, data[rank]->extent());
      sweep_alone(*data[rank], kernel.on_host(precision), peers);
    });
  for (std::thread& thread : threads) thread.join();
  return data;
}

TEST_P(CudaApplication, is_right_on_several_ranks) {
  for (const Parameters& point : points(kernel(), small))
    for (const std::string& precision : kernel().precisions)
      for (const std::size_t ranks : {2U, 3U}) {
        if (!takes(kernel(), point, precision)) continue;
        std::vector<HostInPlaceOfDevice> memories(ranks);
        for (const auto& data : swept_by_ranks_with_devices(kernel(), point, precision, memories))
          EXPECT_LE(data->error(), data->tolerance()) << point.path() << " " << precision << " on " << ranks << " ranks";
      }
}

TEST_P(CudaKernel, that_restores_gives_the_same_result_again) {
  on_the_host<HostInPlaceOfDevice>([](const Sweep sweep, Workload& data, HostInPlaceOfDevice&) {
    if (!data.restores()) return;  // a sweep computes the same again
    initialise(data);
    Peers alone;
    sweep_alone(data, sweep, alone);
    const double first = data.error();
    data.restore(0, data.extent());
    EXPECT_GT(data.error(), data.tolerance()) << "the result is still there";
    sweep_alone(data, sweep, alone);
    EXPECT_EQ(data.error(), first);
  });
}

/// All but those that say why they cannot be counted.
class CountedCudaKernel : public CudaKernel {};
std::vector<const Kernel*> counted_kernels() {
  std::vector<const Kernel*> all = all_kernels();
  std::erase_if(all, [](const Kernel* kernel) { return !kernel->only.empty(); });
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, CountedCudaKernel, testing::ValuesIn(counted_kernels()), word_of);

TEST_P(CountedCudaKernel, does_what_its_model_says) {
  for (const Parameters& point : points_and_edges(kernel(), small)) {
    if (!takes(kernel(), point, kernel().precisions.front())) continue;
    const Tally counted = kernel().count(point);
    const Counts flops = kernel().model(point, kernel().precisions.front(), "").flops;
    EXPECT_EQ(counted.total(), total_flops(flops).lo) << point.path();
    if (std::any_of(flops.begin(), flops.end(), [](const auto& one) { return one.first.starts_with("flops.tensor."); })) continue;
    EXPECT_EQ(counted.add, of_kind(flops, "add")) << point.path();
    EXPECT_EQ(counted.mul, of_kind(flops, "mul")) << point.path();
    EXPECT_EQ(counted.fma, of_kind(flops, "fma")) << point.path();
    EXPECT_EQ(counted.div, of_kind(flops, "div")) << point.path();
    EXPECT_EQ(counted.sqrt, of_kind(flops, "sqrt")) << point.path();
  }
}

/// The host's memory, which knows its arrays and can be told to spoil what a sweep wrote.
class WatchedMemory final : public DeviceMemory {
 public:
  void copy_in(void* device, const void* host, std::size_t bytes) override { std::memcpy(device, host, bytes); }
  void copy_out(void* host, const void* device, std::size_t bytes) override { std::memcpy(host, device, bytes); }
  void copy_within(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

  void remember() {
    for (auto& [data, bytes] : arrays_) before_[data] = {data, data + bytes};
  }
  /// Eight bytes at this share of what has changed in each array since then become another number (of any type). Tells of how many arrays.
  int spoil(double share) {
    spoiled_.clear();
    for (auto& [data, bytes] : arrays_) {
      std::vector<std::size_t> changed;
      for (std::size_t i = 0; i < bytes; ++i)
        if (data[i] != before_[data][i]) changed.push_back(i / 8 * 8);
      if (changed.empty()) continue;
      unsigned char* const at = data + changed[static_cast<std::size_t>(share * static_cast<double>(changed.size()))];
      std::memcpy(&spoiled_[at], at, 8);
      std::memset(at, 0x7f, 8);
    }
    return static_cast<int>(spoiled_.size());
  }
  /// Puts back what the last spoil() took.
  void mend() {
    for (const auto& [at, eight] : spoiled_) std::memcpy(at, &eight, 8);
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    auto* const data = static_cast<unsigned char*>(host_->allocate(bytes, alignment));
    std::memset(data, 0, bytes);
    arrays_[data] = bytes;
    return data;
  }
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
    arrays_.erase(static_cast<unsigned char*>(data));
    host_->deallocate(data, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* host_ = std::pmr::new_delete_resource();
  std::map<unsigned char*, std::size_t> arrays_;
  std::map<unsigned char*, std::vector<unsigned char>> before_;
  std::map<unsigned char*, std::uint64_t> spoiled_;
};

TEST_P(CudaKernel, finds_one_wrong_number_in_its_result) {
  on_the_host<WatchedMemory>([](const Sweep sweep, Workload& data, WatchedMemory& memory) {
    initialise(data);
    memory.remember();
    Peers alone;
    sweep_alone(data, sweep, alone);
    ASSERT_LE(data.error(), data.tolerance());
    // What an application writes is not all its result: a part are ghost cells, most in small boxes, or what one step left for another. So
    // the places lie apart by an irrational share, in step with no box.
    const double apart = std::sqrt(3.0);
    const int places = dynamic_cast<ApplicationData*>(&data) == nullptr ? 1 : 40;
    int found = 0;
    for (int place = 0; place < places && 10 * found < places; ++place) {  // until enough were found
      ASSERT_GE(memory.spoil(std::fmod(0.5 + place * apart, 1)), 1) << "nothing was written";
      if (data.error() > data.tolerance()) ++found;
      memory.mend();
    }
    EXPECT_GE(10 * found, places) << "found in " << found << " of " << places << " places";
  });
}

TEST_P(CudaKernel, swept_in_two_parts_gives_the_right_result) {
  on_the_host<HostInPlaceOfDevice>([](const Sweep sweep, Workload& data, HostInPlaceOfDevice&) {
    const std::size_t half = data.extent() / 2;
    if (auto* const application = dynamic_cast<ApplicationData*>(&data)) application->take_place(0, 1);
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, half}, {half, data.extent()}}) data.initialise(begin, end);
    Peers alone;
    sweep_alone(data, InTwoParts(sweep, 1), alone);
    EXPECT_LE(data.error(), data.tolerance());
  });
}

TEST_P(CudaKernel, on_the_host_gives_the_right_result_and_tells_a_wrong_one) {
  on_the_host<HostInPlaceOfDevice>([](const Sweep sweep, Workload& data, HostInPlaceOfDevice&) {
    initialise(data);
    EXPECT_GT(data.error(), data.tolerance()) << "right before anything was computed";
    Peers alone;
    sweep_alone(data, sweep, alone);
    EXPECT_LE(data.error(), data.tolerance());
  });
}

}  // namespace
}  // namespace plumbline
