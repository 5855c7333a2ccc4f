// ERT's loop is counted from its machine code as each compiler made it: the model's FLOPs and accesses, in vectors or in scalars.
#include <gtest/gtest.h>

#include "compiled_points.hpp"
#include "counted_sweeps.hpp"

namespace plumbline {
namespace {

using measured::Counts;

/// check(parameters, flavor, work, counts of one warm sweep) for every point and every flavor that the tool runs.
template <class Check>
void for_all(Check check) {
  int checked = 0;
  for (const Parameters& p : compiled_points())
    for (const Flavor& flavor : compiled_kernel().flavors()) {
      if (!runs_under_the_tool(flavor)) continue;
      SCOPED_TRACE(p.path() + " " + std::string(flavor.name) + " " + std::string(flavor.precision));
      const auto data = compiled_data(p, flavor.precision);
      const Counts counts = counts_of_sweep(flavor, *data);
      check(p, flavor, compiled_kernel().model(p, flavor.precision, flavor.name), counts);
      ++checked;
    }
  EXPECT_GT(checked, 0);
}

TEST(ErtCompiledEmulated, flops_are_the_models_by_kind) {
  for_all([](const Parameters&, const Flavor& flavor, const Work& work, const Counts& counts) {
    EXPECT_EQ(static_cast<std::uint64_t>(measured::flops(counts)), total_flops(work.flops).lo);
    expect_flops_by_kind(counts, work, flavor.precision);
  });
}

TEST(ErtCompiledEmulated, scalar_forms_use_no_vector_instruction) {
  for_all([](const Parameters& p, const Flavor&, const Work& work, const Counts& counts) {
    if (!p.word("form").starts_with("scalar")) return;
    std::uint64_t operations = 0;
    for (const auto& [quantity, number] : work.flops) operations += number.lo;
    EXPECT_EQ(count(counts, PLUMBLINE_EVENT_fp_scalar), operations);
    EXPECT_EQ(count(counts, PLUMBLINE_EVENT_fp_128) + count(counts, PLUMBLINE_EVENT_fp_256), 0u);
  });
}

TEST(ErtCompiledEmulated, vector_forms_use_the_isas_full_width) {
  for_all([](const Parameters& p, const Flavor& flavor, const Work& work, const Counts& counts) {
    if (p.word("form").starts_with("scalar") || p.integer("n") < 1000) return;
    const bool wide = split_flavor(flavor.name).isa == "v3";
    std::uint64_t operations = 0;
    for (const auto& [quantity, number] : work.flops) operations += number.lo;
    const std::uint64_t lanes = (wide ? 32 : 16) / precision_bytes(flavor.precision),
                        full = count(counts, wide ? PLUMBLINE_EVENT_fp_256 : PLUMBLINE_EVENT_fp_128);
    EXPECT_GE(full * lanes, operations * 95 / 100);  // the rest are the array's last elements
    EXPECT_LE(full * lanes, operations);
  });
}

/// Some bytes are loaded beside the array: arguments, constants and saved registers, some of them again in every pass.
TEST(ErtCompiledEmulated, every_element_is_loaded_and_stored_once_a_pass) {
  for_all([](const Parameters& p, const Flavor&, const Work& work, const Counts& counts) {
    const std::uint64_t bytes = work.streams[0].loads * work.streams[0].element_bytes, slack = 512 * p.integer("repeat");
    EXPECT_GE(count(counts, PLUMBLINE_EVENT_reg_l1_load), bytes);
    EXPECT_LE(count(counts, PLUMBLINE_EVENT_reg_l1_load), bytes + slack);
    EXPECT_GE(count(counts, PLUMBLINE_EVENT_reg_l1_store), bytes);
    EXPECT_LE(count(counts, PLUMBLINE_EVENT_reg_l1_store), bytes + slack);
  });
}

}  // namespace
}  // namespace plumbline
