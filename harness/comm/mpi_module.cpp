#include "comm/mpi_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/shared_library.hpp"

namespace plumbline {
namespace {

// Every Open MPI has this object, which its mpi.h calls MPI_COMM_WORLD.
MpiAbi abi_of(void* library) { return dlsym(library, "ompi_mpi_comm_world") != nullptr ? MpiAbi::openmpi : MpiAbi::mpich; }

void add_reason(OpenedMpi& opened, const std::string& reason) { opened.why_not += (opened.why_not.empty() ? "" : "; ") + reason; }

MpiModuleEntry entry_of(const std::filesystem::path& module, OpenedMpi& opened) {
  const auto [handle, why_not] = open_library(module, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    add_reason(opened, why_not);
    return nullptr;
  }
  const auto entry = reinterpret_cast<MpiModuleEntry>(dlsym(handle, mpi_module_entry));
  if (entry == nullptr) add_reason(opened, module.string() + " is no module of plumbline");
  return entry;
}

}  // namespace

OpenedMpi open_mpi(const std::vector<MpiLibrary>& libraries, const std::filesystem::path& folder) {
  OpenedMpi opened;
  for (const auto& library : libraries) {
    const auto [handle, why_not] = open_library(library.name, RTLD_LAZY | RTLD_GLOBAL);
    if (handle == nullptr) {
      add_reason(opened, why_not);
      continue;
    }
    const MpiAbi abi = abi_of(handle);
    if (library.abi && *library.abi != abi) {
      add_reason(opened, fmt::format("{} is an Open MPI before version 3", library.name));
      continue;
    }
    opened.library = library.name;
    opened.entry = entry_of(folder / fmt::format("libplumbline_{}.so", to_string(abi)), opened);
    return opened;  // a second MPI beside the one opened would be called by nobody knows whom
  }
  return opened;
}

}  // namespace plumbline
