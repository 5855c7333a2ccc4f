// The injected library writes a report of one process's launches, which the program that started the process reads.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "counters/cupti/cupti_activities.hpp"
#include "counters/cupti/cupti_kernels.hpp"
#include "injection/phases.hpp"

namespace plumbline {

/// These environment variables tell a process where its report goes ("FOLDER/rank-0.", before the process's number and .json), which file
/// has the metrics by chip (JSON; without it launches are timed and not counted), and the value of KernelWishes::most_launches, which is
/// that of ActivityWishes::first_launches too.
inline constexpr const char* report_variable = "PLUMBLINE_KERNELS_TO";
inline constexpr const char* metrics_variable = "PLUMBLINE_KERNELS_METRICS";
inline constexpr const char* most_launches_variable = "PLUMBLINE_KERNELS_MOST_LAUNCHES";

struct KernelReport {
  int process = 0, parent = 0;
  std::vector<std::string> command = {};
  std::string cupti = {};          // "CUPTI 13.0 (FILE)"
  Availability availability = {};  // why nothing at all could be counted
  bool ended = false;              // false: the process went on after this, unseen
  KernelCounts counts = {};
  bool timed = false;  // its launches were timed, and not counted
  KernelTimes times = {};
  ProgramPhases phases = {};             // by whose numbers kernels have theirs
  std::vector<VisibleGpu> devices = {};  // that its kernels ran on; none of a process whose end was not seen
};

/// Writes a report, which appears whole. Gives false where the file cannot be written.
bool write_kernel_report(const std::filesystem::path& file, const KernelReport& report);
/// Reads a report. Throws Error (I/O) when the file cannot be read or is no such report.
KernelReport read_kernel_report(const std::filesystem::path& file);

/// Writes the metrics by chip. Both this and the reading throw Error (I/O).
void write_metrics(const std::filesystem::path& file, const std::map<std::string, std::vector<std::string>>& metrics);
std::map<std::string, std::vector<std::string>> read_metrics(const std::filesystem::path& file);

}  // namespace plumbline
