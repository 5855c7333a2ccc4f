#include "app/nodes/seen_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iterator>
#include <set>

#include "app/results/result_file.hpp"
#include "app/results/stored_results.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "core/gpu_device.hpp"
#include "machine/topology.hpp"
#include "store/journal_folder.hpp"
#include "store/merge.hpp"

namespace plumbline::app {
namespace {

/// Adds the CPUs of a case's ranks to a node's.
struct SeenPlacement {
  std::set<int> cpus = {};
  bool oversubscribed = false;

  void add(const Json& placement) {
    for (const auto& rank : placement.value("ranks", Json::array()))
      for (const auto& cpu : rank.value("cpus", Json::array())) cpus.insert(cpu.get<int>());
    oversubscribed = oversubscribed || placement.value("oversubscribed", false);
  }
  /// The CPUs in words: "CPUs 0-3, oversubscribed".
  std::string text() const { return "CPUs " + cpu_ranges({cpus.begin(), cpus.end()}) + (oversubscribed ? ", oversubscribed" : ""); }
};

/// Adds a GPU's conditions; of several spans the last mean of a number, and what held the clocks down in any of them.
void add_gpu(const Json& gpu, std::map<std::string, std::set<std::string>>& held_down, SeenConditions& of_node) {
  const std::string which = gpu_rounds(gpu_of_name(gpu.value("device", "GPU")));
  of_node[which] = {{"value", fmt::format("{} at {}, {}", gpu.value("name", "?"), gpu.value("pci", "?"),
                                          gpu.contains("uuid") && gpu["uuid"].is_string() ? gpu["uuid"].get<std::string>() : "no UUID")}};
  const Json seen = gpu.value("conditions", Json::object());
  const Json during = seen.value("during", Json::object());
  const Json after = seen.value("after", Json::object());
  for (const auto& [name, reading] : after.items()) {
    Json& told = of_node[which + "_" + name];
    const Json range = during.value(name, Json());
    if (range.is_object()) {
      told = {{"value", range["mean"]}};
    } else if (range.is_array() && !range.empty()) {
      auto& reasons = held_down[which];
      reasons.merge(range.get<std::set<std::string>>());
      told = {{"value", fmt::format("{}", fmt::join(reasons, "; "))}};
    } else if (!told.is_object() || told["value"].is_null()) {
      told = range.is_array() ? Json{{"value", "none"}} : reading;
    }
  }
}

void add_failed_gpus(const Results& results, FailedGpus& failed) {
  for (const auto& row : results.outcomes) {
    if (row.status != Status::failed || !row.case_id.starts_with("ceilings/gpu")) continue;
    const Json placement = Json::parse(row.placement, nullptr, false);
    if (!placement.is_object()) continue;
    for (const auto& rank : placement.value("ranks", Json::array()))
      if (rank.contains("gpu")) failed[row.node][gpu_of_name(rank["gpu"].value("device", "GPU"))] = row.reason;
  }
}

void add_conditions(const Results& results, std::map<std::string, SeenConditions>& all) {
  std::map<std::string, SeenPlacement> placements;
  std::map<std::string, std::map<std::string, std::set<std::string>>> held_down;  // [node][GPU]: by what
  for (const auto& row : results.outcomes) {
    if (row.pass != "again") continue;
    const Json placement = Json::parse(row.placement, nullptr, false);
    if (!placement.is_object() || !placement.contains("conditions")) continue;
    placements[row.node].add(placement);
    for (const auto& rank : placement.value("ranks", Json::array()))
      if (rank.contains("gpu")) add_gpu(rank["gpu"], held_down[row.node], all[row.node]);
    for (const auto& [name, seen] : placement["conditions"].items()) {
      Json& sum = all[row.node][name];
      const bool counts_up = name.ends_with("_seconds") || name.ends_with("_events") || name.ends_with("_periods") || name == "seconds";
      if (counts_up && sum.is_object() && sum["value"].is_number() && seen["value"].is_number())
        sum["value"] = sum["value"].get<double>() + seen["value"].get<double>();
      else
        sum = seen;
    }
  }
  for (const auto& [node, placement] : placements) all[node]["placement"] = {{"value", placement.text()}};
}

}  // namespace

void SeenNodes::add(const Results& results) {
  ObservedFile observed = observe_results(results);
  if (cluster.empty()) cluster = observed.cluster;
  std::move(observed.side.observations.begin(), observed.side.observations.end(), std::back_inserter(side.observations));
  side.machines.merge(observed.side.machines);
  wrong.insert(wrong.end(), observed.wrong.begin(), observed.wrong.end());
  for (const auto& row : results.ceilings) {
    if (row.status != Status::ok) continue;
    auto& nodes = right[series_name(row)];
    if (nodes.empty() || nodes.back() != row.node) nodes.push_back(row.node);
  }
  remeasured.insert(remeasured.end(), results.remeasured.begin(), results.remeasured.end());
  add_conditions(results, conditions);
  add_failed_gpus(results, failed_gpus);
  notes.insert(notes.end(), observed.notes.begin(), observed.notes.end());
}

SeenNodes seen_in_run(const RunFiles& files) {
  SeenNodes seen;
  if (std::filesystem::exists(files.store) || !std::filesystem::exists(files.journals)) {
    if (auto results = load_finished(files.store, load_results)) {
      leave_out_phases(*results);
      seen.add(*results);
    }
    return seen;
  }
  const JournalFolder folder(files.journals);
  std::map<std::string, MachineRow> machines;
  for (const auto& row : folder.frame().machines) machines[row.node] = row;
  folder.for_each_node([&](Results& part) {
    part.cases = folder.frame().cases;
    part.model = folder.frame().model;
    std::set<std::string> nodes;
    for (const auto& outcome : part.outcomes) nodes.insert(outcome.node);
    for (const auto& node : nodes)
      if (const auto found = machines.find(node); found != machines.end()) part.machines.push_back(found->second);
    leave_out_phases(part);
    seen.add(part);
  });
  return seen;
}

}  // namespace plumbline::app
