// The provenance of a result says where it comes from: the program, the machine and the job, as they were.
#pragma once
#include <string>

namespace plumbline {

/// The provenance, one JSON object: plumbline, git, build (compilers, flags of every flavor), host, kernel, os, cpu, microcode,
/// mitigations, smt, numa, thp, affinity, GPU driver, mpi, libraries, slurm and GPU variables (named ones only), command line, time. A
/// value that is null has its reason in "absent". `mpi` is the library's version text. It is fit to be published: no environment but named
/// variables, no kernel options but those about speed, and neither home nor name of whoever measured (publishable.hpp); hosts keep their
/// names, since results are about them.
std::string provenance_json(const std::string& mpi);

}  // namespace plumbline
