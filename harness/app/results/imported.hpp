// Another profiler's measurements become an ordinary result: a case for each launch, its metrics as counts, stated ceilings beside them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/profiler_metric.hpp"
#include "core/records.hpp"
#include "imports/profiler_report.hpp"
#include "model/placement/projection.hpp"

namespace plumbline::app {

inline constexpr std::string_view imported_suite = "imported/";
inline bool is_imported(const CaseRow& row) { return row.kernel.starts_with(imported_suite); }

/// The metrics that the rows of tables are made of.
WantedMetrics wanted_metrics(std::span<const ProfilerMetrics> tables);

/// Makes the results. Case ids: imported/KERNEL/PRECISION/launch=ID/g1/cuda-sm_NN (run=N of nvprof, process=PID where a report has
/// several); of a CPU imported/REGION/PRECISION/group=NAME/r1tT/native (loop=ID of Advisor, run=1 of perf). What the user has to know
/// besides goes to `notes`.
Results imported_results(const std::vector<ProfiledLaunch>& launches, const ProfilerMetrics& table, std::vector<std::string>& notes);

/// Adds the ceilings of a node spec (projection_spec.hpp) for every GPU, or every CPU and team, of the results. Throws Error (user) where
/// one has no name that places it: "compute PRECISION ...", "L1 ...", "shared ...", "L2 ...", "L3 ...", "mem ...".
void add_stated_ceilings(Results& results, const NodeSpec& spec, const std::string& path);
/// Adds the ceilings that were measured on the first node of another result, as those of the machine of these. Throws Error (user) where it
/// has none.
void add_measured_ceilings(Results& results, const Results& measured, const std::string& path);

}  // namespace plumbline::app
