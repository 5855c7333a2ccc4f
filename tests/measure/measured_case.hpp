// The tests of measuring take cases of registered kernels, by flavors that every machine of this architecture runs.
#pragma once
#include <string_view>

#include "core/case.hpp"
#include "core/kernel.hpp"

namespace plumbline {

/// A case in FP64 by the kernel's first flavor of that level.
inline Case measured_case(std::string_view kernel, const Parameters& parameters, std::string_view level, int threads = 1) {
  Case measured{.kernel = find_kernel(kernel), .parameters = parameters, .precision = "fp64", .flavor = {}, .team = {1, threads}};
  for (const Flavor& flavor : measured.kernel->flavors())
    if (flavor.precision == "fp64" && split_flavor(flavor.name).level == level && measured.flavor.sweep == nullptr)
      measured.flavor = flavor;
  return measured;
}

}  // namespace plumbline
