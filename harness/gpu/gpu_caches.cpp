#include "gpu/gpu_caches.hpp"

namespace plumbline {
namespace {

/// NVIDIA, CUDA C++ Programming Guide 13.0, "Compute Capabilities": unified L1 and shared memory of a multiprocessor, and whether L2 is in
/// halves (tuning guides of Ampere, Hopper, Blackwell).
struct Generation {
  int major, minor;
  std::uint64_t unified_KiB;
  bool halves;
};
constexpr Generation generations[] = {{7, 0, 128, false}, {7, 5, 96, false}, {8, 0, 192, true},  {8, 6, 128, false}, {8, 7, 192, false},
                                      {8, 9, 128, false}, {9, 0, 256, true}, {10, 0, 256, true}, {12, 0, 128, false}};
/// The least of what newer ones may have.
constexpr Generation unknown{0, 0, 128, true};

const Generation& generation_of(const GpuProperties& gpu) {
  for (const Generation& one : generations)
    if (one.major == gpu.major && one.minor == gpu.minor) return one;
  return unknown;
}

}  // namespace

std::vector<CacheLevel> cache_levels(const GpuProperties& gpu) {
  constexpr std::uint32_t sector_bytes = 32;
  const Generation& generation = generation_of(gpu);
  CachePolicy l2 = gpu_L2_policy;
  if (!generation.halves) l2.copies = 1;
  return {{.name = "L1", .bytes = generation.unified_KiB << 10, .line_bytes = sector_bytes, .policy = gpu_L1_policy},
          {.name = "L2", .bytes = gpu.l2_bytes, .line_bytes = sector_bytes, .shared = true, .policy = l2}};
}

}  // namespace plumbline
