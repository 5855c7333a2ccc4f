// Tables say what the metrics of other profilers stand for: harness/imports/metrics/TOOL.toml.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/profiler_metric.hpp"
#include "core/records.hpp"

namespace plumbline::app {

/// The backend of what `plumbline profile --gpu` counted, where it was imported.
inline constexpr const char* own_profiler = "profile";

/// The name of our own convention of counting; all others are files of harness/imports/conventions, NAME.toml.
inline constexpr const char* own_convention = "plumbline";

/// A convention of counting, as its file describes it: the metrics and weights by which others count the FLOPs and bytes of a GPU.
struct CountingConvention {
  std::string name = {}, meaning = {};
  std::vector<ProfilerMetrics> tables = {};  // one for each backend that it knows: ncu, nvprof, profile, cupti
};

/// Reads a convention other than ours. Throws Error (user) where there is none of the name, with those that there are.
CountingConvention counting_convention(const std::string& name);

/// Reads the table of a tool, or what a convention has for it (the time as ours where it says nothing of it). Throws Error (user) with file
/// and line where a table is wrong, where there is none, and where the convention is unknown or does not speak of the tool.
ProfilerMetrics profiler_metrics(const std::string& tool, const std::string& convention = own_convention);

/// The metrics of a tool that any convention takes: what an import keeps.
std::vector<ProfilerMetrics> all_metrics_of(const std::string& tool);

/// The convention that a command was told, else that by which the file was imported, else ours.
std::string convention_for(const Results& results, const std::string& told);

/// Says that numbers are by another convention than ours, and which; nullopt for ours. Throws Error (user) where it is unknown.
std::optional<std::string> convention_note(const std::string& convention);

/// The tables of the profilers whose counts a result file has; mostly none. By another convention than ours those of a GPU's counters are
/// among them. Throws Error (user) where the convention is unknown, or speaks of none of the file's counts.
std::vector<ProfilerMetrics> profiler_metrics_for(const Results& results, const std::string& convention = {});

}  // namespace plumbline::app
