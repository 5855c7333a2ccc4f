// The registered kernels' work in one sweep of n = 65536 is printed by the library alone: no MPI, no HDF5.
#include <cstdint>
#include <cstdio>

#include "core/kernel.hpp"

int main() {
  for (const auto& kernel : plumbline::kernels()) {
    const auto work = kernel.model({{"n", std::int64_t{65536}}}, "fp64", kernel.flavors().front().name);
    std::uint64_t flops = 0;
    for (const auto& [quantity, count] : work.flops) flops += count.lo;
    std::printf("%s: %llu FLOPs a sweep\n", kernel.name.c_str(), static_cast<unsigned long long>(flops));
  }
}
