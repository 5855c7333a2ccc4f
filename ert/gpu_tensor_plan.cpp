// Tensor cores are planned here, by each way there is to reach them.
#include <algorithm>
#include <array>
#include <utility>

#include "ert/gpu_ceiling_planner.hpp"
#include "ert/upper_case.hpp"

namespace plumbline {
namespace {

constexpr std::array tensor_kernels{std::pair{"ert/wgmma", "wgmma"}, std::pair{"ert/mma", "mma.sync"}, std::pair{"ert/wmma", "WMMA"}};

/// FLOP a cycle and multiprocessor that are expected, for the length of a sweep; a real limit is model/ceilings/gpu_limits.cpp's.
double expected_tensor_flops(std::string_view type) {
  return type == "fp64" ? 256 : type == "tf32" ? 2048 : type == "fp16" || type == "bf16" ? 4096 : 8192;
}

/// Adds the ceiling of a type by one instruction, and says whether the GPU has it.
bool add_instruction(GpuCeilingPlanner& planner, const Kernel& kernel, const std::string& type, const char* instruction) {
  const std::uint64_t blocks = 2 * planner.multiprocessors();
  const Parameters one{{"blocks", integer(blocks)}, {"iterations", integer(1)}},
      two{{"blocks", integer(blocks)}, {"iterations", integer(2)}};
  const auto flops = [&](const Parameters& p) { return static_cast<double>(total_flops(kernel.model(p, type, "").flops).lo); };
  const double cycles = (flops(two) - flops(one)) / static_cast<double>(planner.multiprocessors()) / expected_tensor_flops(type);
  CeilingCase* const planned =
      planner.add(kernel, type, {{"blocks", integer(blocks)}, {"iterations", integer(planner.iterations(cycles))}});
  if (planned == nullptr) return false;
  describe(*planned, "GPU tensor " + upper_case(type) + " " + instruction, "tensor." + type, CeilingKind::compute, instruction, "GFLOP/s");
  take_flops(*planned);
  return true;
}

/// Products of matrices by cuBLAS, of a type that takes such a compute capability (80: 8.0).
struct GemmCeiling {
  const char* type;
  const char* precision;  // of the ceiling: of vectors in fp32
  const char* name;
  int least_capability;
  bool quick;
  double least_flops;  // a cycle and multiprocessor, of the slowest GPUs that have it at full rate
};
constexpr std::array gemm_ceilings{
    GemmCeiling{"fp16", "tensor.fp16", "GPU tensor FP16 cuBLAS", 75, false, 512},
    GemmCeiling{"bf16", "tensor.bf16", "GPU tensor BF16 cuBLAS", 80, true, 512},
    GemmCeiling{"tf32", "tensor.tf32", "GPU tensor TF32 cuBLAS", 80, false, 256},
    GemmCeiling{"fp64", "tensor.fp64", "GPU tensor FP64 cuBLAS", 80, true, 128},
    GemmCeiling{"fp8", "tensor.fp8", "GPU tensor FP8 cuBLAS", 89, false, 1024},
    GemmCeiling{"int8", "tensor.int8", "GPU tensor INT8 cuBLAS", 75, false, 1024},
    GemmCeiling{"fp32", "fp32", "GPU FP32 cuBLAS", 75, false, 128},
};
constexpr std::array<std::uint64_t, 4> gemm_sizes{8192, 4096, 2048, 1024};
/// Whether a type's ceiling is measured as it lasts too: of the one that most programs use, for that takes seconds.
bool is_sustained(std::string_view type) { return type == "bf16"; }
constexpr double longest_gemm_seconds = 0.05;

/// Whether the GPU has at least a capability (80 for 8.0); a GPU of which nothing is known has every one.
bool has_capability(const GpuProperties& gpu, int least) { return gpu.major == 0 || 10 * gpu.major + gpu.minor >= least; }

/// The seconds of one product at the least rate. The rates of fp64 have doubled once, and are slow where fp64 is not what a GPU is for.
double gemm_seconds(const GpuProperties& gpu, std::string_view type, double flops) {
  const bool for_fp64 = gpu.major == 0 || (gpu.minor == 0 && gpu.major >= 8 && gpu.major <= 10);
  const auto* const ceiling =
      std::find_if(gemm_ceilings.begin(), gemm_ceilings.end(), [&](const GemmCeiling& one) { return one.type == type; });
  const double rate = type != "fp64" ? ceiling->least_flops : !for_fp64 ? 4 : gpu.major == 9 ? 256 : 128;
  return flops / (rate * std::max(1, gpu.multiprocessors) * (gpu.clock_hz > 0 ? gpu.clock_hz : 1.5e9));
}

/// Adds products by size, the largest first, of bf16 once more as a sustained one; quick: the largest alone. A size that takes too long or
/// too much memory is left out.
void add_gemm(GpuCeilingPlanner& planner, const Kernel& kernel, const GemmCeiling& ceiling) {
  bool sustained = is_sustained(ceiling.type);
  for (const std::uint64_t n : gemm_sizes) {
    const Work work = kernel.model({{"n", integer(n)}}, ceiling.type, "");
    const double flops = static_cast<double>(total_flops(work.flops).lo);
    if (footprint_bytes(work) > planner.quarter_of_memory() || gemm_seconds(planner.gpu(), ceiling.type, flops) > longest_gemm_seconds)
      continue;
    CeilingCase* const planned = planner.add(kernel, ceiling.type, {{"n", integer(n)}});
    if (planned == nullptr) return;
    describe(*planned, ceiling.name, ceiling.precision, CeilingKind::gemm, "n=" + std::to_string(n), "GFLOP/s");
    planned->amount_per_sweep = flops;
    planned->working_set_bytes = footprint_bytes(work);
    if (std::exchange(sustained, false)) planner.add_sustained();
    if (planner.quick()) return;
  }
}

void plan_gemm(GpuCeilingPlanner& planner) {
  const Kernel* const kernel = planner.kernel("ert/gemm");
  if (kernel == nullptr) return;
  for (const GemmCeiling& ceiling : gemm_ceilings)
    if ((!planner.quick() || ceiling.quick) && has_capability(planner.gpu(), ceiling.least_capability)) add_gemm(planner, *kernel, ceiling);
}

std::string why_no_gemm(const Kernel* kernel) {
  if (kernel == nullptr) return "ert/gemm is not in the module, which was built where CUDA's headers are without cublasLt.h";
  const std::vector<AbsentFlavor> missing = kernel->absent_flavors();
  return missing.empty() ? "" : missing.front().reason;
}

void add_absent_gemm(const GpuProperties& gpu, const Kernel* kernel, std::vector<AbsentFlavor>& missing) {
  const std::string why = why_no_gemm(kernel);
  for (const GemmCeiling& ceiling : gemm_ceilings)
    if (const int least = ceiling.least_capability; !why.empty() || !has_capability(gpu, least))
      missing.push_back(
          {ceiling.name, !why.empty() ? why : "needs compute capability " + std::to_string(least / 10) + "." + std::to_string(least % 10)});
}

}  // namespace

double gemm_seconds(const CeilingCase& planned, const GpuProperties& gpu) {
  return gemm_seconds(gpu, planned.measured.precision, planned.amount_per_sweep);
}

/// The first instruction that there is has a sustained ceiling too: it is the GPU's own.
void plan_gpu_tensor(GpuCeilingPlanner& planner) {
  bool sustained = true;
  for (const auto& [name, instruction] : tensor_kernels) {
    const Kernel* const kernel = planner.kernel(name);
    if (kernel == nullptr) continue;
    for (const std::string& type : kernel->precisions)
      if ((!planner.quick() || type == "bf16" || type == "fp64") && add_instruction(planner, *kernel, type, instruction) &&
          is_sustained(type) && std::exchange(sustained, false))
        planner.add_sustained();
  }
  plan_gemm(planner);
}

void add_absent_gpu_tensor(const GpuProperties& gpu, std::span<const Kernel> kernels, std::vector<AbsentFlavor>& missing) {
  for (const auto& [name, instruction] : tensor_kernels)
    if (const Kernel* const kernel = kernel_named(kernels, name))
      for (const AbsentFlavor& flavor : kernel->absent_flavors())
        if (flavor.name == gpu.flavor) missing.push_back({std::string("GPU tensor ") + instruction, flavor.reason});
  if (!gpu.flavor.empty()) add_absent_gemm(gpu, kernel_named(kernels, "ert/gemm"), missing);
}

}  // namespace plumbline
