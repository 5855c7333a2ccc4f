// A plan says which kernels and sizes find a GPU's ceilings. Pure: a function of the module's kernels and of what CUDA says of the GPU.
#pragma once
#include <span>
#include <vector>

#include "ert/ceiling_plan.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline {

/// Plans the points of one GPU, those of one kernel and pattern together, largest data first. Names begin with "GPU"; levels: "compute"
/// (precision "tensor.TYPE" where tensor cores do it), "sweep", "gemm" (products of matrices by size, pattern "n=..."), "shared",
/// "overhead", "host-dev", "sustained" (a second and more, in full mode), "vector", "mem" (the runtime's own copy, in full mode), and
/// "occupancy" (FMAs by resident warps). No working set is above a quarter of its memory, and in full mode the loads' reach 4.5 GB where it
/// has 20. quick: what a roofline needs. The plan has only what the GPU's flavor has; it is empty where the module has none for it.
std::vector<CeilingCase> plan_gpu_ceilings(CeilingMode mode, const GpuProperties& gpu, std::span<const Kernel> kernels);

/// The ceilings that this GPU cannot be asked for, with the reason: "GPU tensor BF16 wgmma needs ..."; a peer where there is none.
std::vector<AbsentFlavor> absent_gpu_ceilings(const GpuProperties& gpu, std::span<const Kernel> kernels);

/// The seconds of all rounds, measured as app/stages/gpu_ceilings_stage.cpp does it: at rates that GPUs of the last ten years reach.
double gpu_ceilings_seconds(std::span<const CeilingCase> plan, const GpuProperties& gpu, int rounds);

}  // namespace plumbline
