#include "ert/gpu_ceiling_plan.hpp"

#include <cmath>

#include "ert/gpu_ceiling_planner.hpp"

namespace plumbline {

std::vector<CeilingCase> plan_gpu_ceilings(CeilingMode mode, const GpuProperties& gpu, std::span<const Kernel> kernels) {
  GpuCeilingPlanner planner(mode, gpu, kernels);
  plan_gpu_arithmetic(planner);
  plan_gpu_tensor(planner);
  plan_gpu_memory(planner);
  plan_gpu_vector(planner);
  plan_gpu_links(planner);
  return std::move(planner.cases);
}

std::vector<AbsentFlavor> absent_gpu_ceilings(const GpuProperties& gpu, std::span<const Kernel> kernels) {
  std::vector<AbsentFlavor> missing;
  add_absent_gpu_tensor(gpu, kernels, missing);
  add_absent_gpu_links(gpu, missing);
  return missing;
}

namespace {

double stored_bytes(const Work& work) {
  double bytes = 0;
  for (const Stream& s : work.streams)
    if (s.written) bytes += static_cast<double>(s.footprint_bytes);
  return bytes;
}

}  // namespace

double gpu_ceilings_seconds(std::span<const CeilingCase> plan, const GpuProperties& gpu, int rounds) {
  constexpr double first_seconds = 0.02;      // check and calibration of a case
  constexpr double prepare_seconds = 0.4e-9;  // a byte, from the host's pageable memory and back for the check
  constexpr double link_rate = 5e9;           // bytes a second, of the slowest that there are
  constexpr double reached = 0.5;             // at least, of what is expected of memory
  constexpr double load_seconds = 1e-6;       // of memory, the slowest that there are; of L2:
  constexpr double L2_load_seconds = 1.5e-7;
  constexpr int sweeps = 4;
  constexpr double sustained_with_warm_up = 1.3;  // a quarter as long before, and some more sweeps than that takes
  constexpr int trials = 2 * 8;                   // products by which a library's way is chosen
  double first = 0, round = 0;
  const Case* before = nullptr;
  for (const CeilingCase& one : plan) {
    const bool made_there = one.level == CeilingKind::gemm;  // from little of the host's; the result alone goes back, for the check
    const double all_bytes = std::isfinite(one.working_set_bytes) ? one.working_set_bytes / one.share : 0;
    const double bytes = made_there ? stored_bytes(one.measured.work()) : all_bytes;
    const bool same = before != nullptr && before->id() == one.measured.id();
    const double sweep = one.level == CeilingKind::host_dev ? one.amount_per_sweep / link_rate
                         : one.level == CeilingKind::gemm   ? gemm_seconds(one, gpu)
                         : one.unit == "seconds"
                             ? one.amount_per_sweep * (one.working_set_bytes <= 1 * MiB ? L2_load_seconds : load_seconds) *
                                   (1 + static_cast<double>(one.warm_sweeps) / sweeps)
                         : (one.level == CeilingKind::sweep && one.pattern != "load own") || one.level == "mem"
                             ? one.amount_per_sweep / (reached * expected_bandwidth(gpu, one.working_set_bytes))
                         : one.level == CeilingKind::vector ? 5 * target_seconds
                                                            : 2 * target_seconds;
    const double measured = one.sample_seconds > 0 ? sustained_with_warm_up * one.sample_seconds : sweeps * sweep;
    round += measured + (same || made_there ? 0 : prepare_seconds * bytes);
    first += same ? 0 : first_seconds + prepare_seconds * bytes + (made_there ? trials * sweep : 0);
    before = &one.measured;
  }
  return first + round * rounds;
}

}  // namespace plumbline
