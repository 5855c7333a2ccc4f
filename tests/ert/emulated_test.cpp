// The flavored loops of the ceiling kernels are counted from their machine code: the model's FLOPs and accesses, exactly.
#include <gtest/gtest.h>

#include "counted_sweeps.hpp"
#include "points.hpp"

namespace plumbline {
namespace {

using measured::Counts;

std::unique_ptr<Workload> prepared(const KernelPoint& point, std::string_view precision) {
  auto data = find_kernel(point.kernel)->prepare(parameters(point), precision, *std::pmr::new_delete_resource());
  data->initialise(0, data->extent());
  return data;
}

/// Whether the loop spills: without FMA 14 chains and their constants are too many for registers that an instruction overwrites.
bool spills(const KernelPoint& point, const Flavor& flavor) {
  return split_flavor(flavor.name).isa == "v2" && parameters(point).path().find("fmaadd") != std::string::npos;
}

template <class Check>
void for_all(Check check) {
  int checked = 0;
  for (const KernelPoint& point : points()) {
    const Kernel& kernel = *find_kernel(point.kernel);
    for (const Flavor& flavor : kernel.flavors()) {
      if (!runs_under_the_tool(flavor)) continue;
      SCOPED_TRACE(point.kernel + " " + parameters(point).path() + " " + std::string(flavor.name) + " " + std::string(flavor.precision));
      const auto data = prepared(point, flavor.precision);
      const Counts counts = counts_of_sweep(flavor, *data);
      check(point, flavor, kernel.model(parameters(point), flavor.precision, flavor.name), counts);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(ErtEmulated, flops_are_the_models_by_kind) {
  for_all([](const KernelPoint&, const Flavor& flavor, const Work& work, const Counts& counts) {
    EXPECT_EQ(static_cast<std::uint64_t>(measured::flops(counts)), total_flops(work.flops).lo);
    if (work.flops.size() == 1)  // triad leaves it to the compiler whether b + s c is fused
      expect_flops_by_kind(counts, work, flavor.precision);
  });
}

/// Some bytes are moved beside the arrays: arguments, constants, witnesses and saved registers, some of them again in every pass.
TEST(ErtEmulated, every_element_is_loaded_and_stored_as_often_as_declared) {
  for_all([](const KernelPoint& point, const Flavor& flavor, const Work& work, const Counts& counts) {
    if (spills(point, flavor)) return;
    std::uint64_t loads = 0, stores = 0, non_temporal = 0;
    for (const Stream& s : work.streams) {
      loads += s.loads * s.element_bytes;
      (s.non_temporal ? non_temporal : stores) += s.stores * s.element_bytes;
    }
    const Parameters p = parameters(point);
    const std::uint64_t slack = 1024 * (p.has("repeat") ? p.integer("repeat") : p.has("blocks") ? p.integer("blocks") * 32 : 1);
    EXPECT_GE(count(counts, PLUMBLINE_EVENT_reg_l1_load), loads);
    EXPECT_LE(count(counts, PLUMBLINE_EVENT_reg_l1_load), loads + slack);
    EXPECT_GE(count(counts, PLUMBLINE_EVENT_reg_l1_store), stores);
    EXPECT_LE(count(counts, PLUMBLINE_EVENT_reg_l1_store), stores + slack);
    EXPECT_EQ(count(counts, PLUMBLINE_EVENT_reg_l1_nt_store), non_temporal);
  });
}

}  // namespace
}  // namespace plumbline
