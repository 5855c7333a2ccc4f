// Tables say what the metrics of other profilers stand for: harness/imports/metrics/TOOL.toml.
#pragma once
#include <string>
#include <vector>

#include "core/profiler_metric.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// The backend of what `plumbline profile --gpu` counted, where it was imported.
inline constexpr const char* own_profiler = "profile";

/// Reads the table of a tool. Throws Error (user) with file and line where a table is wrong, or where there is none.
ProfilerMetrics profiler_metrics(const std::string& tool);

/// The tables of the profilers whose counts a result file has; mostly none.
std::vector<ProfilerMetrics> profiler_metrics_for(const Results& results);

}  // namespace plumbline::app
