// Every kernel of the module is tried on the first GPU: what its launch computes is right, at a size below one block and at one of many.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "core/unavailable.hpp"
#include "gpu/device_peers.hpp"
#include "module_kernels.hpp"

namespace plumbline {
namespace {

class GpuKernel : public testing::TestWithParam<const Kernel*> {
 protected:
  static void SetUpTestSuite() {
    const Availability there = opened_module().availability();
    if (there.ok()) gpu_ = opened_module().open(0);
    why_not_ = !there.ok()                         ? there.reason
               : gpu_->properties().flavor.empty() ? "the module has no code for " + gpu_->properties().name
                                                   : "";
  }
  static void TearDownTestSuite() { gpu_.reset(); }
  void SetUp() override {
    ASSERT_EQ(broken_by_, "") << "this process has no GPU since that kernel failed: this one was not run";
    if (!why_not_.empty()) GTEST_SKIP() << why_not_;
  }
  /// A kernel's fault ends the context for all that follow, each of which would be told that kernel's error.
  void TearDown() override {
    if (why_not_.empty() && broken_by_.empty() && !works() && !works()) broken_by_ = kernel().name;
  }

  const Kernel& kernel() const { return *GetParam(); }
  Gpu& gpu() const { return *gpu_; }
  static bool is_of_this_gpu(std::string_view flavor) { return flavor == gpu_->properties().flavor || is_library(flavor); }
  /// The flavor of this GPU; nullptr where it lacks the instructions.
  const Flavor* flavor(const std::string& precision) const {
    const auto flavors = kernel().flavors();
    const auto found = std::find_if(flavors.begin(), flavors.end(),
                                    [&](const Flavor& one) { return is_of_this_gpu(one.name) && one.precision == precision; });
    return found == flavors.end() ? nullptr : &*found;
  }

  /// Whether it says why it has nothing for this GPU.
  bool is_absent() const {
    const auto absent_here = kernel().absent_flavors();
    return std::any_of(absent_here.begin(), absent_here.end(), [&](const AbsentFlavor& one) { return is_of_this_gpu(one.name); });
  }
  /// Whether a library may be asked for that precision.
  static bool has_type(const std::string& precision) {
    const int needed = precision == "fp8" ? 89 : precision == "bf16" || precision == "tf32" ? 80 : 0;
    return 10 * gpu_->properties().major + gpu_->properties().minor >= needed;
  }
  /// Sweeps at once, or the first half of each range and then the rest. Steps of the host are done there, one element after the other.
  void sweep(const Flavor& code, const Workload& data, bool in_parts) const {
    Peers alone;
    DevicePeers peers(alone, gpu().memory());
    const auto run = [&](const Step& step) {
      const Sweep loop = step.on_host ? kernel().on_host(code.precision) : code.sweep;
      Peers& others = step.on_host ? alone : peers;
      in_parts ? run_alone(step, InTwoParts(loop, data.grain()), others) : run_alone(step, loop, others);
    };
    if (const auto* const application = dynamic_cast<const ApplicationData*>(&data))
      std::ranges::for_each(application->steps(), run);
    else
      run({.arguments = data.arguments(), .extent = data.extent()});
    gpu().wait();
  }

  /// Launches it once for every word of its parameters, and at its edges; how often that was. A peer's memory takes two GPUs, and is
  /// unavailable with one.
  template <class Size>
  int run_all(Size size, bool in_parts = false) const {
    int runs = is_absent() ? 1 : 0;
    for (const Parameters& point : points_and_edges(kernel(), size))
      for (const std::string& precision : kernel().precisions) {
        const Flavor* const code = flavor(precision);
        if (code == nullptr || !takes(kernel(), point, precision) || (is_library(code->name) && !has_type(precision))) continue;
        const std::string which = point.path() + " " + precision;
        if (point.has("way") && point.word("way").ends_with("_peer") && gpu().properties().peers == 0) {
          EXPECT_THROW(kernel().prepare(point, precision, gpu().memory()), UnavailableHere) << which;
          continue;
        }
        const auto data = kernel().prepare(point, precision, gpu().memory());
        initialise(*data);
        EXPECT_GT(data->error(), data->tolerance()) << which << ": right before anything was computed";
        sweep(*code, *data, in_parts);
        EXPECT_LE(data->error(), data->tolerance()) << which;
        ++runs;
      }
    return runs;
  }

 private:
  static bool works() {
    try {
      gpu_->wait();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  static inline std::unique_ptr<Gpu> gpu_;
  static inline std::string why_not_, broken_by_;
};

INSTANTIATE_TEST_SUITE_P(All, GpuKernel, testing::ValuesIn(all_kernels()), word_of);

TEST_P(GpuKernel, smaller_than_a_block_computes_what_is_right) { EXPECT_GE(run_all(small), 1); }
TEST_P(GpuKernel, of_many_blocks_computes_what_is_right) { EXPECT_GE(run_all(large), 1); }
TEST_P(GpuKernel, in_two_parts_computes_what_is_right) { EXPECT_GE(run_all(large, true), 1); }

TEST(gpu_errors, are_told_once) {
  const Availability there = opened_module().availability();
  if (!there.ok()) GTEST_SKIP() << there.reason;
  const auto gpu = opened_module().open(0);
  double value = 0;
  EXPECT_THROW(gpu->memory().copy_in(nullptr, &value, sizeof value), Error);
  EXPECT_NO_THROW(gpu->wait()) << "the next call has no error of its own";
}

}  // namespace
}  // namespace plumbline
