#include "gpu/gpu_module.hpp"

#include <dlfcn.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string last_loader_error() {
  const char* why = dlerror();
  return why == nullptr ? "no reason given" : why;
}

}  // namespace

OpenedGpuModule open_gpu_module(const std::vector<fs::path>& folders) {
  fs::path file = gpu_module_file;
  std::error_code none;
  for (const auto& folder : folders)
    if (fs::exists(folder / gpu_module_file, none)) {
      file = folder / gpu_module_file;
      break;
    }
  void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr)
    return {nullptr, "", "no module for GPUs: " + last_loader_error() + "; it is built beside plumbline where the CUDA toolkit 13 is found"};
  const auto entry = reinterpret_cast<GpuModuleEntry>(dlsym(opened, gpu_module_entry));
  if (entry == nullptr) return {nullptr, file.string(), file.string() + " is no module of plumbline: " + last_loader_error()};
  const GpuModule* const module = entry(gpu_module_interface, PLUMBLINE_VERSION);
  if (module == nullptr)
    return {nullptr, file.string(), file.string() + " was built for another version of plumbline; install the two together"};
  return {module, file.string(), ""};
}

}  // namespace plumbline
