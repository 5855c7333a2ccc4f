// A GPU's arithmetic by vectors is planned here: FMAs, sums and products in registers, how many warps they take, and ERT's vector, whose
// operands come from memory.
#include <array>
#include <set>

#include "core/kernel.hpp"
#include "ert/gpu_ceiling_planner.hpp"
#include "ert/upper_case.hpp"

namespace plumbline {
namespace {

struct GpuPeakCeiling {
  const char* form;
  const char* name;
  const char* pattern;
  bool quick;
  bool in_halves = false, quick_in_halves = false;
  bool packed = true;  // 16-bit numbers two an instruction
};
/// ptxas makes FMAs x 1 + y and x y - 0 of a part of the sums and products of 16 bits, but none of one with the other.
constexpr std::array gpu_peak_ceilings{
    GpuPeakCeiling{.form = "fma", .name = "FMA", .pattern = "fma", .quick = true, .in_halves = true, .quick_in_halves = true},
    GpuPeakCeiling{.form = "muladd", .name = "mul+add", .pattern = "mul+add", .quick = true, .in_halves = true},
    GpuPeakCeiling{.form = "add", .name = "add", .pattern = "add", .quick = false},
    GpuPeakCeiling{.form = "mul", .name = "mul", .pattern = "mul", .quick = false},
};
constexpr GpuPeakCeiling single_halves{
    .form = "fma", .name = "scalar FMA", .pattern = "scalar fma", .quick = false, .in_halves = true, .packed = false};

/// FLOP a cycle and multiprocessor that are expected, for the length of a sweep; a real limit is model/ceilings/gpu_limits.cpp's.
double expected_vector_flops(std::string_view precision) {
  constexpr std::pair<std::string_view, double> table[] = {{"fp64", 128}, {"fp32", 256}, {"fp16", 512}, {"bf16", 512}};
  for (const auto& [name, flops] : table)
    if (name == precision) return flops;
  return 512;
}

/// An occupancy is blocks of so many threads on each multiprocessor.
struct Occupancy {
  std::uint64_t blocks, threads;
};

CeilingCase* add_peak(GpuCeilingPlanner& planner, const Kernel& kernel, const char* precision, const GpuPeakCeiling& ceiling,
                      Occupancy occupancy) {
  // an iteration: 256 instructions a thread, each a FLOP or two of each lane; few warps wait for their own results
  const bool halves = precision_bytes(precision) == 2;
  const double lanes = halves && ceiling.packed ? 2 : 1, flops_each = std::string_view(ceiling.form) == "fma" ? 2 : 1;
  const double operations = 256 * lanes * static_cast<double>(occupancy.threads * occupancy.blocks);
  const double rate = expected_vector_flops(precision) / (halves && !ceiling.packed ? 2 : 1);
  const double cycles = std::max(2 * operations / rate, 32.0 * 8);
  CeilingCase* const planned = planner.add(kernel, precision,
                                           {{"form", word(ceiling.form)},
                                            {"packed", word(ceiling.packed ? "yes" : "no")},
                                            {"blocks", integer(occupancy.blocks * planner.multiprocessors())},
                                            {"threads", integer(occupancy.threads)},
                                            {"iterations", integer(planner.iterations(cycles))}});
  if (planned == nullptr) return nullptr;
  // The amount is that of the source: a counter may see FMAs in sums and products of 16 bits.
  const auto iterations = static_cast<double>(planned->measured.parameters.integer("iterations"));
  planned->amount_per_sweep = flops_each * operations * static_cast<double>(planner.multiprocessors()) * iterations;
  return planned;
}

void plan_peak(GpuCeilingPlanner& planner, const Kernel& kernel) {
  for (const char* precision : {"fp64", "fp32", "fp16", "bf16"})
    for (const GpuPeakCeiling& ceiling : gpu_peak_ceilings) {
      const bool halves = precision_bytes(precision) == 2;
      if ((planner.quick() && !(halves ? ceiling.quick_in_halves : ceiling.quick)) || (halves && !ceiling.in_halves)) continue;
      CeilingCase* const planned = add_peak(planner, kernel, precision, ceiling, {4, 256});
      if (planned == nullptr) continue;
      describe(*planned, "GPU " + upper_case(precision) + " " + ceiling.name, precision, CeilingKind::compute, ceiling.pattern, "GFLOP/s");
      if (!halves && ceiling.pattern == std::string_view("fma")) planner.add_sustained();
    }
}

/// Plans single halves on all threads of a multiprocessor, each with one chain.
void plan_single_halves(GpuCeilingPlanner& planner, const Kernel& kernel) {
  const std::uint64_t blocks = planner.warps() / 8;
  for (const char* precision : {"fp16", "bf16"})
    if (CeilingCase* const planned = add_peak(planner, kernel, precision, single_halves, {blocks, 256}))
      describe(*planned, "GPU " + upper_case(precision) + " " + single_halves.name, precision, CeilingKind::compute, single_halves.pattern,
               "GFLOP/s");
}

/// Plans FMAs with 1, 2, 4, ... warps on each multiprocessor, to all that it holds: how many it takes. Beyond 16 they are in blocks of 16,
/// which divide what any GPU holds.
void plan_occupancy(GpuCeilingPlanner& planner, const Kernel& kernel) {
  std::set<std::uint64_t> numbers{planner.warps()};
  for (std::uint64_t warps = 1; warps < planner.warps(); warps *= 2) numbers.insert(warps);
  for (const char* precision : {"fp64", "fp32", "fp16"})
    for (const std::uint64_t warps : numbers)
      if (CeilingCase* const planned = add_peak(planner, kernel, precision, gpu_peak_ceilings[0],
                                                {std::max<std::uint64_t>(1, warps / 16), 32 * std::min<std::uint64_t>(warps, 16)})) {
        const std::string pattern = std::to_string(warps) + " warps";
        describe(*planned, "GPU " + upper_case(precision) + " FMA, " + pattern + " an SM", precision, CeilingKind::occupancy, pattern,
                 "GFLOP/s");
      }
}

/// Adds a point of ERT's vector, with as many passes as make a sweep long enough, be it the memory or the arithmetic that takes its time.
void add_vector(GpuCeilingPlanner& planner, const Kernel& kernel, const char* precision, std::uint64_t k) {
  constexpr std::uint64_t array = 128 * MiB;
  const std::uint64_t n = array / precision_bytes(precision);
  const double cycles = static_cast<double>(k * n) / static_cast<double>(planner.multiprocessors()) / expected_vector_flops(precision);
  const std::uint64_t repeat = std::min(planner.passes(2.0 * array, 2.0 * array), planner.iterations(cycles));
  if (CeilingCase* const planned = planner.add(kernel, precision, {{"k", integer(k)}, {"n", integer(n)}, {"repeat", integer(repeat)}})) {
    const std::string pattern = "k=" + std::to_string(k);
    describe(*planned, "GPU " + upper_case(precision) + " vector " + pattern, precision, CeilingKind::vector, pattern, "GFLOP/s");
    take_flops(*planned);
    planned->working_set_bytes = footprint_bytes(planned->measured.work());
  }
}

}  // namespace

void plan_gpu_arithmetic(GpuCeilingPlanner& planner) {
  const Kernel* const kernel = planner.kernel("ert/peak");
  if (kernel == nullptr) return;
  plan_peak(planner, *kernel);
  if (planner.quick()) return;
  plan_single_halves(planner, *kernel);
  plan_occupancy(planner, *kernel);
}

void plan_gpu_vector(GpuCeilingPlanner& planner) {
  const Kernel* const kernel = planner.kernel("ert/vector");
  if (planner.quick() || kernel == nullptr) return;
  for (const char* precision : {"fp64", "fp32"})
    for (std::uint64_t k = 1; k <= 512; k *= 2) add_vector(planner, *kernel, precision, k);
}

}  // namespace plumbline
