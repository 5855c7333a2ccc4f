// The ISA of a 64-bit Arm CPU that the build names (an emulated one, in a cross build) is found, and flavors are picked by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "core/kernel.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/cpu.hpp"

namespace plumbline {
namespace {

class Isa : public testing::Test {
 protected:
  void SetUp() override {
    const char* isa = std::getenv("PLUMBLINE_EXPECTED_ISA");
    if (!isa) GTEST_SKIP() << "SKIP: PLUMBLINE_EXPECTED_ISA does not say which CPU this is";
    expected = isa;
  }
  std::string expected;
};

TEST_F(Isa, is_the_widest_that_the_cpu_runs) { EXPECT_EQ(this_cpu().best_isa(), expected); }

TEST_F(Isa, neon_is_always_there_and_sve_in_one_length_only) {
  std::set<std::string> levels;
  for (const std::string& isa : this_cpu().isas)
    if (!isa.ends_with("bf16")) levels.insert(isa);
  EXPECT_EQ(levels, (std::set<std::string>{"neon", expected}));
}

/// QEMU's CPU with SVE has all extensions, the one without has none.
TEST_F(Isa, has_dot_products_of_bf16_where_they_are_expected_and_they_are_exact) {
  const Kernel& dots = *find_kernel("ert/bf16dot");
  std::set<std::string> swept;
  for (const int iterations : {1, 2, 1001})
    for (const Flavor& flavor : dots.flavors()) {
      const std::string isa = split_flavor(flavor.name).isa;
      if (!runs_isa(isa)) continue;
      const auto data = dots.prepare({{"iterations", std::int64_t{iterations}}, {"blocks", std::int64_t{3}}}, flavor.precision,
                                     *std::pmr::new_delete_resource());
      data->initialise(0, data->extent());
      flavor.sweep(data->arguments(), 0, data->extent());
      EXPECT_EQ(data->error(), 0) << flavor.name;
      swept.insert(isa);
    }
  EXPECT_EQ(swept, expected == "neon" ? std::set<std::string>{} : (std::set<std::string>{"neonbf16", expected + "bf16"}));
}

TEST_F(Isa, has_a_flavor_of_every_ceiling_kernel_in_every_precision) {
  for (const char* name : {"ert/peak", "ert/stream", "ert/vector"})
    for (const std::string precision : {"fp64", "fp32"}) {
      const auto flavors = find_kernel(name)->flavors();
      EXPECT_TRUE(std::any_of(flavors.begin(), flavors.end(),
                              [&](const Flavor& f) { return f.precision == precision && split_flavor(f.name).isa == expected; }))
          << name << " " << precision;
    }
}

TEST_F(Isa, is_what_ceilings_are_measured_with) {
  const CeilingTeam alone{.team = {1, 1}};
  const auto plan = plan_ceilings(CeilingMode::quick, this_cpu().isas, {}, std::uint64_t{4} << 30, {&alone, 1});
  std::set<std::string> isas, patterns;
  for (const CeilingCase& c : plan) {
    isas.insert(split_flavor(c.measured.flavor.name).isa);
    patterns.insert(c.pattern);
  }
  EXPECT_TRUE(isas.contains(expected));
  for (const std::string& isa : isas) EXPECT_TRUE(runs_isa(isa)) << isa;
  for (const char* pattern : {"fma", "add", "load", "triad"}) EXPECT_TRUE(patterns.contains(pattern)) << pattern;
}

}  // namespace
}  // namespace plumbline
