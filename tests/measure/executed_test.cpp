// A case's machine code loads and stores what arithmetic alone knows too: kernels whose loads and stores are forced, one for each element
// as written.
#include "measure/executed.hpp"

#include <gtest/gtest.h>

#include "core/kernel.hpp"
#include "machine/cpu.hpp"

namespace plumbline {
namespace {

Case stream_of(const std::string& pattern, std::int64_t n, const Flavor& flavor, int threads = 1) {
  return {.kernel = find_kernel("ert/stream"),
          .parameters = {{"pattern", pattern}, {"n", n}, {"repeat", std::int64_t{2}}},
          .precision = std::string(flavor.precision),
          .flavor = flavor,
          .team = {1, threads}};
}

References as_written(const Case& measured) {
  References sum;
  for (const Stream& stream : measured.work().streams) {
    sum.load += stream.loads * stream.element_bytes;
    (stream.non_temporal ? sum.nt_store : sum.store) += stream.stores * stream.element_bytes;
  }
  return sum;
}

/// Calls check(flavor) for those that this CPU runs and that have a twin.
template <class Check>
int for_all_flavors(Check check) {
  int flavors = 0;
  for (const Flavor& flavor : find_kernel("ert/stream")->flavors()) {
    if (!runs_isa(split_flavor(flavor.name).isa) || find_twin(flavor.sweep) == nullptr) continue;
    SCOPED_TRACE(std::string(flavor.name) + " " + std::string(flavor.precision));
    check(flavor);
    ++flavors;
  }
  return flavors;
}

TEST(Executed, forced_loads_and_stores_grow_as_those_that_are_written) {
  const int flavors = for_all_flavors([](const Flavor& flavor) {
    for (const char* pattern : {"load", "store", "copy", "update", "triad", "store_nt", "copy_nt"}) {
      const Case small = stream_of(pattern, 1 << 12, flavor), large = stream_of(pattern, 1 << 14, flavor);
      const Executed few = executed_references(small), many = executed_references(large);
      ASSERT_TRUE(few.references && many.references) << few.why_none << many.why_none;
      EXPECT_EQ(many.references->load - few.references->load, as_written(large).load - as_written(small).load) << pattern;
      EXPECT_EQ(many.references->store - few.references->store, as_written(large).store - as_written(small).store) << pattern;
      EXPECT_EQ(many.references->nt_store, as_written(large).nt_store) << pattern;
    }
  });
  if (flavors == 0) GTEST_SKIP() << "SKIP: no flavor here has a counted twin";
}

TEST(Executed, a_team_executes_the_sum_of_its_parts) {
  const int flavors = for_all_flavors([](const Flavor& flavor) {
    const Executed alone = executed_references(stream_of("store_nt", 1 << 14, flavor)),
                   team = executed_references(stream_of("store_nt", 1 << 14, flavor, 3));
    ASSERT_TRUE(alone.references && team.references);
    EXPECT_EQ(team.references->nt_store, alone.references->nt_store);
    EXPECT_GE(team.references->load, alone.references->load) << "each thread loads the arguments";
  });
  if (flavors == 0) GTEST_SKIP() << "SKIP: no flavor here has a counted twin";
}

TEST(Executed, what_has_no_twin_says_so) {
  const Flavor library{"lib-somebody", "fp64", [](const void*, std::size_t, std::size_t) {}};
  const Executed executed = executed_references(stream_of("load", 64, library));
  EXPECT_FALSE(executed.references);
  EXPECT_EQ(executed.why_none, "lib-somebody has no counted twin");
}

TEST(Executed, a_sweep_of_minutes_is_not_counted) {
  for_all_flavors([](const Flavor& flavor) {
    const Executed executed = executed_references(stream_of("load", std::int64_t{1} << 33, flavor));
    EXPECT_FALSE(executed.references);
    EXPECT_EQ(executed.why_none, "a sweep of the counted twin would take too long");
  });
}

}  // namespace
}  // namespace plumbline
