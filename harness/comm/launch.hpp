// A launcher's environment says what it started, so that N singletons are not taken for a job of N ranks.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline {

/// Looks a word up in an environment; nullopt when it is not there.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

struct Launch {
  int size = 1, rank = 0;              // as the launcher counts
  std::string by;                      // the variable that said so: "PMI_SIZE"
  int local_size = 1;                  // ranks on this node; `size` where the launcher does not say
  std::optional<int> local_rank = {};  // among those; nullopt where it does not say
};

/// Reads what mpiexec, srun or Open MPI's mpiexec says; nullopt when nothing launched this process (a shell, a batch script).
std::optional<Launch> find_launch(const Environment& environment);

/// The error of N singletons, where world and launcher disagree; else nothing. Ranks other than the launcher's first get an empty
/// message, so that the user reads one line. `library` is the version string of the MPI in use.
std::optional<Error> launch_mismatch(const std::optional<Launch>& launch, int world_size, std::string_view library);

}  // namespace plumbline
