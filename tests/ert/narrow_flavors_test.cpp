// The flavors of 16-bit precisions compute the right result where the CPU has their instructions.
#include <gtest/gtest.h>

#include "machine/cpu.hpp"
#include "points.hpp"

namespace plumbline {
namespace {

/// Runs every flavor of that precision; says which ISA is missing where none runs.
void run_flavors(const std::vector<KernelPoint>& points, std::string_view precision) {
  int swept = 0;
  std::string isa;
  for (const KernelPoint& point : points) {
    const Kernel* const kernel = find_kernel(point.kernel);
    if (kernel == nullptr) break;
    for (const Flavor& flavor : kernel->flavors()) {
      if (flavor.precision != precision) continue;
      isa = split_flavor(flavor.name).isa;
      if (!runs_isa(isa)) continue;
      const auto data = kernel->prepare(parameters(point), precision, *std::pmr::new_delete_resource());
      data->initialise(0, data->extent());
      flavor.sweep(data->arguments(), 0, data->extent());
      EXPECT_LE(data->error(), data->tolerance()) << parameters(point).path() << " " << flavor.name;
      ++swept;
    }
  }
  if (isa.empty()) GTEST_SKIP() << "SKIP: no compiler here makes " << precision << " flavors";
  if (swept == 0) GTEST_SKIP() << "SKIP: this CPU does not run ISA " << isa;
}

TEST(NarrowFlavors, fp16_arithmetic_is_right_bit_by_bit) {
  std::vector<KernelPoint> points;
  for (const char* form : {"fma", "add", "mul", "muladd", "fmaadd", "scalar_fma", "scalar_add"})
    for (const int iterations : {1, 101, 1000})
      points.push_back({"ert/peak", {{"form", std::string(form)}, {"iterations", number(iterations)}}});
  run_flavors(points, "fp16");
}

TEST(NarrowFlavors, dot_products_of_bf16_are_exact) {
  std::vector<KernelPoint> points;
  for (const int iterations : {1, 2, 1001}) points.push_back({"ert/bf16dot", {{"iterations", number(iterations)}}});
  run_flavors(points, "bf16");
}

}  // namespace
}  // namespace plumbline
