#include "comm/launch.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace plumbline {
namespace {

std::optional<int> number(const Environment& environment, const char* name) {
  const auto text = environment(name);
  if (!text) return std::nullopt;
  int value = 0;
  const auto* last = text->data() + text->size();
  const auto [end, failure] = std::from_chars(text->data(), last, value);
  if (failure != std::errc() || end != last) return std::nullopt;
  return value;
}

// The linked library's own launchers.
std::string right_launcher(std::string_view library, int size) {
  if (library.find("Open MPI") != library.npos) return fmt::format("mpiexec.openmpi -n {} plumbline ...", size);
  if (library.find("MPICH") != library.npos)
    return fmt::format("mpiexec.mpich -n {0} plumbline ... or srun --mpi=pmi2 -n {0} plumbline ...", size);
  if (library.find("Intel") != library.npos)
    return fmt::format("mpiexec.hydra -n {0} plumbline ... or srun --mpi=pmi2 -n {0} plumbline ...", size);
  return fmt::format("the mpiexec that belongs to '{}'", library);
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

std::optional<Launch> find_launch(const Environment& environment) {
  struct Source {
    const char *size, *rank;
  };
  // PMI first: hydra's ranks under Slurm also inherit the variables of the step that carries its proxies.
  for (const auto& source : {Source{"PMI_SIZE", "PMI_RANK"}, Source{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}})
    if (const auto size = number(environment, source.size)) return Launch{*size, number(environment, source.rank).value_or(0), source.size};
  // A batch script sees SLURM_NTASKS too, but it is one process: only a task of a step was launched.
  const bool batch_script = environment("SLURM_JOB_ID") && !environment("SLURM_STEP_ID");
  if (batch_script) return std::nullopt;
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})
    if (const auto size = number(environment, name)) return Launch{*size, number(environment, "SLURM_PROCID").value_or(0), name};
  return std::nullopt;
}

int launched_size() {
  const auto launch = find_launch(process_environment());
  return launch ? launch->size : 1;
}

std::optional<Error> launch_mismatch(const std::optional<Launch>& launch, int world_size, std::string_view library) {
  if (!launch || launch->size <= 1 || world_size == launch->size || world_size > 1) return std::nullopt;
  if (launch->rank != 0) return user_error("");
  const auto advice = library.empty()
                          ? std::string("this plumbline is built without MPI: start one process, or build with -DPLUMBLINE_WITH_MPI=ON")
                          : fmt::format("the launcher does not belong to the linked MPI; use {}", right_launcher(library, launch->size));
  return user_error(
      fmt::format("{0} says {1} processes were launched, but each of them is alone (world size 1): {2}", launch->by, launch->size, advice));
}

}  // namespace plumbline
