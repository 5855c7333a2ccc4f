#include "app/gpu_kernels/kernel_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/here/profiler_metrics.hpp"
#include "app/results/case_names.hpp"
#include "app/results/result_file.hpp"
#include "core/host_name.hpp"
#include "core/json_text.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/placement/profiled.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* session = "profile";

/// A kernel, or all of them.
struct Part {
  Json parameters;
  int compute_capability = 0;
  int gpus = 1;  // of a node
  Amount seconds = {};
  std::uint64_t launches = 0;                   // of all nodes
  const std::map<std::string, double>* counts;  // null: it has none
  std::string why_no_counts;
};

MetricValues values_of(const std::map<std::string, double>& counts) {
  MetricValues values;
  for (const auto& [metric, count] : counts)
    values[metric] = std::isnan(count) ? Reported{absent, Status::unavailable, "CUPTI gave no number"} : Reported{count, Status::ok, {}};
  return values;
}

class ResultsOfKernels {
 public:
  ResultsOfKernels(const std::string& program, int nodes, Results roofs, std::string minus)
      : kernel_(std::string(program_suite) + CaseNames({program}).of(program)),
        nodes_(std::max(1, nodes)),
        minus_(std::move(minus)),
        table_(profiler_metrics(own_profiler)),
        results_(std::move(roofs)) {
    const auto roof = std::ranges::find(results_.ceilings, gpu_scope, &CeilingRow::scope);
    node_ = roof != results_.ceilings.end() ? roof->node : !results_.machines.empty() ? results_.machines.front().node : host_name();
    results_.cases.clear(), results_.outcomes.clear(), results_.times.clear(), results_.counts.clear(), results_.model.clear();
  }

  /// Adds a case, and gives its id.
  std::string add(Part part) {
    if (!minus_.empty()) part.parameters["minus"] = minus_;
    const CaseRow row = case_of(part);
    results_.cases.push_back(row);
    add_time(row, part);
    add_counts(row, part);
    const double launches = static_cast<double>(part.launches) / nodes_ / part.gpus;  // a model is one rank's
    results_.model.push_back({.case_id = row.id, .quantity = "launches", .lo = launches, .hi = launches});
    return row.id;
  }
  Results take() { return std::move(results_); }

 private:
  std::string precision_of(const Part& part) const {
    if (part.counts == nullptr) return "-";
    std::vector<std::string> undefined;
    const ProfilerMetrics table = metrics_of_gpu(table_, "", part.compute_capability, undefined);
    return main_precision(profiled_flops(table, values_of(*part.counts), part.seconds.value_or(absent), part.compute_capability));
  }

  CaseRow case_of(const Part& part) const {
    CaseRow row{.id = {},
                .work = {},
                .kernel = kernel_,
                .precision = precision_of(part),
                .flavor = part.compute_capability > 0 ? fmt::format("cuda-sm_{}", part.compute_capability) : "cuda",
                .ranks = part.gpus,
                .params = json_text(part.parameters),
                .row = static_cast<std::int64_t>(results_.cases.size()),
                .gpus = part.gpus};
    row.work = row.kernel + "/" + row.precision;
    for (const auto& [key, value] : part.parameters.items()) row.work += fmt::format("/{}={}", key, value.get<std::string>());
    row.id = fmt::format("{}/g{}/{}", row.work, row.gpus, row.flavor);
    return row;
  }

  OutcomeRow outcome(const CaseRow& row, const char* pass, const std::string& why_not) const {
    Json ranks = Json::array();
    // Each GPU is taken to be as the first one is, whose ceilings the roofs have.
    for (int gpu = 0; gpu < row.gpus && row.gpus > 1; ++gpu) ranks.push_back({{"device", "GPU"}});
    return {.case_id = row.id,
            .pass = pass,
            .status = why_not.empty() ? Status::ok : Status::unavailable,
            .reason = why_not,
            .node = node_,
            .placement = json_text(Json{{"ranks", ranks}}),
            .session = session};
  }

  void add_time(const CaseRow& row, const Part& part) {
    const bool is_known = part.seconds && *part.seconds > 0;
    results_.outcomes.push_back(outcome(row, "time", is_known ? "" : "no launch of it was timed"));
    if (is_known)
      results_.times.push_back({.case_id = row.id, .node = node_, .session = session, .rank = -1, .seconds = *part.seconds, .sweeps = 1});
  }

  /// Each GPU of a node has its part.
  void add_counts(const CaseRow& row, const Part& part) {
    results_.outcomes.push_back(outcome(row, "count", part.counts == nullptr ? part.why_no_counts : ""));
    if (part.counts == nullptr) return;
    for (int gpu = 0; gpu < part.gpus; ++gpu)
      for (const auto& [metric, count] : *part.counts) {
        const double own = count / nodes_ / part.gpus;
        const bool is_known = !std::isnan(own), is_whole = is_known && own >= 0 && own < 0x1p63;
        results_.counts.push_back({.case_id = row.id,
                                   .node = node_,
                                   .session = session,
                                   .event = metric,
                                   .backend = own_profiler,
                                   .rank = gpu,
                                   .raw = is_whole ? static_cast<std::uint64_t>(std::llround(own)) : 0,
                                   .net = own,
                                   .status = is_known ? Status::ok : Status::unavailable});
      }
  }

  const std::string kernel_;
  const int nodes_;
  const std::string minus_;
  const ProfilerMetrics table_;
  Results results_;
  std::string node_;
};

int a_node(int gpus, int nodes) { return std::max(1, gpus / std::max(1, nodes)); }

/// All kernels together; nullopt where they ran on several chips, or there are none. `counts` gets theirs.
std::optional<Part> whole_of(const KernelProfile& profile, int nodes, std::map<std::string, double>& counts) {
  if (profile.kernels.empty()) return std::nullopt;
  Part whole{.parameters = {{"part", "whole"}}, .seconds = profile.total.seconds, .counts = nullptr, .why_no_counts = {}};
  std::set<std::string> devices, chips;
  std::set<int> ranks;
  std::size_t without = 0;
  for (const auto& kernel : profile.kernels) {
    chips.insert(kernel.chip);
    devices.insert(kernel.devices.begin(), kernel.devices.end());
    ranks.insert(kernel.ranks.begin(), kernel.ranks.end());
    whole.compute_capability = std::max(whole.compute_capability, kernel.compute_capability);
    whole.launches += kernel.launches;
    without += kernel.why_no_counts.empty() ? 0 : 1;
    for (const auto& [metric, count] : kernel.scaled) counts[metric] += count;
  }
  chips.erase("");  // of a kernel that the timed run alone saw
  if (chips.size() > 1) return std::nullopt;
  whole.gpus = a_node(static_cast<int>(std::min(ranks.size(), devices.size())), nodes);
  if (without == 0)
    whole.counts = &counts;
  else
    whole.why_no_counts = fmt::format("{} of {} kernels have no counts", without, profile.kernels.size());
  return whole;
}

Part part_of(const KernelRow& kernel, const std::string& name, int nodes) {
  Part part{.parameters = {{"part", name}},
            .compute_capability = kernel.compute_capability,
            .gpus = a_node(kernel.gpus_at_once(), nodes),
            .seconds = kernel.measures.seconds,
            .launches = kernel.launches - kernel.of_graphs,
            .counts = kernel.why_no_counts.empty() ? &kernel.scaled : nullptr,
            .why_no_counts = kernel.why_no_counts};
  if (kernel.launches > 0 && kernel.of_graphs == kernel.launches)
    part.parameters["variant"] = "graph", part.launches = kernel.of_graphs;  // whose launches cost less
  return part;
}

/// The name of a kernel that no other has: the same one may run on GPUs of several chips.
std::string full_name(const KernelRow& kernel) { return fmt::format("{}\n{} {}", kernel.name, kernel.symbol, kernel.chip); }

void set_places(const Results& results, KernelProfile& profile) {
  std::vector<std::string> ignored;
  const auto ceilings = fit_ceilings(results.ceilings, node_facts(results, ignored));
  const Measurements measurements = measurements_of(results);
  const std::vector<ProfilerMetrics> tables{profiler_metrics(own_profiler)};
  std::map<std::string, const RooflinePlacement*> by_case;
  const auto placements = place(measurements, ceilings, nullptr, tables);
  for (const auto& placement : placements) by_case[placement.of->id] = &placement;
  for (auto& kernel : profile.kernels) {
    const RooflinePlacement& at = *by_case.at(kernel.place.case_id);
    kernel.place.bound = at.bound, kernel.place.bound_ceiling = at.bound_ceiling;
    if (std::isfinite(at.percent_of_roof)) kernel.place.percent_of_roof = at.percent_of_roof;
  }
}

}  // namespace

Results kernel_results(const std::string& program, KernelProfile& profile, int nodes, Results roofs, const std::string& minus) {
  ResultsOfKernels made(program, nodes, std::move(roofs), minus);
  std::map<std::string, double> all_counts;
  if (auto whole = whole_of(profile, nodes, all_counts)) profile.whole_case = made.add(std::move(*whole));
  std::vector<std::string> names{"whole"};  // the part that is all of them
  for (const auto& kernel : profile.kernels) names.push_back(full_name(kernel));
  const CaseNames short_names(names);
  for (auto& kernel : profile.kernels) kernel.place.case_id = made.add(part_of(kernel, short_names.of(full_name(kernel)), nodes));
  Results results = made.take();
  set_places(results, profile);
  return results;
}

}  // namespace plumbline::app
