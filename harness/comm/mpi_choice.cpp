#include "comm/mpi_choice.hpp"

#include <fmt/format.h>

#include <array>

namespace plumbline {
namespace {

// Debian's MPICH has a name of its own; Open MPI has kept its since version 3.
struct Soname {
  const char* name;
  MpiAbi abi;
};
constexpr std::array sonames{Soname{"libmpi.so.12", MpiAbi::mpich}, Soname{"libmpich.so.12", MpiAbi::mpich},
                             Soname{"libmpi.so.40", MpiAbi::openmpi}};

std::vector<MpiLibrary> libraries_of(const std::vector<MpiAbi>& abis) {
  std::vector<MpiLibrary> libraries;
  for (const MpiAbi abi : abis)
    for (const auto& soname : sonames)
      if (soname.abi == abi) libraries.push_back({soname.name, abi});
  return libraries;
}

// Launchers that belong to one MPI name it. Slurm does not: what speaks PMI-2 is most often MPICH, what speaks PMIx Open MPI, but each may
// have been built for the other.
std::vector<MpiAbi> abis_by_launcher(const Environment& environment) {
  if (environment("PMI_SIZE") && environment("MPI_LOCALNRANKS")) return {MpiAbi::mpich};  // hydra, of MPICH and of Intel
  if (environment("OMPI_COMM_WORLD_SIZE")) return {MpiAbi::openmpi};
  if (!environment("PMI_SIZE") && environment("PMIX_NAMESPACE")) return {MpiAbi::openmpi, MpiAbi::mpich};
  return {MpiAbi::mpich, MpiAbi::openmpi};
}

}  // namespace

std::string to_string(MpiAbi abi) { return abi == MpiAbi::mpich ? "mpich" : "openmpi"; }

std::vector<MpiLibrary> mpi_libraries(const Environment& environment) {
  const auto launch = find_launch(environment);
  if (const auto told = environment(mpi_choice_variable); told && !told->empty()) {
    if (told->starts_with('/')) return {{*told}};
    for (const MpiAbi abi : {MpiAbi::mpich, MpiAbi::openmpi})
      if (*told == to_string(abi)) return libraries_of({abi});
    if (launch && launch->rank != 0) throw user_error("");
    throw user_error(fmt::format("{}={} names no MPI: it is mpich, openmpi or the absolute path of a library (/opt/mpi/lib/libmpi.so.12)",
                                 mpi_choice_variable, *told));
  }
  return launch && launch->size > 1 ? libraries_of(abis_by_launcher(environment)) : std::vector<MpiLibrary>{};
}

}  // namespace plumbline
