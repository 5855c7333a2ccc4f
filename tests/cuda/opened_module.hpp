// The module for GPUs of this build, opened once: it lies beside the program's folder, where it was built and where it was unpacked; or the
// one whose file PLUMBLINE_CUDA_MODULE_PATH names.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "core/kernel.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline {

inline const GpuModule& opened_module() {
  const char* const named = std::getenv("PLUMBLINE_CUDA_MODULE_PATH");
  static const OpenedGpuModule opened =
      open_gpu_module({named != nullptr ? std::filesystem::path(named)
                                        : std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib"},
                      cuda_of_driver());
  if (opened.module == nullptr) throw std::runtime_error(opened.why_not);
  return *opened.module;
}

/// Whether it was built with cuBLAS's header, which not every toolkit has (PyPI's compiler comes without).
inline bool has_library() {
  const auto& kernels = opened_module().kernels();
  return std::any_of(kernels.begin(), kernels.end(), [](const Kernel& kernel) { return kernel.name == "ert/gemm"; });
}
inline constexpr const char* no_library = "ert/gemm is not in the module: no cublasLt.h where it was built";

}  // namespace plumbline
