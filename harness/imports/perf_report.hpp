// The reports of perf stat that programs read: CSV (-x, with any separator) or a line of JSON for each event (-j).
#pragma once
#include <string>
#include <vector>

#include "imports/profiler_report.hpp"

namespace plumbline {

/// Reads the sums of a whole run, one launch. Events bear perf's names without their modifiers, in base units. Throws Error (user) with
/// file and line, also where the sums are of single CPUs, threads or intervals.
std::vector<ProfiledLaunch> read_perf_report(std::string text, const std::string& path, const WantedMetrics& wanted);

}  // namespace plumbline
