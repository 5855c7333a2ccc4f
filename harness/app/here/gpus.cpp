#include "app/here/gpus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "app/here/paths.hpp"
#include "core/error.hpp"
#include "core/kernel.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "counters/sass/launch_counts.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

OpenedGpuModule& opened() {
  static OpenedGpuModule module{nullptr, "", "the module for GPUs was not opened"};
  return module;
}

/// Whether there are several modules, of which the driver's version decides one.
bool is_a_choice(const std::vector<fs::path>& folders) {
  std::error_code none;  // a folder that may not be read has none
  const auto is_there = [&](const GpuModuleFile& one) {
    return std::ranges::any_of(folders, [&](const fs::path& folder) { return fs::exists(folder / one.file, none); });
  };
  return std::ranges::count_if(gpu_module_files, is_there) > 1;
}

NodeGpus ask_driver() {
  const OpenedGpuModule& module = module_for_gpus();
  if (module.module == nullptr) return {{}, module.why_not};
  // Opened again it is the same module, which now knows of the driver.
  if (const auto folders = folders_of_module(); !is_a_choice(folders)) opened() = open_gpu_module(folders, cuda_of_driver());
  if (!module.cannot_run.empty()) return {{}, module.cannot_run};
  if (const Availability here = module.module->availability(); !here.ok()) return {{}, here.reason};
  try {
    return {module.module->gpus(), ""};
  } catch (const Error& refused) {
    return {{}, refused.what()};
  }
}

fs::path folder_of_code() {
  const char* named = std::getenv("PLUMBLINE_CUDA_CODE_PATH");
  return named != nullptr && *named != '\0' ? fs::path(named) : fs::path(module_for_gpus().file).parent_path();
}

/// Says why there is no code of any of the GPUs; empty where there is.
std::string why_no_code(const NodeGpus& node, const fs::path& folder) {
  std::string missing;
  for (const std::string& flavor : node.flavors()) {
    missing = code_file(flavor);
    if (fs::exists(folder / missing)) return "";
  }
  if (missing.empty()) return node.in_words();
  return fmt::format(
      "{} is not in {}: the module was built where cuobjdump and nvdisasm are not; get them (bash jobs/cuda_wheels.sh), configure and "
      "build again",
      missing, folder.string());
}

}  // namespace

std::vector<fs::path> folders_of_module() {
  const char* named = std::getenv("PLUMBLINE_CUDA_MODULE_PATH");
  if (named != nullptr && *named != '\0') return {named};
  const fs::path beside = program_path().parent_path();
  return {beside, beside.parent_path() / "lib"};
}

void open_module_for_gpus() {
  // The driver's library is searched for in many folders, by each rank of a job that may have no GPU at all.
  const auto folders = folders_of_module();
  opened() = open_gpu_module(folders, is_a_choice(folders) ? cuda_of_driver() : 0);
  if (opened().module == nullptr) return;
  for (const Kernel& kernel : opened().module->kernels()) register_kernel(kernel);
}

const OpenedGpuModule& module_for_gpus() { return opened(); }

std::vector<std::string> flavors_of_module() {
  std::vector<std::string> all;
  if (opened().module == nullptr) return all;
  for (const Kernel& kernel : opened().module->kernels())
    for (const Flavor& flavor : kernel.flavors())
      if (std::find(all.begin(), all.end(), flavor.name) == all.end()) all.emplace_back(flavor.name);
  return all;
}

CodePlace code_of_module() {
  const GpuModule* const module = module_for_gpus().module;
  if (module == nullptr) return {{Status::unavailable, module_for_gpus().why_not}, {}, {}};
  const fs::path folder = folder_of_code();
  if (std::string why = why_no_code(gpus_here(), folder); !why.empty()) return {{Status::unavailable, std::move(why)}, {}, {}};
  return {{}, [module](std::vector<KernelLaunch>* where) { module->write_down_launches(where); }, folder};
}

bool NodeGpus::runs(std::string_view flavor) const {
  return std::any_of(gpus.begin(), gpus.end(),
                     [&](const GpuProperties& gpu) { return flavor.empty() ? !gpu.flavor.empty() : gpu.flavor == flavor; });
}

std::vector<std::string> NodeGpus::flavors() const {
  std::vector<std::string> all;
  for (const GpuProperties& gpu : gpus)
    if (!gpu.flavor.empty() && std::find(all.begin(), all.end(), gpu.flavor) == all.end()) all.push_back(gpu.flavor);
  return all;
}

std::string NodeGpus::in_words() const {
  std::vector<std::string> all;
  for (const GpuProperties& gpu : gpus) {
    std::string one = fmt::format("{} ({})", gpu.name, gpu.flavor.empty() ? "for which the module has no code" : gpu.flavor);
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  }
  return all.empty() ? why_none : fmt::format("{}", fmt::join(all, ", "));
}

const NodeGpus& gpus_here() {
  static const NodeGpus found = ask_driver();
  return found;
}

}  // namespace plumbline::app
