// Where results come from: the program, the machine and the job, as they were.
#pragma once
#include <string>

namespace plumbline {

/// One JSON object: plumbline, git, build (compilers, flags of every flavor), host, kernel, os, cpu, microcode, mitigations, smt, numa,
/// thp, affinity, GPU driver, mpi, libraries, slurm and GPU variables (named ones only), command line, time. What is null stands in
/// "absent" with why. `mpi` is the library's version text. Fit to be published: no environment but named variables, no kernel options but
/// those about speed, and of whoever measured neither home nor name (publishable.hpp); hosts keep their names, since results are about them.
std::string provenance_json(const std::string& mpi);

}  // namespace plumbline
