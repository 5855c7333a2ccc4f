// The GPUs of this program are the module that is opened at its start, and what a node has to run it on.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "counters/sass/disassembled.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline::app {

/// Opens the module for GPUs and makes its kernels this program's. It is called once, before any case points at a kernel; the driver is not
/// started.
void open_module_for_gpus();
/// The module that was opened, or why none was.
const OpenedGpuModule& module_for_gpus();
/// The flavors that the module has code for, ascending: "cuda13-sm_75", ...; none without it.
std::vector<std::string> flavors_of_module();
/// The folders where the module is looked for: PLUMBLINE_CUDA_MODULE_PATH (a folder, or one module's file; where it is set,
/// nowhere else), beside the program, in ../lib.
std::vector<std::filesystem::path> folders_of_module();

/// The place of the code by which the module's launches are counted (counters/sass/disassembled.hpp): its text lies beside the module, or
/// in the folder that PLUMBLINE_CUDA_CODE_PATH names.
CodePlace code_of_module();

/// The GPUs of a node that may be measured.
struct NodeGpus {
  std::vector<GpuProperties> gpus;  // in CUDA's order, by PCI address; what CUDA_VISIBLE_DEVICES leaves
  std::string why_none;             // empty where there is one

  /// Whether one of the GPUs runs that flavor; for none in particular (""), whether there is one for which the module has code.
  bool runs(std::string_view flavor) const;
  /// The flavors that the GPUs run, each once.
  std::vector<std::string> flavors() const;
  /// The GPUs in words: "NVIDIA H100 80GB HBM3 (cuda13-sm_90a)", or why there is none.
  std::string in_words() const;
};

/// The GPU of one rank of a team, as that rank sees it.
struct TeamGpu {
  int device = 0;  // which of the node's it is (core/gpu_device.hpp)
  GpuProperties gpu;
};

/// The GPUs of this node, by the driver: the first call starts it.
const NodeGpus& gpus_here();

}  // namespace plumbline::app
