// Libraries at whose functions a parallel program waits are known by their files' names.
#pragma once
#include <string>

namespace plumbline {

/// Whether the file is a library that runs threads (OpenMP's): most of the time in it is waiting for other threads.
bool runs_threads(const std::string& object);
/// Whether the file is a library that carries messages: MPI's, and those below it (libfabric, UCX, PMIx, ...).
bool carries_messages(const std::string& object);
/// Whether it is one of these, so that its functions' rates say little.
inline bool is_for_waiting(const std::string& object) { return runs_threads(object) || carries_messages(object); }

}  // namespace plumbline
