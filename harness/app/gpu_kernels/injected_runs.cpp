#include "app/gpu_kernels/injected_runs.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "app/here/event_rows.hpp"
#include "app/here/gpus.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_host.hpp"
#include "profile/preloading.hpp"
#include "profile/program.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* library = "libplumbline_cuda_profile.so";
constexpr const char* injected = "CUDA_INJECTION64_PATH";  // of NVIDIA's driver: what it loads into a program
constexpr const char* called = "NVTX_INJECTION64_PATH";    // of NVTX: what it tells of ranges

fs::path find_library() {
  for (const auto& folder : folders_of_module())
    if (fs::exists(folder / library)) return folder / library;
  throw user_error(
      fmt::format("profile --gpu needs {}, which is neither beside plumbline nor in ../lib: it is built where CUPTI is found", library));
}

/// The folder of the CUPTI that counts; throws Error (user) where there is none, or no GPU.
fs::path find_cupti() {
  const CudaDriver driver;
  if (!driver.availability().ok())
    throw user_error("profile --gpu has nothing to count on: " + driver.availability().reason +
                     "; run it on a node with a GPU, or count what the program does on CPUs: --count-only without --gpu");
  const CuptiHost cupti;
  if (!cupti.availability().ok()) throw user_error("profile --gpu counts by CUPTI: " + cupti.availability().reason);
  return cupti.folder();
}

/// Ranks write the same metrics, each into a file of its own.
fs::path leave_metrics(const LaunchMeeting& meeting, int rank) {
  std::map<std::string, std::vector<std::string>> metrics;
  for (const auto& [chip, counters] : counters_by_chip()) metrics[chip] = metrics_of(counters);
  const fs::path file = meeting.folder() / fmt::format("metrics-{}", rank);
  write_metrics(file, metrics);
  return file;
}

/// The environment that both runs have: the library is loaded by the driver, by NVTX, and by the loader for the marks of plumbline.h.
std::vector<SetVariable> environment_for(const fs::path& library_file, const ProfileOptions& options, const Launch& launch,
                                         const LaunchMeeting& meeting) {
  std::vector<SetVariable> variables{{injected, library_file.string()},
                                     {called, library_file.string(), false},
                                     {"PLUMBLINE_CUPTI_PATH", find_cupti().string()},
                                     {report_variable, (meeting.folder() / meeting.prefix(launch.rank)).string()},
                                     {most_launches_variable, std::to_string(options.most_launches)}};
  if (is_name_for_loader(library_file)) variables.push_back(preloading({library_file}));
  return variables;
}

}  // namespace

void require_injection(std::vector<std::string>& notes) {
  find_library();
  if (const char* other = std::getenv(injected); other != nullptr && *other != '\0')
    throw user_error(fmt::format("{} is set ({}): another tool counts or traces this program; unset it", injected, other));
  if (const char* other = std::getenv(called); other != nullptr && *other != '\0')
    notes.push_back(fmt::format("{} is set ({}): that tool hears of NVTX's ranges, and this profile does not", called, other));
}

InjectedRuns prepare_injected(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  const fs::path program = locate_program(options.command.front(), "--gpu");
  const auto environment = environment_for(find_library(), options, launch, meeting);
  InjectedRuns runs{.is_timed = options.time_only || (launch.size == 1 && !options.count_only), .is_counted = !options.time_only};
  runs.timed = runs.counted = {program, options.command, environment};
  runs.counted.environment.push_back({metrics_variable, leave_metrics(meeting, launch.rank).string()});
  return runs;
}

std::map<std::string, std::vector<KernelCounter>> counters_by_chip() {
  const EventTables tables = all_event_tables();
  std::map<std::string, std::vector<KernelCounter>> all;
  for (const auto* some : {&tables.ours, &tables.users})
    for (const auto& table : *some)
      for (const auto& chip : table.chips) all[chip] = kernel_counters(counters_for_chip(tables, chip).counters);
  return all;
}

void read_runs(const LaunchMeeting& meeting, KernelRuns& runs, std::vector<std::string>& notes) {
  for (auto& one : read_process_files<RankReport>(meeting, read_kernel_report, notes))
    (one.report.timed ? runs.timed : runs.counted).push_back(std::move(one));
}

}  // namespace plumbline::app
