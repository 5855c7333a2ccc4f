// Multigrid does what it is for: each cycle takes the same part off the error however fine the grid, and what remains in the end is of
// fourth order.
#include <gtest/gtest.h>

#include <cmath>
#include <memory_resource>
#include <string>

#include "core/application.hpp"
#include "core/kernel.hpp"
#include "tests/kernels/refusal.hpp"
#include "tests/kernels/whole_sweep.hpp"

namespace plumbline {
namespace {

const Kernel& multigrid() { return *find_kernel("proxies/multigrid"); }

Parameters asked_cycles(const std::string& cycle, std::int64_t n, std::int64_t levels, std::int64_t cycles, std::int64_t boxes = 1) {
  return {{"variant", std::string("stride2")},
          {"cycle", cycle},
          {"boxes", boxes},
          {"n", n},
          {"levels", levels},
          {"cycles", cycles},
          {"smooths", std::int64_t{2}},
          {"bottom", std::int64_t{16}}};
}

/// The largest error that is left, by the first flavor in FP64.
double error_left(const Parameters& p) {
  for (const Flavor& flavor : multigrid().flavors()) {
    if (flavor.precision != "fp64") continue;
    const auto data = multigrid().prepare(p, "fp64", *std::pmr::new_delete_resource());
    initialise_whole(*data);
    sweep_whole(*data, flavor.sweep);
    return data->error();
  }
  return NAN;
}

TEST(multigrid, what_remains_is_of_fourth_order) {
  const double coarse = error_left(asked_cycles("v", 16, 4, 8)), fine = error_left(asked_cycles("v", 32, 5, 8));
  EXPECT_GT(std::log2(coarse / fine), 3.8) << coarse << " " << fine;
  EXPECT_LT(std::log2(coarse / fine), 4.3) << coarse << " " << fine;
}

/// The part of the error that the second cycle leaves of what the first one left, beside the error that no cycle can take off.
double convergence_factor(std::int64_t n, std::int64_t levels) {
  const double end = error_left(asked_cycles("v", n, levels, 8));
  return (error_left(asked_cycles("v", n, levels, 2)) - end) / (error_left(asked_cycles("v", n, levels, 1)) - end);
}

TEST(multigrid, cycles_converge_as_fast_on_any_size) {
  const double small = convergence_factor(16, 4), middle = convergence_factor(32, 5), large = convergence_factor(64, 6);
  EXPECT_LT(small, 0.05);
  EXPECT_LT(middle, 0.05);
  EXPECT_LT(large, 1.5 * middle);
}

TEST(multigrid, an_f_cycle_leaves_less_than_a_v_cycle) {
  EXPECT_LT(error_left(asked_cycles("f", 32, 5, 1)), 0.5 * error_left(asked_cycles("v", 32, 5, 1)));
}

TEST(multigrid, boxes_change_nothing_in_the_result) {
  const double error = error_left(asked_cycles("f", 32, 3, 2, 1));
  EXPECT_NEAR(error_left(asked_cycles("f", 16, 3, 2, 2)), error, 1e-9 * error);  // the mean is summed in another order
}

TEST(multigrid, sizes_that_are_none_are_told_in_one_line) {
  const auto why = [](std::int64_t n, std::int64_t levels) { return refusal(multigrid(), asked_cycles("v", n, levels, 1)); };
  EXPECT_EQ(why(48, 4), "");
  EXPECT_EQ(why(20, 4), "n = 20 cannot be halved 3 times to 2 cells or more (levels = 4): take n = 16, or fewer levels");
  EXPECT_EQ(why(2048, 2),
            "boxes = 1 of n = 2048 cells a side are 8640364608 cells with their ghosts, and a rank may have 2147483648: take fewer or "
            "smaller boxes");
  EXPECT_EQ(why(4, 2), "boxes = 1 of n = 4 cells a side are fewer than the 8 cells that a wave needs: take a larger n");
}

}  // namespace
}  // namespace plumbline
