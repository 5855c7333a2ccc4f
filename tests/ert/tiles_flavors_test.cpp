// The flavors of matrix tiles compute the right products where the CPU has AMX and Linux lets this process use it.
#include <gtest/gtest.h>

#include "run_flavors.hpp"

namespace plumbline {
namespace {

std::vector<KernelPoint> points_of_tiles() {
  std::vector<KernelPoint> points;
  for (const int iterations : {1, 2, 1001}) points.push_back({"ert/tiles", {{"iterations", number(iterations)}, {"blocks", number(3)}}});
  return points;
}

TEST(TileFlavors, products_of_bf16_are_exact) { run_flavors(points_of_tiles(), "bf16"); }
TEST(TileFlavors, products_of_fp16_are_exact) { run_flavors(points_of_tiles(), "fp16"); }
TEST(TileFlavors, products_of_int8_are_exact) { run_flavors(points_of_tiles(), "int8"); }

}  // namespace
}  // namespace plumbline
