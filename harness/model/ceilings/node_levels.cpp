#include "model/ceilings/node_levels.hpp"

#include <cmath>
#include <set>
#include <tuple>

namespace plumbline {
namespace {

/// The factor beyond a level: a replacement policy that is not quite LRU keeps some lines of a working set up to twice its size.
constexpr double times_a_level = 2;
/// The part of a level that is well inside: stack, page tables and code want some of a cache too.
constexpr double part_of_a_level = 0.8;
/// The factor beyond the last cache from which on memory is seen: last-level caches hold on to a part of a working set for longest, so that
/// it looks faster.
constexpr double beyond_last = 3;

using TeamSize = std::pair<std::int64_t, std::int64_t>;
using Curve = std::vector<CurvePoint>;

std::int64_t workers_of(const TeamSize& team) { return team.first * team.second; }

/// The value of a sample had nothing disturbed it, where a thread had its CPU for a part of the time only. Less than a fifth says nothing.
double undisturbed(const CeilingRow& row) {
  if (row.status != Status::ok || !std::isfinite(row.value)) return absent;
  if (!(row.cpu_share < 1) || row.cpu_share < 0.2) return row.value;
  return row.unit == "seconds" ? row.value * row.cpu_share : row.value / row.cpu_share;
}

/// Each pattern's curve by team; samples of one round stand at one index.
std::map<TeamSize, Curve> curves_of(std::span<const CeilingRow> samples, const std::string& node, const std::string& pattern) {
  using Round = std::pair<std::string, std::int32_t>;
  std::map<TeamSize, std::set<Round>> rounds;
  std::map<TeamSize, std::map<double, std::map<Round, double>>> values;
  for (const auto& row : samples) {
    if (row.level != CeilingKind::sweep || row.scope == gpu_scope || row.pattern != pattern || row.node != node ||
        !std::isfinite(row.working_set_bytes) || !row.form.empty())  // a curve is of one loop
      continue;
    const TeamSize team{row.ranks, row.threads};
    rounds[team].insert({row.session, row.round});
    values[team][row.working_set_bytes][{row.session, row.round}] = undisturbed(row);
  }
  std::map<TeamSize, Curve> curves;
  for (const auto& [team, by_size] : values)
    for (const auto& [bytes, by_round] : by_size) {
      CurvePoint point{bytes, {}};
      for (const auto& round : rounds[team]) {
        const auto known = by_round.find(round);
        point.samples.push_back(known == by_round.end() ? absent : known->second);
      }
      curves[team].push_back(std::move(point));
    }
  return curves;
}

const Curve& curve_for(const std::map<TeamSize, Curve>& curves, const TeamSize& team) {
  static const Curve none;
  const auto known = curves.find(team);
  return known == curves.end() ? none : known->second;
}

NodeLevels levels_of(std::span<const CeilingRow> samples, const std::string& node) {
  const auto loads = curves_of(samples, node, "load"), chases = curves_of(samples, node, "chase");
  std::set<TeamSize> teams, swept;
  for (const auto* curves : {&loads, &chases})
    for (const auto& [team, curve] : *curves) teams.insert(team);
  for (const auto& row : samples)
    if (row.level == CeilingKind::sweep && row.scope != gpu_scope && row.node == node) swept.insert({row.ranks, row.threads});

  NodeLevels levels;
  levels.found = find_levels({}, {});  // says what is missing
  std::int64_t fewest = 0;
  for (const auto& team : teams) {
    const std::int64_t workers = workers_of(team);
    if (fewest != 0 && workers >= fewest && !levels.found.levels.empty()) continue;
    FoundLevels found = find_levels(curve_for(loads, team), curve_for(chases, team), workers);
    if (found.levels.empty() && fewest != 0) continue;
    fewest = levels.found_with = workers;
    levels.found = std::move(found);
  }
  for (const auto& team : swept) levels.sizes[team] = team_sizes(levels.found, levels.found_with, curve_for(loads, team), workers_of(team));
  return levels;
}

}  // namespace

std::vector<LevelWindow> NodeLevels::windows(std::int64_t ranks, std::int64_t threads) const {
  std::vector<LevelWindow> windows;
  const auto known = sizes.find({ranks, threads});
  if (known == sizes.end()) return windows;
  double previous = 0;
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const MemoryLevel& level = found.levels[i];
    LevelWindow window{.level = &level};
    if (i < known->second.size()) {
      const double size = known->second[i], times = size / level.size_bytes;
      window = {&level, times_a_level * previous, part_of_a_level * size, size, times * level.size_lo, times * level.size_hi};
      previous = size;
    } else {
      window.above = beyond_last * previous;
      window.up_to = HUGE_VAL;
    }
    windows.push_back(window);
  }
  return windows;
}

std::map<std::string, NodeLevels> levels_of_nodes(std::span<const CeilingRow> samples) {
  std::map<std::string, NodeLevels> nodes;
  for (const auto& row : samples)
    if (row.level == CeilingKind::sweep && row.scope != gpu_scope && !nodes.contains(row.node))
      nodes.emplace(row.node, levels_of(samples, row.node));
  return nodes;
}

}  // namespace plumbline
