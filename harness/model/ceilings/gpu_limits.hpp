// A GPU's multiprocessors could do so much in a clock cycle at most, by their vendor's documents: the yardstick of its ceilings.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "model/ceilings/core_limits.hpp"

namespace plumbline {

/// The GPU's identity, as the ceilings' method says it: "cuda13-sm_90a, 132 multiprocessors of 9.0, NVIDIA H100 80GB HBM3".
struct GpuIdentity {
  std::string flavor = {}, name = {};
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
};
std::string gpu_method(const GpuIdentity& gpu);
/// Reads the GPU's identity from a method; nothing where the words are others.
std::optional<GpuIdentity> gpu_of_method(std::string_view method);

/// The limit of arithmetic of `pattern` of one multiprocessor, FLOP a cycle: "fma", "mul+add", "add", "mul" in fp64, fp32, and in fp16 and
/// bf16 two an instruction; tensor cores for precisions "tensor.TYPE". Nothing where it is not in the table.
std::optional<CoreLimit> gpu_arithmetic_limit(const GpuIdentity& gpu, std::string_view precision, std::string_view pattern);
/// The limit of bytes a cycle that a multiprocessor loads from its L1 or its shared memory. Nothing for other levels, whose clocks are not
/// its.
std::optional<CoreLimit> gpu_bandwidth_limit(const GpuIdentity& gpu, std::string_view level);

}  // namespace plumbline
