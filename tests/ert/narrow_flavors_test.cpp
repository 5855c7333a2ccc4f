// The flavors of precisions of 16 and 8 bits compute the right result where the CPU has their instructions.
#include <gtest/gtest.h>

#include "run_flavors.hpp"

namespace plumbline {
namespace {

TEST(NarrowFlavors, fp16_arithmetic_is_right_bit_by_bit) {
  std::vector<KernelPoint> points;
  for (const std::string& form : peak_words())
    for (const int iterations : {1, 101, 1000}) points.push_back({"ert/peak", {{"form", form}, {"iterations", number(iterations)}}});
  run_flavors(points, "fp16");
}

TEST(NarrowFlavors, dot_products_of_bf16_are_exact) {
  std::vector<KernelPoint> points;
  for (const int iterations : {1, 2, 1001}) points.push_back({"ert/bf16dot", {{"iterations", number(iterations)}}});
  run_flavors(points, "bf16");
}

TEST(NarrowFlavors, dot_products_of_int8_are_exact) {
  std::vector<KernelPoint> points;
  for (const int iterations : {1, 2, 1001}) points.push_back({"ert/int8dot", {{"iterations", number(iterations)}, {"blocks", number(3)}}});
  run_flavors(points, "int8");
}

}  // namespace
}  // namespace plumbline
