// A program that links no MPI chooses one by who launched it, or as it is told.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "comm/launch.hpp"

namespace plumbline {

/// The ABIs of MPI libraries, which can stand for each other within one: MPICH's is also that of Intel MPI, MVAPICH and Cray MPICH.
enum class MpiAbi { mpich, openmpi };

/// The ABI's word: "mpich", "openmpi".
std::string to_string(MpiAbi abi);

/// A library to open: a soname, or an absolute path, of which only the library itself can tell its ABI.
struct MpiLibrary {
  std::string name;
  std::optional<MpiAbi> abi = {};
};

/// The environment variable that chooses: an ABI, or the absolute path of a library.
inline constexpr const char* mpi_choice_variable = "PLUMBLINE_MPI";

/// The libraries to try, the likeliest first: as PLUMBLINE_MPI says, else those that the launcher can have started; none for a process that
/// nobody launched, or that was launched alone. Throws Error (user) where PLUMBLINE_MPI is neither an ABI nor an absolute path; with an
/// empty message in ranks other than the first, so that the user reads one line.
std::vector<MpiLibrary> mpi_libraries(const Environment& environment);

}  // namespace plumbline
