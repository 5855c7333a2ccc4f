#include "app/here/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/here/gpus.hpp"
#include "comm/communicator.hpp"
#include "core/kernel.hpp"
#include "counters/cupti/cupti.hpp"
#include "counters/registry.hpp"
#include "machine/build_record.hpp"
#include "machine/cpu.hpp"
#include "measure/worker.hpp"

namespace plumbline::app {
namespace {

std::string flavors_text() {
  std::set<std::string_view> names;
  for (const Kernel& kernel : kernels())
    for (const Flavor& flavor : kernel.flavors()) names.insert(flavor.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string emulator_text() {
  const EmulatorInstallation found = find_emulator();
  if (!found.availability.ok()) return found.availability.reason;
  return fmt::format("usable ({}, {})", found.valgrind.string(), found.tool_directory.string());
}

/// Names the backends that are compiled in, as "PAPI, perf_event", and those that are absent.
std::string hardware_counters_text() {
  const std::pair<const char*, const char*> backends[] = {{"papi", "PAPI"}, {"perf_event", "perf_event"}};
  std::string compiled;
  for (const auto& [name, words] : backends) {
    const auto backend = make_backend(name);
    const bool absent = !backend || backend->availability().reason.starts_with("not compiled in");
    compiled += fmt::format("{}{}{}", compiled.empty() ? "" : ", ", words, absent ? " not compiled in" : "");
  }
  return compiled + (cupti_is_compiled_in() ? ", CUPTI" : ", CUPTI not compiled in");
}

/// The module alone: whether there are GPUs would start the driver (doctor does).
std::string module_text() {
  const OpenedGpuModule& module = module_for_gpus();
  return module.module == nullptr ? module.why_not : fmt::format("{} ({})", module.module->version(), module.file);
}

std::size_t kernels_for(Space space) {
  return static_cast<std::size_t>(std::count_if(kernels().begin(), kernels().end(), [&](const Kernel& k) { return k.space == space; }));
}

}  // namespace

std::string version_text() {
  return fmt::format(
      "plumbline {} ({}, {}; {}, {})\n"
      "  MPI        {}\n"
      "  counters   emulated: {}\n"
      "             hardware's: {}\n"
      "  kernels    {} for CPUs, {} for GPUs\n"
      "  GPUs       {}\n"
      "  flavors    {}\n"
      "  this CPU   {} ({})",
      build_record::version, build_record::git_commit.substr(0, 12), build_record::git_state, build_record::compiler,
      build_record::build_type, Communicator::library_version(), emulator_text(), hardware_counters_text(), kernels_for(Space::cpu),
      kernels_for(Space::cuda), module_text(), flavors_text(), this_cpu().name, fmt::join(this_cpu().isas, " "));
}

}  // namespace plumbline::app
