#include "app/session/run_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "app/here/gpus_json.hpp"
#include "comm/told.hpp"
#include "core/gpu_device.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"

namespace plumbline::app {
namespace {

/// The facts that a leader tells of its node.
struct NodeFacts {
  std::string name, kind, part, whole_by;  // `part`: "64 of 128 cores", empty for a whole node; `whole_by`: advice how to have one
  int ranks = 0;
  std::vector<std::string> isas;
  int cores = 0, cores_at_once = 0;
  std::vector<std::string> counting;
  NodeGpus gpus;
  std::vector<std::string> gpu_flavors;
  std::size_t gpu_count = 0;
  int gpu_of_cases = 0, gpus_of_a_team = 0;  // of a case of one GPU; of the largest team
  std::vector<std::string> gpu_uuids;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeFacts, name, kind, part, whole_by, ranks, isas, cores, cores_at_once, counting, gpus, gpu_flavors,
                                   gpu_count, gpu_of_cases, gpus_of_a_team, gpu_uuids)

std::vector<std::string> uuids_of(const DrivenGpus& driven) {
  std::vector<std::string> uuids;
  for (const DrivenGpu& one : driven.all)
    if (!one.gpu.uuid.empty()) uuids.push_back(one.gpu.uuid);
  return uuids;
}

NodeFacts facts_of_node(const RunInput& input, const NodePart& part, const DrivenGpus& driven, Communicator& ranks) {
  const NodeGpus not_asked{.gpus = {}, .why_none = "the campaign asks for none"};
  return {.name = ranks.host(),
          .kind = kind_of(input, part),
          .part = part.is_whole() ? "" : part.in_words(),
          .whole_by = part.advice(),
          .ranks = ranks.local().size(),
          .isas = this_cpu().isas,
          .cores = part.cores,
          .cores_at_once = part.cores_at_once(),
          .counting = input.counting.keys(),
          .gpus = wants_gpus(input.campaign) ? gpus_here() : not_asked,
          .gpu_flavors = driven.flavors(),
          .gpu_count = driven.all.size(),
          .gpu_of_cases = driven.teams.empty() ? 0 : driven.of_team(1).front().device,
          .gpus_of_a_team = static_cast<int>(driven.teams.size()),
          .gpu_uuids = uuids_of(driven)};
}

}  // namespace

RunNodes meet_nodes(const RunInput& input, const NodePart& part, const DrivenGpus& driven, Communicator& ranks) {
  std::vector<NodeFacts> told;
  if (Group& leaders = ranks.leaders(); leaders.member()) told = all_gather(leaders, facts_of_node(input, part, driven, ranks));
  RunNodes nodes;
  nodes.fewest_ranks = nodes.fewest_cores = nodes.gpus_of_a_team = std::numeric_limits<int>::max();
  int cores_at_once = 0;  // the most of any node: a quota that only some have makes these worse than their like, and no team smaller
  std::set<std::string> flavors;
  for (const NodeFacts& node : broadcast(ranks.local(), told)) {
    nodes.facts.push_back({node.name, node.kind, node.ranks, node.isas, node.gpus.flavors(), node.gpus.in_words()});
    for (const GpuProperties& gpu : node.gpus.gpus)
      nodes.gpu_memory_bytes = nodes.gpu_memory_bytes == 0 ? gpu.memory_bytes : std::min(nodes.gpu_memory_bytes, gpu.memory_bytes);
    nodes.gpus.push_back(node.gpus);
    nodes.counting.push_back(node.counting);
    flavors.insert(node.gpu_flavors.begin(), node.gpu_flavors.end());
    nodes.gpu_counts.push_back(node.gpu_count);
    nodes.devices.push_back(node.gpu_of_cases);
    nodes.gpu_uuids.push_back(node.gpu_uuids);
    nodes.fewest_ranks = std::min(nodes.fewest_ranks, node.ranks);
    nodes.gpus_of_a_team = std::min(nodes.gpus_of_a_team, std::max(1, node.gpus_of_a_team));
    nodes.most_ranks = std::max(nodes.most_ranks, node.ranks);
    nodes.fewest_cores = std::min(nodes.fewest_cores, node.cores);
    cores_at_once = std::max(cores_at_once, node.cores_at_once);
    if (!node.part.empty()) nodes.parts[{node.part, node.whole_by}].push_back(node.name);
  }
  nodes.fewest_cores = std::min(nodes.fewest_cores, cores_at_once);
  nodes.flavors.assign(flavors.begin(), flavors.end());
  nodes.memory_bytes = ranks.world().min(static_cast<double>(memory_available_bytes()));
  return nodes;
}

std::string kind_of(const RunInput& input, const NodePart& part) {
  std::string kind = this_cpu().name + "/" + (part.cores < part.of_cores ? fmt::format("{} of ", part.cores) : "") +
                     fmt::format("{} cores", part.of_cores);
  for (const auto& cache : input.caches) kind += fmt::format("/{}={}", cache.name, cache.bytes);
  if (wants_gpus(input.campaign)) kind += "/" + gpus_here().in_words();
  return kind;
}

std::string no_tiles() { return "its AMX cannot be used: " + this_cpu().why_no_tiles; }

Target target_of(const RunNodes& nodes) {
  std::set<std::string> isas;
  for (const auto& node : nodes.facts) isas.insert(node.isas.begin(), node.isas.end());
  return {.runs_isa = [isas](std::string_view isa) { return isas.contains(std::string(isa)); },
          .isas = fmt::format("{}{}", fmt::join(isas, ", "), this_cpu().why_no_tiles.empty() ? "" : "; " + no_tiles()),
          .ranks_per_node = nodes.fewest_ranks,
          .cores_per_node = nodes.fewest_cores,
          .gpus_per_node = nodes.gpus_of_a_team,
          .runs_on_gpu =
              [gpus = nodes.gpus](std::string_view flavor) {
                return std::any_of(gpus.begin(), gpus.end(), [&](const NodeGpus& node) { return node.runs(flavor); });
              },
          .gpus = nodes.gpus.front().in_words(),
          .no_gpu_kernels = module_for_gpus().why_not};
}

std::vector<std::string> notes_of_parts(const RunNodes& nodes) {
  std::vector<std::string> notes;
  for (const auto& [part, names] : nodes.parts)
    notes.push_back(fmt::format("this run has {} of {}: ceilings and cases are of that part. For a whole node: {}", part.first,
                                fmt::join(names, ", "), part.second));
  return notes;
}

std::vector<std::string> notes_of_gpus(const RunNodes& nodes, const Campaign& campaign) {
  std::vector<std::string> notes;
  for (std::size_t node = 0; node < nodes.facts.size(); ++node) {
    if (nodes.gpu_counts[node] < 2 || nodes.gpus[node].gpus.empty()) continue;
    const std::string& pci = nodes.gpus[node].gpus.front().pci;
    const int device = nodes.devices[node];
    notes.push_back(fmt::format("{} has {} GPUs: cases of one GPU are measured on {}, at {}{}", nodes.facts[node].name,
                                nodes.gpu_counts[node], device == 0 ? "the first one" : gpu_word(device) + ", which its first rank sees",
                                pci,
                                wants_gpu_ceilings(campaign) ? "; ceilings on each of them"
                                : drives_gpu(campaign, 1)    ? "; those of several on as many"
                                                             : ", and the others are not measured"));
  }
  return notes;
}

}  // namespace plumbline::app
