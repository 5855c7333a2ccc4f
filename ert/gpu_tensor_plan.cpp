// Of tensor cores, by each way there is to reach them.
#include <array>

#include "ert/gpu_ceiling_planner.hpp"

namespace plumbline {
namespace {

constexpr std::array tensor_kernels{std::pair{"ert/wgmma", "wgmma"}, std::pair{"ert/mma", "mma.sync"}, std::pair{"ert/wmma", "WMMA"}};

/// FLOP a cycle and multiprocessor that are expected, for the length of a sweep; a real limit is model/gpu_limits.cpp's.
double expected_flops(std::string_view type) {
  return type == "fp64" ? 256 : type == "tf32" ? 2048 : type == "fp16" || type == "bf16" ? 4096 : 8192;
}

void add_instruction(GpuCeilingPlanner& planner, const Kernel& kernel, const std::string& type, const char* instruction) {
  const std::uint64_t blocks = 2 * planner.multiprocessors();
  const Parameters one{{"blocks", integer(blocks)}, {"iterations", integer(1)}},
      two{{"blocks", integer(blocks)}, {"iterations", integer(2)}};
  const auto flops = [&](const Parameters& p) { return static_cast<double>(total_flops(kernel.model(p, type, "").flops).lo); };
  const double cycles = (flops(two) - flops(one)) / static_cast<double>(planner.multiprocessors()) / expected_flops(type);
  CeilingCase* const planned =
      planner.add(kernel, type, {{"blocks", integer(blocks)}, {"iterations", integer(planner.iterations(cycles))}});
  if (planned == nullptr) return;
  describe(*planned, "GPU tensor " + upper(type) + " " + instruction, "tensor." + type, "compute", instruction, "GFLOP/s");
  take_flops(*planned);
}

}  // namespace

void plan_gpu_tensor(GpuCeilingPlanner& planner) {
  for (const auto& [name, instruction] : tensor_kernels) {
    const Kernel* const kernel = planner.kernel(name);
    if (kernel == nullptr) continue;
    for (const std::string& type : kernel->precisions)
      if (!planner.quick() || type == "bf16" || type == "fp64") add_instruction(planner, *kernel, type, instruction);
  }
}

void add_absent_gpu_tensor(const GpuProperties& gpu, std::span<const Kernel> kernels, std::vector<AbsentFlavor>& missing) {
  for (const auto& [name, instruction] : tensor_kernels)
    if (const Kernel* const kernel = kernel_named(kernels, name))
      for (const AbsentFlavor& flavor : kernel->absent_flavors())
        if (flavor.name == gpu.flavor) missing.push_back({std::string("GPU tensor ") + instruction, flavor.reason});
}

}  // namespace plumbline
