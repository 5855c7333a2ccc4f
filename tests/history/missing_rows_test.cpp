// A case is retired when its kernel, here and in its space, takes other parameters by now; whatever was tried is not.
#include "app/nights/missing_rows.hpp"

#include <gtest/gtest.h>

#include "core/kernel.hpp"

namespace plumbline::app {
namespace {

/// The id of a case of the triad, which takes n.
std::string triad(const std::string& parameters, const std::string& team = "r1t1") {
  return "validation/triad/fp64/" + parameters + "/" + team + "/gcc12-O3-v3";
}

TEST(Retired, is_a_case_of_other_parameters_than_its_kernel_takes) {
  EXPECT_TRUE(is_retired(triad("m=1000")));
  EXPECT_TRUE(is_retired(triad("n=1000/stride=2")));
  EXPECT_TRUE(is_retired("proxies/gsrb/fp64/variant=fp/n=64/r1t1/gcc12-O3-v3"));
  EXPECT_TRUE(is_retired("proxies/gsrb/fp64/variant=fp/n=64/r1t1/gcc12-O3-v3#red"));
  EXPECT_FALSE(is_retired(triad("n=1000")));
  EXPECT_FALSE(is_retired("proxies/gsrb/fp64/variant=fp/boxes=2/n=64/r1t1/gcc12-O3-v3"));
}

TEST(Retired, is_no_case_of_a_kernel_that_is_unknown_here) {
  EXPECT_FALSE(is_retired("mine/triad/fp64/m=1000/r1t1/gcc12-O3-v3"));
  EXPECT_FALSE(is_retired("FP64 vector FMA r1t1"));
  EXPECT_FALSE(is_retired("imported/void f<g(int)::{lambda(int)#1}>/fp64/g1/ncu"));
}

/// Kernels of one name may take other parameters on GPUs, and no kernel for GPUs is linked here.
TEST(Retired, is_asked_in_the_cases_own_space) {
  ASSERT_EQ(find_kernel("validation/triad", Space::cuda), nullptr);
  EXPECT_FALSE(is_retired(triad("blocks=8/n=1000", "g1")));
}

TEST(Missing, a_case_that_was_tried_and_failed_is_no_retired_one) {
  const std::string what = triad("m=1000");
  Night before{.started_unix_ns = 1, .campaign = "c"}, tonight{.started_unix_ns = 2, .campaign = "c"};
  const SeriesKey retired{what, "n"}, kept{triad("n=1000"), "n"};
  tonight.rows = {{.key = retired, .status = Status::failed, .reason = "it broke"}, {.key = kept, .status = Status::ok}};
  std::map<SeriesKey, Series> series;
  for (const auto& key : {retired, kept}) series[key].points.push_back({.night = &before});
  const MissingRows found = find_missing(tonight, series);
  EXPECT_TRUE(found.retired.empty());
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].key.what, what);
  EXPECT_EQ(found.rows[0].reason, "failed: it broke");

  tonight.rows.erase(tonight.rows.begin());
  EXPECT_EQ(find_missing(tonight, series).retired, std::set<std::string>{what});
  EXPECT_TRUE(find_missing(tonight, series).rows.empty());
}

}  // namespace
}  // namespace plumbline::app
