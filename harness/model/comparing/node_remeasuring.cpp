#include "model/comparing/node_remeasuring.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace plumbline {
namespace {

/// The order of rows to measure again: what is surely slower comes before what may be, for with much noise the median alone says little.
std::pair<bool, double> badness(const NodeRow& row) {
  return {row.judged.finding == NightFinding::slower, std::isfinite(row.judged.lo) ? row.judged.lo : 0};
}

/// The thing to measure for a row; empty where it cannot be measured alone.
const std::string& measured_for(const NodeRow& row) { return row.key.is_ceiling() ? row.point : row.key.what; }

/// The worst cases of a suspect, or ceilings; none where none of them is suspicious.
std::vector<std::string> worst_of(const NodeComparison& comparison, const JudgedNode& suspect, bool ceilings) {
  std::vector<const NodeRow*> rows;
  bool any = is_suspicious_as_a_whole(suspect);
  for (const auto& row : comparison.rows) {
    if (row.key.node != suspect.node || row.status != Status::ok || row.key.is_ceiling() != ceilings || measured_for(row).empty()) continue;
    rows.push_back(&row);
    any = any || row.judged.finding == NightFinding::slower;
  }
  if (!any) return {};
  std::stable_sort(rows.begin(), rows.end(), [](const NodeRow* a, const NodeRow* b) { return badness(*a) > badness(*b); });
  std::vector<std::string> cases;
  for (const auto* row : rows) {
    const bool known = std::find(cases.begin(), cases.end(), measured_for(*row)) != cases.end();  // two ceilings may share a point
    if (cases.size() < cases_of_suspect && !known) cases.push_back(measured_for(*row));
  }
  return cases;
}

/// The oddness of a node: how far it lies off its peers, whichever way.
double oddness(const JudgedNode& node) {
  const double slowdown = node.all_rows.judged.slowdown;
  return std::isfinite(slowdown) ? std::abs(std::log(slowdown)) : 0;
}

void add_peers(RemeasuringGroup& group, const std::vector<const JudgedNode*>& alike, const ComparedThings& compared) {
  using Rank = std::tuple<std::ptrdiff_t, double, std::string>;  // cases that it lacks, oddness, name
  std::vector<Rank> ranked;
  for (const auto* node : alike) {
    const auto lacks = [&](const std::string& id) { return !compared.contains({id, node->node}); };
    ranked.emplace_back(std::count_if(group.cases.begin(), group.cases.end(), lacks), oddness(*node), node->node);
  }
  std::sort(ranked.begin(), ranked.end());
  const std::size_t wanted = std::max(least_peers, group.suspects.size());
  for (const auto& [lacking, odd, node] : ranked)
    if (group.peers.size() < wanted) group.peers.push_back(node);
  std::erase_if(group.cases, [&](const std::string& id) {
    const auto has_it = [&](const std::string& node) { return compared.contains({id, node}); };
    if (std::any_of(group.peers.begin(), group.peers.end(), has_it)) return false;
    const auto other = std::find_if(ranked.begin(), ranked.end(), [&](const Rank& one) { return has_it(std::get<std::string>(one)); });
    if (other != ranked.end()) group.peers.push_back(std::get<std::string>(*other));
    return other == ranked.end();
  });
}

}  // namespace

std::vector<std::string> RemeasuringGroup::nodes() const {
  std::vector<std::string> all = suspects;
  all.insert(all.end(), peers.begin(), peers.end());
  std::sort(all.begin(), all.end());
  return all;
}

ComparedThings compared_things(const NodeComparison& comparison) {
  std::set<std::string> suspects;
  for (const auto& node : comparison.nodes)
    if (node.finding != NodeFinding::alike && node.finding != NodeFinding::alone) suspects.insert(node.node);
  std::map<std::pair<std::string, std::string>, std::set<std::string>> points;  // [ceiling, which GPUs are alike]
  for (const auto& row : comparison.rows)
    if (!row.point.empty() && suspects.contains(row.key.node)) points[{row.key.what, row.like}].insert(row.point);
  ComparedThings compared;
  for (const auto& row : comparison.rows) {
    if (row.status != Status::ok) continue;
    if (row.like.empty()) compared.insert(row.key);  // a GPU in the same place may be another one: only its points tell
    if (const auto found = points.find({row.key.what, row.like}); found != points.end())
      for (const auto& point : found->second) compared.insert({point, row.key.node});
  }
  return compared;
}

std::vector<RemeasuringGroup> plan_remeasuring(const NodeComparison& comparison, const std::set<std::string>& present) {
  std::map<std::string, RemeasuringGroup> groups;
  std::map<std::string, std::vector<const JudgedNode*>> alike;
  for (const auto& node : comparison.nodes) {
    if (!present.contains(node.node)) continue;
    if (node.finding == NodeFinding::alike) alike[node.kind].push_back(&node);
    if (node.finding == NodeFinding::alike || node.finding == NodeFinding::alone) continue;
    auto cases = worst_of(comparison, node, false);
    for (auto& point : worst_of(comparison, node, true)) cases.push_back(std::move(point));
    if (cases.empty()) continue;
    auto& group = groups[node.kind];
    group.suspects.push_back(node.node);
    for (const auto& id : cases)
      if (std::find(group.cases.begin(), group.cases.end(), id) == group.cases.end()) group.cases.push_back(id);
  }
  const ComparedThings compared = compared_things(comparison);
  std::vector<RemeasuringGroup> all;
  for (auto& [kind, group] : groups) {
    add_peers(group, alike[kind], compared);
    if (!group.cases.empty()) all.push_back(std::move(group));
  }
  return all;
}

}  // namespace plumbline
