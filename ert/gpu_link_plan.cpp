// A GPU's links to the host and to its peers are planned here, and what a launch costs.
#include <array>
#include <string>
#include <vector>

#include "ert/gpu_ceiling_planner.hpp"

namespace plumbline {
namespace {

struct TransferCeiling {
  const char* to;
  const char* way;
  const char* name;
  bool quick;
};
constexpr std::array transfer_ceilings{
    TransferCeiling{"device", "copy_pinned", "GPU from host, copy engine, pinned", true},
    TransferCeiling{"host", "copy_pinned", "GPU to host, copy engine, pinned", true},
    TransferCeiling{"device", "copy_pageable", "GPU from host, copy engine, pageable", false},
    TransferCeiling{"host", "copy_pageable", "GPU to host, copy engine, pageable", false},
    TransferCeiling{"device", "kernel_pinned", "GPU from host, kernel, pinned", true},
    TransferCeiling{"host", "kernel_pinned", "GPU to host, kernel, pinned", true},
    TransferCeiling{"device", "copy_peer", "GPU from peer, copy engine", true},
    TransferCeiling{"host", "copy_peer", "GPU to peer, copy engine", true},
    TransferCeiling{"device", "kernel_peer", "GPU from peer, kernel", false},
    TransferCeiling{"host", "kernel_peer", "GPU to peer, kernel", false},
};
bool is_peer(const TransferCeiling& ceiling) { return std::string_view(ceiling.way).ends_with("_peer"); }

struct LaunchCeiling {
  const char* way;
  const char* name;
  std::uint64_t launches;
};
constexpr std::array launch_ceilings{LaunchCeiling{"stream", "GPU launch, stream", 1000}, LaunchCeiling{"graph", "GPU launch, graph", 4000},
                                     LaunchCeiling{"waited", "GPU launch, waited for", 500}};

/// A kernel is launched with blocks, threads, arguments and shared memory; all but the first shape differ from it in one of them.
struct LaunchShape {
  std::string pattern;
  std::uint64_t blocks, threads, arguments, shared_bytes;
};
/// The shapes, of which one fills each multiprocessor with as many threads as it has room for: one wave of blocks.
std::vector<LaunchShape> launch_shapes(const GpuCeilingPlanner& planner) {
  constexpr std::uint64_t block = 256;
  const std::uint64_t multiprocessors = planner.multiprocessors(),
                      room = planner.warps() * static_cast<std::uint64_t>(planner.gpu().warp_threads);
  return {{"1 thread", 1, 1, 1, 0},
          {"1024 threads", 1, 1024, 1, 0},
          {"256 threads an SM", multiprocessors, block, 1, 0},
          {std::to_string(room) + " threads an SM", room / block * multiprocessors, block, 1, 0},
          {"8 arguments", 1, 1, 8, 0},
          {"128 arguments", 1, 1, 128, 0},
          {"48 KiB of shared memory", 1, 1, 1, 48 * KiB}};
}

void add_transfer(GpuCeilingPlanner& planner, const Kernel& kernel, const TransferCeiling& ceiling) {
  CeilingCase* const planned =
      planner.add(kernel, "fp64", {{"to", word(ceiling.to)}, {"way", word(ceiling.way)}, {"n", integer(128 * MiB / 8)}});
  if (planned == nullptr) return;
  describe(*planned, ceiling.name, "-", CeilingKind::host_dev, std::string(ceiling.way) + " to " + ceiling.to, "GB/s");
  take_bytes(*planned);
  planned->amount_per_sweep /= 2;  // read here, written there: once over the link
}

void add_launch(GpuCeilingPlanner& planner, const Kernel& kernel, const LaunchCeiling& ceiling) {
  CeilingCase* const planned = planner.add(kernel, "fp64", {{"way", word(ceiling.way)}, {"launches", integer(ceiling.launches)}});
  if (planned == nullptr) return;
  describe(*planned, ceiling.name, "-", CeilingKind::overhead, ceiling.way, "seconds");
  planned->amount_per_sweep = static_cast<double>(ceiling.launches);
}

void add_launch_shape(GpuCeilingPlanner& planner, const Kernel& kernel, const LaunchShape& shape) {
  constexpr std::uint64_t launches = 1000;
  CeilingCase* const planned = planner.add(kernel, "fp64",
                                           {{"blocks", integer(shape.blocks)},
                                            {"threads", integer(shape.threads)},
                                            {"arguments", integer(shape.arguments)},
                                            {"shared_bytes", integer(shape.shared_bytes)},
                                            {"launches", integer(launches)}});
  if (planned == nullptr) return;
  describe(*planned, "GPU launch of " + shape.pattern, "-", CeilingKind::overhead, shape.pattern, "seconds");
  planned->amount_per_sweep = static_cast<double>(launches);
}

}  // namespace

void plan_gpu_links(GpuCeilingPlanner& planner) {
  if (const Kernel* const kernel = planner.kernel("ert/transfer"))
    for (const TransferCeiling& ceiling : transfer_ceilings)
      if ((!planner.quick() || ceiling.quick) && (!is_peer(ceiling) || planner.gpu().peers > 0)) add_transfer(planner, *kernel, ceiling);
  if (const Kernel* const kernel = planner.kernel("ert/launch"))
    for (const LaunchCeiling& ceiling : launch_ceilings) add_launch(planner, *kernel, ceiling);
  const Kernel* const shaped = planner.kernel("ert/launch_shape");
  if (shaped == nullptr || planner.quick()) return;
  for (const LaunchShape& shape : launch_shapes(planner)) add_launch_shape(planner, *shaped, shape);
}

void add_absent_gpu_links(const GpuProperties& gpu, std::vector<AbsentFlavor>& missing) {
  for (const TransferCeiling& ceiling : transfer_ceilings)
    if (is_peer(ceiling) && gpu.peers == 0) missing.push_back({ceiling.name, "no other GPU is visible whose memory this one reaches"});
}

}  // namespace plumbline
