// Flavors of precisions that few CPUs have instructions for, run where this one does.
#pragma once
#include <gtest/gtest.h>

#include "machine/cpu.hpp"
#include "points.hpp"

namespace plumbline {

/// Runs every flavor of that precision and holds its result; says which ISA is missing where none runs.
inline void run_flavors(const std::vector<KernelPoint>& points, std::string_view precision) {
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
  const std::string& withheld = this_cpu().why_no_tiles;
  if (swept == 0)
    GTEST_SKIP() << "SKIP: this CPU does not run ISA " << isa << (withheld.empty() || isa.find("amx") == isa.npos ? "" : ": " + withheld);
}

}  // namespace plumbline
