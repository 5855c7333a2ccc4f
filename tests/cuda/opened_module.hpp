// The module for GPUs of this build, opened once: it lies beside the program's folder, where it was built and where it was unpacked.
#pragma once
#include <filesystem>
#include <stdexcept>

#include "gpu/gpu_module.hpp"

namespace plumbline {

inline const GpuModule& opened_module() {
  static const OpenedGpuModule opened =
      open_gpu_module({std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib"});
  if (opened.module == nullptr) throw std::runtime_error(opened.why_not);
  return *opened.module;
}

}  // namespace plumbline
