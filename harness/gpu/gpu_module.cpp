#include "gpu/gpu_module.hpp"

#include <dlfcn.h>

#include <algorithm>

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

/// A module that is there.
struct Found {
  const GpuModuleFile* built;
  fs::path file;
};

/// The modules in these folders, the newest first, each from the first folder that has it.
std::vector<Found> modules_in(const std::vector<fs::path>& folders) {
  std::vector<Found> found;
  std::error_code none;
  for (const GpuModuleFile& one : gpu_module_files)
    for (const fs::path& folder : folders) {
      const bool is_file = fs::is_regular_file(folder, none);
      const fs::path file = fs::absolute(is_file ? folder : folder / one.file);
      if (file.filename() != one.file || !fs::exists(file, none)) continue;
      found.push_back({&one, file});
      break;
    }
  return found;
}

bool runs(const Found& module, int driver) { return module.built->cuda * 1000 <= driver; }

std::string cuda_in_words(int driver) { return "CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10); }

/// Says why a driver runs none of the modules that are there, and what to do.
std::string why_it_runs_none(const std::vector<Found>& found, int driver) {
  const GpuModuleFile& oldest = gpu_module_files.back();
  std::string text = "the NVIDIA driver here is for " + cuda_in_words(driver) + ", and ";
  if (driver < oldest.cuda * 1000)
    return text + "no module for GPUs runs below CUDA " + std::to_string(oldest.cuda) + ": a driver of version " +
           std::to_string(oldest.least_driver) + " or later is needed";
  const GpuModuleFile& here = *found.front().built;
  return text + here.file + ", the only module here, needs driver " + std::to_string(here.least_driver) + " or later; " + oldest.file +
         " runs on it: take a bundle that has both, or build with -DPLUMBLINE_CUDA12=ON (jobs/building.md)";
}

std::string why_this_one(const Found& module, const std::vector<Found>& found, int driver) {
  const std::string file = module.file.filename().string();
  if (driver == 0) return file + " is taken without a driver";
  if (!runs(module, driver)) return file + " is taken for its kernels alone";
  std::string text = file + " is taken, for the driver is for " + cuda_in_words(driver);
  if (found.size() == 1) text += " and no other module is here";
  return text;
}

/// Opens that file, or says why not.
OpenedGpuModule opened(const std::string& file) {
  const auto [library, why_not] = open_library(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, "", "no module for GPUs: " + why_not};
  const auto entry = reinterpret_cast<GpuModuleEntry>(dlsym(library, gpu_module_entry));
  if (entry == nullptr) return {nullptr, file, file + " is no module of plumbline: " + last_loader_error()};
  const GpuModule* const module = entry(gpu_module_interface, PLUMBLINE_VERSION);
  if (module == nullptr) return {nullptr, file, file + " was built for another version of plumbline; install the two together"};
  return {module, file, ""};
}

}  // namespace

OpenedGpuModule open_gpu_module(const std::vector<fs::path>& folders, int driver) {
  const std::string built = std::string("; it is built beside plumbline where the CUDA toolkit 13 or 12 is found") + left_out;
  const std::vector<Found> found = modules_in(folders);
  if (found.empty()) {
    std::string looked_in;
    for (const auto& folder : folders) looked_in += (looked_in.empty() ? "" : ", ") + fs::absolute(folder).string();
    return {nullptr, "", "no module for GPUs: no " + std::string(gpu_module_files.front().file) + " in " + looked_in + built};
  }
  // The module itself opens the driver, by its soname.
  if (const std::string unsafe = unsafe_loader_path(); !unsafe.empty())
    return {nullptr, "", "no module for GPUs: it is not opened, because " + unsafe};
  std::vector<Found> in_order = found;
  std::stable_partition(in_order.begin(), in_order.end(), [&](const Found& one) { return runs(one, driver); });
  std::vector<OpenedGpuModule> refused;
  std::string others;  // those that were to be taken before
  for (const Found& one : in_order) {
    OpenedGpuModule module = opened(one.file.string());
    if (module.module == nullptr) {
      if (module.file.empty()) module.why_not += built;
      others += "; " + one.file.filename().string() + " could not be: " + module.why_not;
      refused.push_back(std::move(module));
      continue;
    }
    module.chosen = why_this_one(one, found, driver) + others;
    if (driver == 0 || runs(one, driver)) return module;
    module.cannot_run = !refused.empty() && runs(in_order.front(), driver) ? "the NVIDIA driver here is for " + cuda_in_words(driver) +
                                                                                 ", on which " + one.built->file + " does not run" + others
                                                                           : why_it_runs_none(found, driver);
    return module;
  }
  return refused.front();
}

}  // namespace plumbline
