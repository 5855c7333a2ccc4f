#include "model/ceilings/disturbances.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double least_sentinel = 0.9, least_cpu_share = 0.97, least_clock = 0.95;
// A share of disturbed samples up to this is nothing unusual: the system's own work.
constexpr double usual_share = 0.05;

using Team = std::tuple<std::string, std::int64_t, std::int64_t>;
Team team_of(const CeilingRow& row) { return {row.node, row.ranks, row.threads}; }

/// Wide vectors lower the clock of some cores: only samples of the same kind should have the same.
using RoundKind = std::tuple<Team, std::string, std::string, std::string>;
RoundKind round_kind_of(const CeilingRow& row) { return {team_of(row), row.level, row.pattern, row.method + row.precision}; }

bool is_recorded(const CeilingRow& row) {
  return std::isfinite(row.sentinel) && std::isfinite(row.cpu_share) && std::isfinite(row.clock_hz);
}

/// The usual sentinel and clock of samples: what undisturbed ones have.
struct Usual {
  std::map<Team, double> sentinel;
  std::map<RoundKind, double> clock_hz;
};

Usual usual_of(std::span<const CeilingRow> samples) {
  std::map<RoundKind, std::vector<double>> clocks;
  std::map<Team, std::vector<double>> sentinels;
  Usual usual;
  for (const auto& row : samples)
    if (is_recorded(row)) {
      clocks[round_kind_of(row)].push_back(row.clock_hz);
      sentinels[team_of(row)].push_back(row.sentinel);
    }
  for (const auto& [kind, hz] : clocks) usual.clock_hz[kind] = spread_of(hz).median;
  for (auto& [team, additions] : sentinels) usual.sentinel[team] = upper_quartile(additions);  // neighbours may be there most of the time
  return usual;
}

struct Signs {
  bool shared = false, lost = false, slow = false;
  bool any() const { return shared || lost || slow; }
};

Signs signs_of(const CeilingRow& row, const Usual& usual) {
  return {.shared = row.sentinel < least_sentinel * usual.sentinel.at(team_of(row)),
          .lost = row.cpu_share < least_cpu_share,
          .slow = row.clock_hz < least_clock * usual.clock_hz.at(round_kind_of(row))};
}

/// Says of each sample whether it has a record that says that it was disturbed, or not.
std::vector<bool> recorded_as(bool disturbed, std::span<const CeilingRow> samples) {
  const Usual usual = usual_of(samples);
  std::vector<bool> is_so;
  for (const auto& row : samples) is_so.push_back(is_recorded(row) && signs_of(row, usual).any() == disturbed);
  return is_so;
}

}  // namespace

std::vector<bool> undisturbed(std::span<const CeilingRow> samples) { return recorded_as(false, samples); }

std::vector<bool> known_disturbed(std::span<const CeilingRow> samples) { return recorded_as(true, samples); }

bool is_disturbed(const Disturbances& d) { return static_cast<double>(d.disturbed) > usual_share * static_cast<double>(d.samples); }

std::vector<Disturbances> find_disturbances(std::span<const CeilingRow> samples) {
  const Usual usual = usual_of(samples);
  std::map<std::string, Disturbances> by_node;
  std::map<std::string, std::vector<double>> clocks;
  for (const auto& row : samples) {
    if (!is_recorded(row)) continue;
    Disturbances& d = by_node[row.node];
    const Signs signs = signs_of(row, usual);
    ++d.samples;
    d.shared_core += signs.shared;
    d.lost_cpu += signs.lost;
    d.slow_clock += signs.slow;
    d.disturbed += signs.any();
    d.switches += row.involuntary_switches;
    clocks[row.node].push_back(row.clock_hz);
  }
  std::vector<Disturbances> all;
  for (auto& [node, d] : by_node) {
    const Spread clock = spread_of(clocks[node]);
    d.node = node;
    d.clock_lowest_hz = clock.min;
    d.clock_usual_hz = clock.median;
    d.clock_highest_hz = clock.max;
    all.push_back(std::move(d));
  }
  return all;
}

}  // namespace plumbline
