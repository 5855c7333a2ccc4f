// These two kernels have no loops; campaigns are expanded on them.
#pragma once
#include <vector>

#include "core/kernel.hpp"

namespace plumbline {

inline const Flavor series_flavors[] = {{"gcc12-O3-v2", "fp64", nullptr}, {"gcc12-O3-v2", "fp32", nullptr},
                                        {"gcc12-O3-v3", "fp64", nullptr}, {"gcc12-O3-v3", "fp32", nullptr},
                                        {"gcc12-O3-v4", "fp64", nullptr}, {"gcc12-O3-v4", "fp32", nullptr}};
inline const Flavor dgemm_flavors[] = {{"gcc12-O3-v3", "fp64", nullptr}, {"lib-openblas", "fp64", nullptr}};

// The work on one array of m x m elements.
inline Work square(const Parameters& p, std::string_view precision, std::string_view) {
  const auto m = p.integer("m");
  return {
      .flops = {{"flops.fp64.add", m * m}},
      .streams = {{.array = "a", .footprint_bytes = m * m * precision_bytes(precision), .read = true, .loads = m * m, .element_bytes = 8}},
      .paper = {},
      .note = ""};
}

inline std::vector<Kernel> example_kernels() {
  Kernel dgemm{.name = "validation/dgemm",
               .summary = "",
               .parameters = {{"m", std::int64_t{128}, "rows"}},
               .precisions = {"fp64"},
               .model = square,
               .prepare = {},
               .count = {},
               .flavors = [] { return std::span<const Flavor>(dgemm_flavors); }};
  Kernel series{
      .name = "validation/series",
      .summary = "",
      .parameters = {{.name = "form", .preset = std::string("loop"), .description = "form", .choices = {"inline", "loop", "power"}},
                     {.name = "n", .preset = std::int64_t{7}, .description = "order", .min = 1, .max = 29},
                     {.name = "m", .preset = std::int64_t{1024}, .description = "row length"}},
      .precisions = {"fp64", "fp32"},
      .model = square,
      .prepare = {},
      .count = {},
      .flavors = [] { return std::span<const Flavor>(series_flavors); }};
  return {dgemm, series};
}

inline const Flavor gpu_flavors[] = {{"cuda13-sm_80", "fp64", nullptr}, {"cuda13-sm_90a", "fp64", nullptr}};

/// The example kernels, and the series as well as a kernel of its own for GPUs.
inline std::vector<Kernel> example_kernels_with_gpus() {
  std::vector<Kernel> all = example_kernels();
  Kernel on_gpu = all.back();
  on_gpu.space = Space::cuda;
  on_gpu.precisions = {"fp64"};
  on_gpu.flavors = [] { return std::span<const Flavor>(gpu_flavors); };
  Kernel alone = on_gpu;
  alone.name = "validation/warps";
  all.push_back(on_gpu);
  all.push_back(alone);
  return all;
}

}  // namespace plumbline
