// Nsight Compute's CSV is that of `ncu --csv` (a line a metric) or of `ncu --csv --page raw` (a line a launch, units in the second line).
#pragma once
#include <string>
#include <vector>

#include "imports/profiler_report.hpp"

namespace plumbline {

/// Reads the launches in the file's order. Throws Error (user) with file and line.
std::vector<ProfiledLaunch> read_ncu_report(std::string text, const std::string& path, const WantedMetrics& wanted);

}  // namespace plumbline
