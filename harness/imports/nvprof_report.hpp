// The CSV of nvprof is that of `nvprof --csv --metrics ...`, and has times by --print-gpu-summary (the default) or --print-gpu-trace.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "imports/profiler_report.hpp"

namespace plumbline {

/// The kernels of all files together: nvprof times and counts in runs of their own. For each kernel on each GPU the first table that has a
/// metric gives it to the first run, the next one to the second; times likewise. `files`: text and path, in the user's order. Throws Error
/// (user) with file and line.
std::vector<ProfiledLaunch> read_nvprof_reports(std::vector<std::pair<std::string, std::string>> files, const WantedMetrics& wanted);

}  // namespace plumbline
