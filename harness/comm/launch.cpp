#include "comm/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// Slurm's "2(x3),1": two ranks on each of three nodes, one on the fourth.
std::optional<int> tasks_of_node(std::string_view text, int node) {
  while (!text.empty()) {
    int tasks = 0, repeated = 1;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), tasks);
    if (failure != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with("(x")) {
      std::from_chars(text.data() + 2, text.data() + text.size(), repeated);
      text.remove_prefix(std::min(text.size(), text.find(')')) + (text.find(')') == text.npos ? 0 : 1));
    }
    if (node < repeated) return tasks;
    node -= repeated;
    text.remove_prefix(text.starts_with(',') ? 1 : text.size());
  }
  return std::nullopt;
}

std::optional<int> ranks_on_this_node(const Environment& environment) {
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"})
    if (const auto ranks = number(environment, name)) return ranks;
  const auto node = number(environment, "SLURM_NODEID");
  const auto tasks = environment("SLURM_STEP_TASKS_PER_NODE");
  return node && tasks ? tasks_of_node(*tasks, *node) : std::nullopt;
}

// The rank's number on its node. In a step that carries hydra's proxies SLURM_LOCALID is a proxy's, so it comes last.
std::optional<int> rank_on_this_node(const Environment& environment) {
  for (const char* name : {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
    if (const auto rank = number(environment, name)) return rank;
  return std::nullopt;
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
    if (const auto size = number(environment, source.size))
      return Launch{*size, number(environment, source.rank).value_or(0), source.size, ranks_on_this_node(environment).value_or(*size),
                    rank_on_this_node(environment)};
  // A batch script sees SLURM_NTASKS too, but it is one process: only a task of a step was launched.
  const bool batch_script = environment("SLURM_JOB_ID") && !environment("SLURM_STEP_ID");
  if (batch_script) return std::nullopt;
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})
    if (const auto size = number(environment, name))
      return Launch{*size, number(environment, "SLURM_PROCID").value_or(0), name, ranks_on_this_node(environment).value_or(*size),
                    rank_on_this_node(environment)};
  return std::nullopt;
}

std::optional<Error> launch_mismatch(const std::optional<Launch>& launch, int world_size, std::string_view library) {
  if (!launch || launch->size <= 1 || world_size == launch->size || world_size > 1) return std::nullopt;
  if (launch->rank != 0) return user_error("");
  const auto advice = library.empty()
                          ? std::string("this plumbline is built without MPI: start one process, or build with -DPLUMBLINE_WITH_MPI=ON")
                          : fmt::format("the launcher belongs to another MPI; use {}", right_launcher(library, launch->size));
  return user_error(
      fmt::format("{0} says {1} processes were launched, but each of them is alone (world size 1): {2}", launch->by, launch->size, advice));
}

}  // namespace plumbline
