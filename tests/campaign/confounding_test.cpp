#include "campaign/confounding.hpp"

#include <gtest/gtest.h>

#include "example_kernels.hpp"

namespace plumbline {
namespace {

const std::vector<Kernel>& examples() {
  static const std::vector<Kernel> all = example_kernels_with_gpus();
  return all;
}

Case of(std::string_view kernel, const char* flavor, Team team = {1, 1}, const char* precision = "fp64") {
  for (const Kernel& one : examples())
    if (one.name == kernel)
      return {.kernel = &one, .parameters = {}, .precision = precision, .flavor = {flavor, precision, nullptr}, .team = team};
  throw std::invalid_argument(std::string(kernel));
}

constexpr const char *series = "validation/series", *dgemm = "validation/dgemm";

TEST(confounded, a_level_of_one_kernel_alone_is_named_with_what_to_add) {
  const auto lines = confounded(std::vector{of(series, "gcc12-O0-v3"), of(series, "gcc12-O3-v3"), of(dgemm, "gcc12-O3-v3")});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(
      lines.front(),
      "level O0 occurs only with kernel validation/series: a counter that is wrong there cannot be told from one that is wrong in that "
      "kernel; add level O0 to another kernel");
}

TEST(confounded, a_level_of_two_kernels_is_not) {
  EXPECT_TRUE(
      confounded(std::vector{of(series, "gcc12-O0-v3"), of(series, "gcc12-O3-v3"), of(dgemm, "gcc12-O0-v3"), of(dgemm, "gcc12-O3-v3")})
          .empty());
}

TEST(confounded, two_factors_that_only_occur_together_are_named) {
  const auto lines =
      confounded(std::vector{of(series, "gcc12-O3-v3"), of(dgemm, "gcc12-O3-v3"), of(series, "clang14-O0-v3"), of(dgemm, "clang14-O0-v3")});
  ASSERT_EQ(lines.size(), 2U);  // and so are the others
  EXPECT_NE(lines.front().find("level O0 and compiler clang14 occur only together"), std::string::npos) << lines.front();
}

TEST(confounded, teams_and_precisions_are_factors) {
  const auto lines = confounded(std::vector{of(series, "gcc12-O3-v3"), of(series, "gcc12-O3-v3", {1, 2}),
                                            of(series, "gcc12-O3-v3", {1, 1}, "fp32"), of(dgemm, "gcc12-O3-v3")});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find("precision fp32 occurs only with kernel validation/series"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("team r1t2 occurs only with kernel validation/series"), std::string::npos) << lines[1];
}

TEST(confounded, one_kernel_alone_a_library_and_gpus_are_none) {
  EXPECT_TRUE(confounded(std::vector{of(series, "gcc12-O0-v3"), of(series, "gcc12-O3-v3")}).empty());
  EXPECT_TRUE(confounded(std::vector{of(series, "gcc12-O3-v3"), of(dgemm, "gcc12-O3-v3"), of(dgemm, "lib-openblas")}).empty());
  EXPECT_TRUE(
      confounded(std::vector{of(series, "gcc12-O3-v3"), of(dgemm, "gcc12-O3-v3"), of("validation/warps", "cuda13-sm_80", {1, 1, 1})})
          .empty());
}

}  // namespace
}  // namespace plumbline
