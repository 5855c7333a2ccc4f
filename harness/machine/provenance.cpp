#include "machine/provenance.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "machine/build_record.hpp"
#include "machine/cpu.hpp"
#include "machine/machine_json.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<std::string>& value) { return value ? ordered_json(*value) : ordered_json(); }

// Only what says where and how a job ran.
constexpr const char* slurm_variables[] = {"SLURM_JOB_ID",        "SLURM_JOB_NAME",       "SLURM_JOB_PARTITION",   "SLURM_JOB_NODELIST",
                                           "SLURM_JOB_NUM_NODES", "SLURM_NTASKS",         "SLURM_NTASKS_PER_NODE", "SLURM_CPUS_PER_TASK",
                                           "SLURM_STEP_ID",       "SLURM_STEP_NUM_TASKS", "SLURM_RESTART_COUNT",   "SLURM_CLUSTER_NAME",
                                           "SLURM_ARRAY_JOB_ID",  "SLURM_ARRAY_TASK_ID",  "SLURM_CPU_BIND",        "SLURM_DISTRIBUTION",
                                           "SLURM_JOB_QOS",       "SLURM_MEM_PER_NODE"};
constexpr const char* thread_variables[] = {"OMP_NUM_THREADS",   "OMP_PLACES",           "OMP_PROC_BIND",
                                            "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "GOMP_CPU_AFFINITY"};

ordered_json environment(std::span<const char* const> names) {
  auto found = ordered_json::object();
  for (const char* name : names)
    if (const char* value = std::getenv(name)) found[name] = value;
  return found;
}

ordered_json mitigations() {
  auto found = ordered_json::object();
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator("/sys/devices/system/cpu/vulnerabilities", ignored))
    if (const auto line = first_line(file.path())) found[file.path().filename().string()] = *line;
  return found;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

ordered_json command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  auto words = ordered_json::array();
  for (std::size_t begin = 0; begin < all.size();) {
    const auto end = std::min(all.find('\0', begin), all.size());
    words.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

ordered_json build() {
  auto flavors = ordered_json::object();
  for (const auto& [flavor, command] : build_record::flavors)
    if (!flavor.empty()) flavors[std::string(flavor)] = command;
  return {{"compiler", build_record::compiler},
          {"type", build_record::build_type},
          {"flags", build_record::baseline_flags},
          {"flavors", flavors}};
}

ordered_json kernel() {
  utsname names{};
  uname(&names);
  return {{"system", names.sysname},
          {"release", names.release},
          {"version", names.version},
          {"machine", names.machine},
          {"options", or_null(first_line("/proc/cmdline"))}};
}

}  // namespace

std::string provenance_json(const std::string& mpi) {
  const Cpu& cpu = this_cpu();
  const ordered_json document{
      {"plumbline", build_record::version},
      {"git", {{"commit", build_record::git_commit}, {"state", build_record::git_state}}},
      {"build", build()},
      {"time_utc", utc_now()},
      {"command", command_line()},
      {"host", host_name()},
      {"kernel", kernel()},
      {"cpu",
       {{"vendor", cpu.vendor},
        {"family", cpu.family},
        {"model", cpu.model},
        {"name", cpu.name},
        {"isas", cpu.isas},
        {"virtual_machine", cpu.virtual_machine}}},
      {"microcode", or_null(field_of("/proc/cpuinfo", "microcode"))},
      {"mitigations", mitigations()},
      {"smt", or_null(first_line("/sys/devices/system/cpu/smt/control"))},
      {"numa_nodes_online", or_null(first_line("/sys/devices/system/node/online"))},
      {"numa_balancing", or_null(first_line("/proc/sys/kernel/numa_balancing"))},
      {"thp", or_null(bracketed(first_line("/sys/kernel/mm/transparent_hugepage/enabled")))},
      {"affinity", or_null(field_of("/proc/self/status", "Cpus_allowed_list"))},
      {"mpi", mpi},
      {"slurm", environment(slurm_variables)},
      {"threads_environment", environment(thread_variables)},
  };
  return document.dump();
}

}  // namespace plumbline
