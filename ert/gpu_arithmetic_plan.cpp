// Of vectors: FMAs, sums and products in registers, how many warps they take, and ERT's vector, whose operands come from memory.
#include <array>

#include "ert/gpu_ceiling_planner.hpp"

namespace plumbline {
namespace {

struct PeakCeiling {
  const char* form;
  const char* name;
  const char* pattern;
  bool quick, in_halves;
};
/// 16-bit numbers two an instruction: ptxas makes it so of single ones that do not wait for one another too. It also makes FMAs of a part
/// of their sums and products: a ceiling without FMAs is none.
constexpr std::array peak_ceilings{
    PeakCeiling{"fma", "FMA", "fma", true, true},
    PeakCeiling{"muladd", "mul+add", "mul+add", true, false},
    PeakCeiling{"add", "add", "add", false, false},
    PeakCeiling{"mul", "mul", "mul", false, false},
};

/// FLOP a cycle and multiprocessor that are expected, for the length of a sweep; a real limit is model/gpu_limits.cpp's.
double expected_flops(std::string_view precision) {
  constexpr std::pair<std::string_view, double> table[] = {{"fp64", 128}, {"fp32", 256}, {"fp16", 512}, {"bf16", 512}};
  for (const auto& [name, flops] : table)
    if (name == precision) return flops;
  return 512;
}

/// Blocks of so many threads on each multiprocessor.
struct Occupancy {
  std::uint64_t blocks, threads;
};

CeilingCase* add_peak(GpuCeilingPlanner& planner, const Kernel& kernel, const char* precision, const PeakCeiling& ceiling,
                      Occupancy occupancy) {
  // an iteration: 32 operations of 8 chains a thread; few warps wait for their own results
  const double lanes = precision_bytes(precision) == 2 ? 2 : 1;
  const double flops = 256 * lanes * 2 * static_cast<double>(occupancy.threads * occupancy.blocks);
  const double cycles = std::max(flops / expected_flops(precision), 32.0 * 8);
  CeilingCase* const planned = planner.add(kernel, precision,
                                           {{"form", word(ceiling.form)},
                                            {"packed", word("yes")},
                                            {"blocks", integer(occupancy.blocks * planner.multiprocessors())},
                                            {"threads", integer(occupancy.threads)},
                                            {"iterations", integer(planner.iterations(cycles))}});
  if (planned != nullptr) take_flops(*planned);
  return planned;
}

void plan_peak(GpuCeilingPlanner& planner, const Kernel& kernel) {
  for (const char* precision : {"fp64", "fp32", "fp16", "bf16"})
    for (const PeakCeiling& ceiling : peak_ceilings) {
      if ((planner.quick() && !ceiling.quick) || (precision_bytes(precision) == 2 && !ceiling.in_halves)) continue;
      if (CeilingCase* const planned = add_peak(planner, kernel, precision, ceiling, {4, 256}))
        describe(*planned, "GPU " + upper(precision) + " " + ceiling.name, precision, "compute", ceiling.pattern, "GFLOP/s");
    }
}

/// FMAs with 1, 2, 4, ... warps on each multiprocessor: how many it takes.
void plan_occupancy(GpuCeilingPlanner& planner, const Kernel& kernel) {
  for (const char* precision : {"fp64", "fp32"})
    for (std::uint64_t warps = 1; warps <= 32; warps *= 2)
      if (CeilingCase* const planned = add_peak(planner, kernel, precision, peak_ceilings[0], {1, 32 * warps})) {
        const std::string pattern = std::to_string(warps) + " warps";
        describe(*planned, "GPU " + upper(precision) + " FMA, " + pattern + " an SM", precision, "occupancy", pattern, "GFLOP/s");
      }
}

void add_vector(GpuCeilingPlanner& planner, const Kernel& kernel, const char* precision, std::uint64_t k) {
  const std::uint64_t n = 128 * MiB / precision_bytes(precision);
  if (CeilingCase* const planned = planner.add(kernel, precision, {{"k", integer(k)}, {"n", integer(n)}, {"repeat", integer(1)}})) {
    const std::string pattern = "k=" + std::to_string(k);
    describe(*planned, "GPU " + upper(precision) + " vector " + pattern, precision, "vector", pattern, "GFLOP/s");
    take_flops(*planned);
    planned->working_set_bytes = footprint_bytes(planned->measured.work());
  }
}

}  // namespace

void plan_gpu_arithmetic(GpuCeilingPlanner& planner) {
  const Kernel* const kernel = planner.kernel("ert/peak");
  if (kernel == nullptr) return;
  plan_peak(planner, *kernel);
  if (!planner.quick()) plan_occupancy(planner, *kernel);
}

void plan_gpu_vector(GpuCeilingPlanner& planner) {
  const Kernel* const kernel = planner.kernel("ert/vector");
  if (planner.quick() || kernel == nullptr) return;
  for (const char* precision : {"fp64", "fp32"})
    for (std::uint64_t k = 1; k <= 512; k *= 2) add_vector(planner, *kernel, precision, k);
}

}  // namespace plumbline
