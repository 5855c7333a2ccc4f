#include "app/version.hpp"

#include <fmt/format.h>

#include <set>

#include "comm/communicator.hpp"
#include "core/kernel.hpp"
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

}  // namespace

std::string version_text() {
  return fmt::format(
      "plumbline {} ({}, {}; {}, {})\n"
      "  MPI        {}\n"
      "  counters   emulated: {}\n"
      "             PAPI, perf_event, CUPTI: not compiled in\n"
      "  kernels    {}\n"
      "  flavors    {}\n"
      "  this CPU   {} ({})",
      build_record::version, build_record::git_commit.substr(0, 12), build_record::git_state, build_record::compiler,
      build_record::build_type, Communicator::library_version(), emulator_text(), kernels().size(), flavors_text(), this_cpu().name,
      fmt::join(this_cpu().isas, " "));
}

}  // namespace plumbline::app
