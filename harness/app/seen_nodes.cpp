#include "app/seen_nodes.hpp"

#include <iterator>
#include <set>

#include "app/result_file.hpp"
#include "machine/topology.hpp"
#include "store/journal.hpp"
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
  /// "CPUs 0-3, oversubscribed"
  std::string text() const { return "CPUs " + cpu_ranges({cpus.begin(), cpus.end()}) + (oversubscribed ? ", oversubscribed" : ""); }
};

void add_conditions(const Results& results, std::map<std::string, SeenConditions>& all) {
  std::map<std::string, SeenPlacement> placements;
  for (const auto& row : results.outcomes) {
    if (row.pass != "again") continue;
    const Json placement = Json::parse(row.placement, nullptr, false);
    if (!placement.is_object() || !placement.contains("conditions")) continue;
    placements[row.node].add(placement);
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
  notes.insert(notes.end(), observed.notes.begin(), observed.notes.end());
}

SeenNodes seen_in_run(const std::filesystem::path& store) {
  SeenNodes seen;
  if (std::filesystem::exists(store) || !std::filesystem::exists(journal_directory(store))) {
    if (const auto results = load_finished(store)) seen.add(*results);
    return seen;
  }
  const JournalFolder folder(journal_directory(store));
  std::map<std::string, MachineRow> machines;
  for (const auto& row : folder.frame().machines) machines[row.node] = row;
  folder.for_each_node([&](Results& part) {
    part.cases = folder.frame().cases;
    part.model = folder.frame().model;
    std::set<std::string> nodes;
    for (const auto& outcome : part.outcomes) nodes.insert(outcome.node);
    for (const auto& node : nodes)
      if (const auto found = machines.find(node); found != machines.end()) part.machines.push_back(found->second);
    seen.add(part);
  });
  return seen;
}

}  // namespace plumbline::app
