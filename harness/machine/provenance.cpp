#include "machine/provenance.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "core/host_name.hpp"
#include "machine/build_record.hpp"
#include "machine/cpu.hpp"
#include "machine/facts_json.hpp"
#include "machine/gpu_facts.hpp"
#include "machine/loaded_libraries.hpp"
#include "machine/program_id.hpp"
#include "machine/publishable.hpp"
#include "machine/system_facts.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

using nlohmann::ordered_json;

// Variables of Slurm that say where and how a job ran.
constexpr const char* slurm_variables[] = {"SLURM_JOB_ID",          "SLURM_JOB_NAME",      "SLURM_JOB_PARTITION",
                                           "SLURM_JOB_NODELIST",    "SLURM_JOB_NUM_NODES", "SLURM_NTASKS",
                                           "SLURM_NTASKS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLURM_STEP_ID",
                                           "SLURM_STEP_NUM_TASKS",  "SLURM_RESTART_COUNT", "SLURM_CLUSTER_NAME",
                                           "SLURM_ARRAY_JOB_ID",    "SLURM_ARRAY_TASK_ID", "SLURM_CPU_BIND",
                                           "SLURM_DISTRIBUTION",    "SLURM_JOB_QOS",       "SLURM_MEM_PER_NODE",
                                           "SLURM_JOB_CONSTRAINTS", "SLURM_CPUS_ON_NODE",  "SLURM_JOB_CPUS_PER_NODE",
                                           "SLURM_CPU_FREQ_REQ",    "SLURM_MPI_TYPE",      "SLURM_THREADS_PER_CORE"};
// Prefixes of variables that say how threads are bound, and how the MPI library and the allocator work.
constexpr std::string_view thread_variables[] = {"OMP_", "GOMP_", "KMP_", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS"};
// Variables that say which GPUs a process may use, in what order, and how CUDA works on them.
constexpr const char* gpu_variables[] = {"CUDA_VISIBLE_DEVICES",
                                         "NVIDIA_VISIBLE_DEVICES",
                                         "CUDA_DEVICE_ORDER",
                                         "CUDA_DEVICE_MAX_CONNECTIONS",
                                         "CUDA_LAUNCH_BLOCKING",
                                         "CUDA_MODULE_LOADING",
                                         "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                         "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"};
constexpr std::string_view library_variables[] = {"UCX_", "FI_", "MPICH_", "MPIR_CVAR_", "I_MPI_", "HYDRA_", "GLIBC_TUNABLES", "MALLOC_"};

/// Whether the variable is one in which the launcher tells each process where it runs, not how.
bool is_place(std::string_view name) { return name.ends_with("INTERFACE_HOSTNAME"); }

ordered_json environment(std::span<const char* const> names, const Person& person) {
  auto found = ordered_json::object();
  for (const char* name : names)
    if (const char* value = std::getenv(name)) found[name] = publishable({value}, person).front();
  return found;
}

/// All variables whose names begin so, but for those that hold secrets.
ordered_json environment(std::span<const std::string_view> beginnings, const Person& person) {
  std::map<std::string, std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto name = text.substr(0, text.find('='));
    const bool wanted = std::any_of(beginnings.begin(), beginnings.end(), [&](auto beginning) { return name.starts_with(beginning); });
    if (wanted && name.size() < text.size() && !is_place(name) && !names_a_secret(name))
      found[std::string(name)] = publishable({std::string(text.substr(name.size() + 1))}, person).front();
  }
  return found;
}

/// The cluster on which the nodes stand: the user's word for it comes before Slurm's.
Fact cluster(const Person& person) {
  for (const char* name : {"PLUMBLINE_CLUSTER", "SLURM_CLUSTER_NAME"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
      return known("cluster", publishable({value}, person).front());
  return unknown("cluster", "neither PLUMBLINE_CLUSTER nor SLURM_CLUSTER_NAME is set");
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

ordered_json command_line(const Person& person) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < all.size();) {
    const auto end = std::min(all.find('\0', begin), all.size());
    words.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return publishable(words, person);
}

ordered_json build(const Person& person) {
  auto flavors = ordered_json::object();
  for (const auto& [flavor, command] : build_record::flavors)
    if (!flavor.empty()) flavors[std::string(flavor)] = without_person(std::string(command), person);
  return {{"compiler", build_record::compiler},
          {"type", build_record::build_type},
          {"flags", without_person(std::string(build_record::baseline_flags), person)},
          {"flavors", flavors}};
}

ordered_json kernel() {
  utsname names{};
  uname(&names);
  return {{"system", names.sysname}, {"release", names.release}, {"version", names.version}, {"machine", names.machine}};
}

/// Adds facts of rank 0's node, under the names that results have had from the start. All nodes, and more facts, are in /machine.
void add_node_facts(ordered_json& document) {
  const auto facts = system_facts();
  const auto add = [&](ordered_json& object, const char* name, const char* fact) {
    const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& one) { return one.name == fact; });
    Fact renamed = *found;
    renamed.name = name;
    renamed.number = false;
    add_fact(object, renamed);
  };
  add(document["kernel"], "options", "kernel_options");
  add(document, "os", "os");
  add(document, "microcode", "microcode");
  document["mitigations"] = facts_json(mitigations());
  add(document, "smt", "smt_control");
  add(document, "numa_nodes_online", "numa_nodes_online");
  add(document, "numa_balancing", "numa_balancing");
  add(document, "thp", "thp_enabled");
}

void add_gpu_driver(ordered_json& document) {
  const Nvml nvml;
  const Facts driver = nvidia_driver(nvml);
  document["gpu_driver"] = driver.empty() ? ordered_json() : facts_json(driver);
  if (driver.empty()) document["absent"]["gpu_driver"] = nvml.why_not();
}

/// Adds the first line of the text that MPI_Get_library_version gave, and what MPICH talks through ("ch4:ucx").
void add_mpi(ordered_json& document, const std::string& mpi) {
  document["mpi"] = mpi.substr(0, mpi.find('\n'));
  constexpr std::string_view key = "MPICH Device:";
  const auto at = mpi.find(key);
  Fact device = unknown("mpi_device", "the MPI library's version text names no device");
  if (at != mpi.npos) {
    const auto begin = mpi.find_first_not_of(" \t", at + key.size());
    if (begin != mpi.npos) device = known("mpi_device", mpi.substr(begin, mpi.find('\n', begin) - begin));
  }
  add_fact(document, device);
}

}  // namespace

std::string provenance_json(const std::string& mpi) {
  const Cpu& cpu = this_cpu();
  const Person person = this_person();
  ordered_json document{
      {"plumbline", build_record::version},
      {"program", program_id()},
      {"git", {{"commit", build_record::git_commit}, {"state", build_record::git_state}}},
      {"build", build(person)},
      {"time_utc", utc_now()},
      {"command", command_line(person)},
      {"host", host_name()},
      {"kernel", kernel()},
      {"cpu",
       {{"vendor", cpu.vendor},
        {"family", cpu.family},
        {"model", cpu.model},
        {"name", cpu.name},
        {"isas", cpu.isas},
        {"virtual_machine", cpu.virtual_machine}}},
  };
  add_node_facts(document);
  add_gpu_driver(document);
  const auto affinity = field_of("/proc/self/status", "Cpus_allowed_list");
  add_fact(document, affinity ? known("affinity", *affinity) : unknown("affinity", "/proc/self/status names no Cpus_allowed_list"));
  add_mpi(document, mpi);
  const std::string libc = libc_version();
  add_fact(document, libc.empty() ? unknown("libc", "not the GNU C library: it has no call for its version") : known("libc", libc));
  document["libraries"] = loaded_libraries();
  add_fact(document, cluster(person));
  document["slurm"] = environment(slurm_variables, person);
  if (document["slurm"].empty()) document["absent"]["slurm"] = "not in a Slurm job: none of its variables is set";
  document["threads_environment"] = environment(thread_variables, person);
  if (document["threads_environment"].empty()) document["absent"]["threads_environment"] = "none of these variables is set";
  document["gpu_environment"] = environment(gpu_variables, person);
  if (document["gpu_environment"].empty()) document["absent"]["gpu_environment"] = "none of these variables is set";
  document["library_environment"] = environment(library_variables, person);
  if (document["library_environment"].empty()) document["absent"]["library_environment"] = "no variable of MPI or of the allocator is set";
  return document.dump();
}

}  // namespace plumbline
