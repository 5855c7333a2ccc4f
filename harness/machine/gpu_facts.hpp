// NVIDIA's driver says about the GPUs of a node what changes the measurements there: driver, ECC, MIG, clocks, power limits, links. UUIDs
// are kept, as hosts' names are: results are about these GPUs.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "machine/fact.hpp"
#include "machine/nvml.hpp"

namespace plumbline {

struct NvidiaGpu {
  std::string pci;  // "0000:17:00.0", as hwloc has it
  Facts settled;    // what stays while a job runs, but for counted errors
  Facts now;        // gpu_conditions.hpp's, at the time of asking
};

struct NvidiaGpus {
  std::string why_none = "the driver was not asked";  // why no GPU is described; empty where the driver's library answers
  bool library_found = false;                         // whether there is such a library
  Facts driver;                                       // empty: there is no more to say than why_none
  std::vector<NvidiaGpu> gpus;
};

/// The facts of all GPUs. Every name of the lists is there for each GPU, with its value or why it has none. `root` is where proc lies.
NvidiaGpus nvidia_gpus(const Nvml& nvml, const std::filesystem::path& root = "/");

/// The facts of the driver alone, which wakes no GPU; empty where neither the library answers nor a kernel module is loaded.
Facts nvidia_driver(const Nvml& nvml, const std::filesystem::path& root = "/");

/// The facts in one line: "driver_version 550.54.15, cuda_driver_version 12.4, gpus 4", or why there is nothing to say.
std::string in_one_line(const NvidiaGpus& gpus);

}  // namespace plumbline
