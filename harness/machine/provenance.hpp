// Where results come from: the program, the machine and the job, as they were.
#pragma once
#include <string>

namespace plumbline {

/// One JSON object: plumbline, git, build (compilers, flags of every flavor), host, kernel, cpu, microcode, mitigations, smt, numa,
/// thp, affinity, mpi, slurm (named variables only, never secrets), command line, time. `mpi` is the library's version string.
std::string provenance_json(const std::string& mpi);

}  // namespace plumbline
