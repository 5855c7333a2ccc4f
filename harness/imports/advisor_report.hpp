// Intel Advisor's CSV (advisor --report=survey --format=csv, or the table that its window exports) has a line a loop or function.
#pragma once
#include <string>
#include <vector>

#include "imports/profiler_report.hpp"

namespace plumbline {

/// Reads the loops that have FLOPs or bytes, a launch for each; of a loop in several versions the versions where the loop has none. Columns
/// bear the names of Advisor's Python interface ("self_gflop" for "Self GFLOP"), in base units; FLOPs those of the loop's data types, too
/// ("self_gflop.float64", ".float32", ".unsaid"). Throws Error (user) with file and line.
std::vector<ProfiledLaunch> read_advisor_report(std::string text, const std::string& path, const WantedMetrics& wanted);

}  // namespace plumbline
