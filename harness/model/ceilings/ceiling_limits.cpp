#include "model/ceilings/ceiling_limits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/flavor.hpp"
#include "model/ceilings/inferred_limits.hpp"

namespace plumbline {
namespace {

using Key = std::tuple<std::string, std::string, std::string, std::string, std::int64_t, std::int64_t, double>;

template <class Row>
Key key_of(const Row& row) {
  return {row.node, row.pattern, row.precision, row.unit, row.ranks, row.threads, row.value};
}

std::optional<CoreLimit> arithmetic_limit_of(const CeilingRow& sample, const CoreIdentity& core) {
  const std::string flavor = sample.method.substr(0, sample.method.find_first_of(",: "));
  return arithmetic_limit(core, split_flavor(flavor).isa, sample.precision, sample.pattern);
}

std::optional<CoreLimit> limit_of(const Ceiling& ceiling, const CeilingRow& sample, const CoreIdentity& core) {
  if (ceiling.is_compute()) return arithmetic_limit_of(sample, core);
  return ceiling.unit == "GB/s" ? bandwidth_limit(core, ceiling.level.word(), ceiling.pattern) : std::nullopt;
}

using TeamOfNode = std::tuple<std::string, std::int64_t, std::int64_t>;

template <class Row>
TeamOfNode team_of(const Row& row) {
  return {row.node, row.ranks, row.threads};
}

std::map<TeamOfNode, double> highest_clocks(std::span<const CeilingRow> samples) {
  std::map<TeamOfNode, double> highest;
  for (const auto& row : samples)
    if (row.status == Status::ok && row.scope != gpu_scope && std::isfinite(row.clock_hz))
      highest[team_of(row)] = std::max(highest[team_of(row)], row.clock_hz);
  return highest;
}

/// The factor by which a boost moves within a sample.
constexpr double most_wobble = 1.05;

/// The clock for a ceiling. Where it is faster than the clock beside it allows, this is the lowest clock that does allow it, if the boost
/// may have moved so far and the team was seen at such a clock.
double clock_for(const Ceiling& ceiling, double rate_at_1_hz, const std::map<TeamOfNode, double>& highest) {
  const double clock = ceiling.clock_hz, needed = ceiling.value / rate_at_1_hz;
  const auto seen = highest.find(team_of(ceiling));
  if (!(needed > clock) || seen == highest.end()) return clock;
  return std::min({needed, seen->second, most_wobble * clock});
}

}  // namespace

void hold_to_limits(std::vector<Ceiling>& ceilings, std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes) {
  std::map<Key, const CeilingRow*> by_value;
  for (const auto& row : samples)
    if (row.status == Status::ok && std::isfinite(row.value)) by_value.emplace(key_of(row), &row);
  const auto highest = highest_clocks(samples);
  for (auto& ceiling : ceilings) {
    const auto sample = by_value.find(key_of(ceiling));
    if (ceiling.status != Status::ok || sample == by_value.end()) continue;
    ceiling.clock_hz = sample->second->clock_hz;
    ceiling.scope = sample->second->scope;
    if (ceiling.scope == gpu_scope) continue;  // a core's limits are not its
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const NodeFacts& facts) { return facts.node == ceiling.node; });
    if (node == nodes.end()) continue;
    if (const auto limit = limit_of(ceiling, *sample->second, node->core)) {
      const double rate_at_1_hz = limit->per_clock * static_cast<double>(ceiling.ranks * ceiling.threads) * 1e-9;
      ceiling.limit = rate_at_1_hz * clock_for(ceiling, rate_at_1_hz, highest);
      ceiling.limit_source = limit->source;
      ceiling.limit_basis = LimitBasis::vendor;
      ceiling.limit_remark = limit->remark;
    }
  }
  infer_limits(ceilings, samples, nodes);
}

double fraction_of_limit(const CeilingRow& sample, const CoreIdentity& core) {
  const auto limit = arithmetic_limit_of(sample, core);
  if (!limit || sample.unit != "GFLOP/s") return absent;
  return 1e9 * sample.value / (limit->per_clock * static_cast<double>(sample.ranks * sample.threads) * sample.clock_hz);
}

}  // namespace plumbline
