// likwid-perfctr's CSV (-O) has a table of derived metrics for each group, and with markers for each region and group.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "imports/profiler_report.hpp"

namespace plumbline {

/// Reads runs of likwid-perfctr, each a pair of text and path, in their order: a launch for each region (or the program) and group. Where
/// each file has one group, those of one region, CPU and team are one launch, whose remarks say which runs it is made of. Volumes are
/// summed over hardware threads; a rate is multiplied by its thread's own runtime, and then bears the name "DP x Runtime (RDTSC)". Throws
/// Error (user) with file and line.
std::vector<ProfiledLaunch> read_likwid_reports(std::vector<std::pair<std::string, std::string>> files, const WantedMetrics& wanted);

}  // namespace plumbline
