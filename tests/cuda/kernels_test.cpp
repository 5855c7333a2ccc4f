// Every kernel for GPUs is tried on the host: its reference loop does what its model says, and its result is right and checked for being
// so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "module_kernels.hpp"

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
    for (const Parameters& point : points_and_edges(kernel(), small))
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

TEST_P(CudaKernel, is_for_gpus_and_has_a_flavor_for_every_architecture) {
  EXPECT_EQ(kernel().space, Space::cuda);
  for (const AbsentFlavor& absent_here : kernel().absent_flavors()) {
    EXPECT_FALSE(absent_here.reason.empty()) << absent_here.name;
    if (is_library(absent_here.name)) GTEST_SKIP() << absent_here.reason;
  }
  for (const std::string& precision : kernel().precisions) {
    const auto flavors = kernel().flavors();
    EXPECT_TRUE(std::any_of(flavors.begin(), flavors.end(), [&](const Flavor& f) { return f.precision == precision; })) << precision;
  }
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

  void remember() {
    for (auto& [data, bytes] : arrays_) before_[data] = {data, data + bytes};
  }
  /// Eight bytes in the middle of what has changed in each array since then become another number (of any type).
  int spoil() {
    int spoiled = 0;
    for (auto& [data, bytes] : arrays_) {
      std::vector<std::size_t> changed;
      for (std::size_t i = 0; i < bytes; ++i)
        if (data[i] != before_[data][i]) changed.push_back(i / 8 * 8);
      if (changed.empty()) continue;
      std::memset(data + changed[changed.size() / 2], 0x7f, 8);
      ++spoiled;
    }
    return spoiled;
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
};

TEST_P(CudaKernel, finds_one_wrong_number_in_its_result) {
  on_the_host<WatchedMemory>([](const Sweep sweep, Workload& data, WatchedMemory& memory) {
    data.initialise(0, data.extent());
    memory.remember();
    sweep(data.arguments(), 0, data.extent());
    ASSERT_LE(data.error(), data.tolerance());
    ASSERT_GE(memory.spoil(), 1) << "nothing was written";
    EXPECT_GT(data.error(), data.tolerance());
  });
}

TEST_P(CudaKernel, swept_in_two_parts_gives_the_right_result) {
  on_the_host<HostInPlaceOfDevice>([](const Sweep sweep, Workload& data, HostInPlaceOfDevice&) {
    const std::size_t half = data.extent() / 2;
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, half}, {half, data.extent()}}) data.initialise(begin, end);
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, half}, {half, data.extent()}}) sweep(data.arguments(), begin, end);
    EXPECT_LE(data.error(), data.tolerance());
  });
}

TEST_P(CudaKernel, on_the_host_gives_the_right_result_and_tells_a_wrong_one) {
  on_the_host<HostInPlaceOfDevice>([](const Sweep sweep, Workload& data, HostInPlaceOfDevice&) {
    data.initialise(0, data.extent());
    EXPECT_GT(data.error(), data.tolerance()) << "right before anything was computed";
    sweep(data.arguments(), 0, data.extent());
    EXPECT_LE(data.error(), data.tolerance());
  });
}

}  // namespace
}  // namespace plumbline
