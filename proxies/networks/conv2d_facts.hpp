// A convolution tells the same facts of itself wherever it runs: on CPUs (conv2d.cpp) and on GPUs (conv2d.cu).
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.hpp"

namespace plumbline {

struct ConvSizes {
  const char *direction, *variant;
  std::int64_t images, width, channels, filters, kernel, stride;
};
inline std::vector<Parameters> conv_points(std::initializer_list<ConvSizes> sizes) {
  std::vector<Parameters> sets;
  for (const ConvSizes& s : sizes)
    sets.push_back({{"direction", std::string(s.direction)},
                    {"variant", std::string(s.variant)},
                    {"images", s.images},
                    {"width", s.width},
                    {"channels", s.channels},
                    {"filters", s.filters},
                    {"kernel", s.kernel},
                    {"stride", s.stride}});
  return sets;
}

inline KernelFacts conv2d_facts(std::string summary, ProofSizes proof) {
  return {"proxies/conv2d",
          std::move(summary),
          {{.name = "direction",
            .preset = std::string("forward"),
            .description = "the outputs, or the gradient by the images (backward_data) or by the filters (backward_weights)",
            .choices = {"forward", "backward_data", "backward_weights"}},
           {.name = "variant",
            .preset = std::string("implicit"),
            .description = "patches are read where they lie, side by side from a matrix, or as tiles transformed for fewer products",
            .choices = {"implicit", "im2col", "winograd"}},
           {.name = "images", .preset = std::int64_t{16}, .description = "of a batch", .max = 1 << 12},
           {.name = "width", .preset = std::int64_t{112}, .description = "of the square images, points", .max = 1 << 13},
           {.name = "channels", .preset = std::int64_t{64}, .description = "of an image", .max = 1 << 16},
           {.name = "filters", .preset = std::int64_t{64}, .description = "channels of an output", .max = 1 << 16},
           {.name = "kernel", .preset = std::int64_t{3}, .description = "width of a filter, points", .max = 1 << 10},
           {.name = "stride",
            .preset = std::int64_t{2},
            .description = "points from one patch to the next, at most the kernel",
            .max = 1 << 10}},
          std::move(proof)};
}

}  // namespace plumbline
