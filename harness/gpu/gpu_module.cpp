#include "gpu/gpu_module.hpp"

#include <dlfcn.h>

#include "core/shared_library.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The end of a sentence, of a build that had a toolkit and did not use it.
#ifdef PLUMBLINE_GPU_MODULE_LEFT_OUT
constexpr const char* left_out = "; here it was, and the module was left out: " PLUMBLINE_GPU_MODULE_LEFT_OUT;
#else
constexpr const char* left_out = "";
#endif

std::string last_loader_error() {
  const char* why = dlerror();
  return why == nullptr ? "no reason given" : why;
}

}  // namespace

OpenedGpuModule open_gpu_module(const std::vector<fs::path>& folders) {
  const std::string built = std::string("; it is built beside plumbline where the CUDA toolkit 13 is found") + left_out;
  fs::path file;
  std::string looked_in;
  std::error_code none;
  for (const auto& folder : folders) {
    if (file = fs::absolute(folder / gpu_module_file); fs::exists(file, none)) break;
    looked_in += (looked_in.empty() ? "" : ", ") + file.parent_path().string();
    file.clear();
  }
  if (file.empty()) return {nullptr, "", "no module for GPUs: no " + std::string(gpu_module_file) + " in " + looked_in + built};
  // The module itself opens the driver, by its soname.
  if (const std::string unsafe = unsafe_loader_path(); !unsafe.empty())
    return {nullptr, "", "no module for GPUs: it is not opened, because " + unsafe};
  const auto [opened, why_not] = open_library(file, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return {nullptr, "", "no module for GPUs: " + why_not + built};
  const auto entry = reinterpret_cast<GpuModuleEntry>(dlsym(opened, gpu_module_entry));
  if (entry == nullptr) return {nullptr, file.string(), file.string() + " is no module of plumbline: " + last_loader_error()};
  const GpuModule* const module = entry(gpu_module_interface, PLUMBLINE_VERSION);
  if (module == nullptr)
    return {nullptr, file.string(), file.string() + " was built for another version of plumbline; install the two together"};
  return {module, file.string(), ""};
}

}  // namespace plumbline
