// Sweeps of the module's kernels written down instead of launched, and counted by the module's own code: what the models say, or a reason.
#include "counters/launch_counts.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/flows.hpp"
#include "disassembly.hpp"
#include "gpu/gpu_caches.hpp"
#include "module_kernels.hpp"

namespace plumbline {
namespace {

const std::set<std::string> counted{"validation/series",   "validation/triad",    "validation/dgemm",
                                    "validation/stencil5", "validation/stencil7", "validation/stencil7c",
                                    "validation/half",     "validation/shared",   "validation/l2stream"};
/// Threads part ways, or the arithmetic is of kinds that are not counted.
const std::set<std::string> refused{"validation/dot", "validation/special", "validation/predicated", "validation/mma"};

std::vector<KernelLaunch> launches_of(const Kernel& kernel, const Parameters& point, const Flavor& flavor) {
  HostInPlaceOfDevice memory;
  const auto data = kernel.prepare(point, flavor.precision, memory);
  std::vector<KernelLaunch> launches;
  opened_module().write_down_launches(&launches, true);
  flavor.sweep(data->arguments(), 0, data->extent());
  opened_module().write_down_launches(nullptr);
  const std::string name(flavor.name);
  for (auto& one : launches) one.architecture = name.substr(name.find("sm_"));
  return launches;
}

class LaunchedKernel : public testing::TestWithParam<const Kernel*> {
 protected:
  void SetUp() override {
    ASSERT_FALSE(disassembled_module().failed) << disassembled_module().why_not;
    if (!disassembled_module().why_not.empty()) GTEST_SKIP() << disassembled_module().why_not;
  }
  static LaunchCounts count(const Parameters& point, const Flavor& flavor) {
    return counts_of(launches_of(*GetParam(), point, flavor), PLUMBLINE_DISASSEMBLY_FOLDER "/sass");
  }
};

class CountedLaunch : public LaunchedKernel {};
class RefusedLaunch : public LaunchedKernel {};

std::vector<const Kernel*> those(const std::set<std::string>& names) {
  auto all = all_kernels();
  std::erase_if(all, [&](const Kernel* kernel) { return !names.contains(kernel->name); });
  if (all.size() != names.size()) throw std::runtime_error("a kernel is not in the module");
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, CountedLaunch, testing::ValuesIn(those(counted)), word_of);
INSTANTIATE_TEST_SUITE_P(All, RefusedLaunch, testing::ValuesIn(those(refused)), word_of);

void expect_within(const std::map<std::string, std::uint64_t>& counts, const std::string& event, const Counts& model) {
  const auto found = counts.find(event);
  const std::uint64_t count = found == counts.end() ? 0 : found->second;
  const Amount amount = model.at(event);
  EXPECT_GE(count, amount.lo) << event;
  EXPECT_LE(count, amount.hi) << event;
}

/// Code of the oldest and the newest architecture parts threads, or divides integers, in ways that are not told apart yet: a refusal, and
/// never a wrong count.
bool may_be_refused(const Flavor& flavor) { return flavor.name.ends_with("sm_75") || flavor.name.ends_with("sm_120"); }

TEST_P(CountedLaunch, executes_the_operations_and_moves_the_bytes_of_its_model) {
  for (const auto& size : {small, large})
    for (const Parameters& point : points(*GetParam(), size))
      for (const Flavor& flavor : GetParam()->flavors()) {
        if (GetParam()->name == "validation/dgemm" && point.integer("n") % 16 != 0) continue;
        SCOPED_TRACE(point.path() + " " + std::string(flavor.precision) + " " + std::string(flavor.name));
        const LaunchCounts counts = count(point, flavor);
        if (may_be_refused(flavor) && !counts.flops_refusal.empty()) continue;
        ASSERT_EQ(counts.flops_refusal, "");
        ASSERT_EQ(counts.accesses_refusal, "");
        const Work work = GetParam()->model(point, flavor.precision, flavor.name);
        std::map<std::string, std::uint64_t> flops;
        for (const auto& [quantity, amount] : work.flops) flops[quantity] = amount.lo;
        EXPECT_EQ(counts.flops, flops);
        GpuProperties gpu;
        gpu.major = 9;
        const Counts model = expected_counts(work, cache_levels(gpu), 1);
        for (const char* bytes : {"bytes.reg-L1.load", "bytes.reg-L1.store", "bytes.reg-shared.load", "bytes.reg-shared.store"})
          expect_within(counts.accesses, bytes, model);
      }
}

TEST_P(RefusedLaunch, says_why_no_operations_are_counted) {
  for (const Parameters& point : points(*GetParam(), small))
    for (const Flavor& flavor : GetParam()->flavors()) EXPECT_NE(count(point, flavor).flops_refusal, "") << point.path();
}

TEST(launch_counts_of_tiles, a_matrix_product_of_parts_of_tiles_is_refused) {
  if (!disassembled_module().why_not.empty()) GTEST_SKIP() << disassembled_module().why_not;
  const Kernel* dgemm = those({"validation/dgemm"}).front();
  Parameters p;
  p.set("n", std::int64_t{40});
  const auto launches = launches_of(*dgemm, p, dgemm->flavors().front());
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_NE(counts_of(launches, PLUMBLINE_DISASSEMBLY_FOLDER "/sass").flops_refusal.find("multiply_tiles"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
