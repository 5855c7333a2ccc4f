#include "model/placement/node_ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/ceilings/core_limits.hpp"
#include "model/ceilings/gpu_ceilings.hpp"

namespace plumbline {
namespace {

/// Arithmetic, or bytes of a level of memory; not ERT's points, messages, or pairs of domains.
bool is_a_roof(const Ceiling& ceiling) {
  const std::string& level = ceiling.level.word();
  return ceiling.is_compute() ||
         (ceiling.unit == "GB/s" && (level == "mem" || level == "shared" || level == gpu_system || level.starts_with("L")));
}

bool is_of_first_gpu(const Ceiling& ceiling) { return ceiling.scope == gpu_scope && ceiling.device == 0; }

std::int64_t workers_of(const Ceiling& ceiling) { return ceiling.ranks * ceiling.threads; }

/// A cache has room for what the topology says, which the plateau of a sweep ends before; but a part of it where it is shared with others,
/// as its sweeps show.
double room_of(const Ceiling& ceiling) {
  constexpr double least_own = 0.5;
  const bool is_own = ceiling.size_bytes >= least_own * ceiling.topology_bytes;
  return is_own ? ceiling.topology_bytes : ceiling.size_bytes;
}

std::int64_t ways_of(const NodeFacts& facts, const std::string& level) {
  const auto found = std::ranges::find_if(facts.caches, [&](const CacheSize& one) { return level == "L" + std::to_string(one.level); });
  return found == facts.caches.end() ? 0 : found->ways;
}

NodeCeiling described(const NodeFacts& facts, const Ceiling& ceiling, const std::string& name, const std::string& scope) {
  return {.name = name,
          .value = ceiling.value,
          .unit = ceiling.unit,
          .scope = scope,
          .method = "plumbline, " + ceiling.pattern,
          .traffic_gbs = ceiling.traffic_gbs,
          .size_bytes = ceiling.level == "mem" ? absent : ceiling.size_bytes,
          .room_bytes = ceiling.level == "mem" ? absent : room_of(ceiling),
          .ways = scope == "gpu" ? 0 : ways_of(facts, ceiling.level.word()),
          .edge = ceiling.edge,
          .spread = ceiling.cv > 0 ? ceiling.cv : 0,
          .clock_hz = ceiling.clock_hz};
}

/// Keeps the higher of two ceilings of one name and scope.
void offer(NodeSpec& spec, const NodeCeiling& ceiling) {
  for (auto& known : spec.ceilings)
    if (known.name == ceiling.name && known.scope == ceiling.scope) {
      const double traffic =
          std::max(std::isfinite(known.traffic_gbs) ? known.traffic_gbs : 0, std::isfinite(ceiling.traffic_gbs) ? ceiling.traffic_gbs : 0);
      const auto edge = known.edge.empty() ? ceiling.edge : known.edge;
      if (ceiling.value > known.value) known = ceiling;
      known.edge = edge;
      if (traffic > 0) known.traffic_gbs = traffic;
      return;
    }
  spec.ceilings.push_back(ceiling);
}

/// The names of a ceiling as groups are bound by it: the level, or arithmetic of a precision; each also with its pattern.
std::vector<std::string> names_of(const Ceiling& ceiling) {
  const std::string name = ceiling.is_compute() ? "compute " + ceiling.precision : ceiling.level.word();
  return {name, name + " " + ceiling.pattern};
}

/// The cases of a node whose times add up: no phase beside its application, and no whole program beside its parts.
std::set<const CaseRow*> work_without_parts(std::span<const RooflinePlacement> placements, const std::string& node) {
  constexpr std::string_view whole = "/part=whole/";
  std::set<std::string> cases, with_parts;  // kernels of programs, of which there are parts beside the whole
  for (const auto& one : placements) {
    if (one.node != node || one.bound.empty()) continue;
    cases.insert(one.of->id);
    if (one.of->id.find("/part=") != std::string::npos && one.of->id.find(whole) == std::string::npos) with_parts.insert(one.of->kernel);
  }
  std::set<const CaseRow*> work;
  for (const auto& one : placements) {
    const std::string& id = one.of->id;
    const std::string phase = phase_of(id);
    const bool is_phase = !phase.empty() && cases.contains(id.substr(0, id.size() - phase.size() - 1));
    const bool is_whole = id.find(whole) != std::string::npos && with_parts.contains(one.of->kernel);
    if (!is_phase && !is_whole) work.insert(one.of);
  }
  return work;
}

std::map<std::string, double> bytes_of(const RooflinePlacement& placement) {
  std::map<std::string, double> bytes;
  for (const auto& level : placement.levels)
    if (const double most_likely = std::isfinite(level.bytes) ? level.bytes : level.bytes_lo; std::isfinite(most_likely))
      bytes[level.level] = most_likely;
  return bytes;
}

}  // namespace

NodeSpec node_spec(const NodeFacts& facts, std::span<const Ceiling> ceilings) {
  NodeSpec spec{.name = facts.node};
  if (!facts.core.vendor.empty()) spec.machine = machine_word(facts.core);
  if (const auto width = issue_limit(facts.core)) spec.issue_width = width->per_clock;
  std::vector<const Ceiling*> usable;
  for (const auto& ceiling : ceilings) {
    if (ceiling.node != facts.node || ceiling.status != Status::ok || !is_a_roof(ceiling)) continue;
    if (ceiling.scope != gpu_scope) usable.push_back(&ceiling);
    if (is_of_first_gpu(ceiling))
      for (const std::string& called : names_of(ceiling)) offer(spec, described(facts, ceiling, called, "gpu"));
  }
  if (usable.empty()) return spec;
  const auto by_workers = [](const Ceiling* a, const Ceiling* b) { return workers_of(*a) < workers_of(*b); };
  const auto [fewest, most] = std::minmax_element(usable.begin(), usable.end(), by_workers);
  spec.cores = static_cast<double>(workers_of(**most));
  const bool domains_measured = std::any_of(usable.begin(), usable.end(), [](const Ceiling* c) { return c->scope == "NUMA domain"; });
  for (const auto* ceiling : usable) {
    for (const std::string& called : names_of(*ceiling)) {
      if (workers_of(*ceiling) == workers_of(**fewest)) offer(spec, described(facts, *ceiling, called, "core"));
      if (domains_measured && ceiling->scope == "NUMA domain") offer(spec, described(facts, *ceiling, called, "numa"));
      if (workers_of(*ceiling) != workers_of(**most)) continue;
      NodeCeiling most_of_node = described(facts, *ceiling, called, "node");
      if (!facts.part.empty()) most_of_node.method += ", " + facts.part;
      offer(spec, most_of_node);
      if (domains_measured) continue;
      NodeCeiling numa = described(facts, *ceiling, called, "numa");
      numa.value /= static_cast<double>(facts.numa_domains);
      numa.traffic_gbs /= static_cast<double>(facts.numa_domains);
      offer(spec, numa);
    }
  }
  return spec;
}

std::vector<ApplicationGroup> groups_of(std::span<const RooflinePlacement> placements, const std::string& node) {
  std::vector<ApplicationGroup> groups;
  const auto work = work_without_parts(placements, node);
  for (const auto& placement : placements) {
    if (placement.node != node || placement.bound.empty() || !work.contains(placement.of)) continue;
    const bool alone = placement.of->ranks * placement.of->threads == 1;
    const std::string precision = placement.roof_precision.empty() ? placement.of->precision : placement.roof_precision;
    groups.push_back({.name = placement.of->id,
                      .seconds = placement.seconds,
                      .scope = placement.of->gpus > 0 ? "gpu"
                               : alone                ? "core"
                                                      : "node",
                      .bound = placement.bound == "compute" ? "compute " + precision : placement.bound,
                      .percent_of_roof = placement.percent_of_roof,
                      .mix = placement.mix,
                      .bytes = bytes_of(placement),
                      .scalar_part = placement.instructions.scalar_part,
                      .instructions = placement.instructions.taken_up,
                      .core_cycles = placement.instructions.core_cycles,
                      .working_set_bytes = placement.working_set_bytes});
  }
  return groups;
}

}  // namespace plumbline
