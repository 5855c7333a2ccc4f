#include "app/session/run_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/here/gpus.hpp"
#include "app/session/run_record.hpp"
#include "app/stages/cache_scout.hpp"
#include "app/stages/ceiling_names.hpp"
#include "app/stages/ceilings_stage.hpp"
#include "app/stages/form_contests_stage.hpp"
#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/mpi_ceilings_stage.hpp"
#include "app/stages/node_links_stage.hpp"
#include "app/stages/numa_stage.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/streams.hpp"
#include "campaign/confounding.hpp"
#include "core/gpu_device.hpp"
#include "machine/control_group.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"
#include "model/ceilings/levels.hpp"
#include "schedule/gpu_distance.hpp"
#include "schedule/gpu_placement.hpp"
#include "schedule/plan.hpp"
#include "schedule/team_placement.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

/// The nodes of the run, the same on every rank, in the order of Communicator::node().
struct Nodes {
  std::vector<PlanNode> facts;
  std::vector<std::vector<std::string>> counting;  // keys of the event groups that each node counts with
  int fewest_ranks = 1, fewest_cores = 1;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> parts;  // {"64 of 128 cores", advice}: nodes with no more
  double memory_bytes = 0;                                                        // the least available of any node
  std::vector<NodeGpus> gpus;                                                     // of each, as its first rank sees them: cases run there
  std::vector<std::string> flavors;                                               // of all GPUs of all nodes, whoever sees them
  std::vector<std::size_t> gpu_counts;                                            // of each node, all ranks together
  std::vector<int> devices;                                                       // of each, the GPU of the cases
  std::uint64_t gpu_memory_bytes = 0;                                             // the least of any GPU
};

json to_json(const NodeGpus& node) {
  json told{{"why_none", node.why_none}, {"gpus", json::array()}};
  for (const GpuProperties& gpu : node.gpus)
    told["gpus"].push_back({{"ordinal", gpu.ordinal},
                            {"name", gpu.name},
                            {"pci", gpu.pci},
                            {"uuid", gpu.uuid},
                            {"flavor", gpu.flavor},
                            {"memory_bytes", gpu.memory_bytes},
                            {"major", gpu.major},
                            {"minor", gpu.minor},
                            {"multiprocessors", gpu.multiprocessors},
                            {"l2_bytes", gpu.l2_bytes}});
  return told;
}

/// The GPUs as told, as far as a plan and a model need them.
NodeGpus gpus_from(const json& told) {
  NodeGpus node{.gpus = {}, .why_none = told["why_none"]};
  for (const json& one : told["gpus"]) {
    GpuProperties& gpu = node.gpus.emplace_back();
    gpu.ordinal = one["ordinal"];
    gpu.name = one["name"];
    gpu.pci = one["pci"];
    gpu.uuid = one["uuid"];
    gpu.flavor = one["flavor"];
    gpu.memory_bytes = one["memory_bytes"];
    gpu.major = one["major"];
    gpu.minor = one["minor"];
    gpu.multiprocessors = one["multiprocessors"];
    gpu.l2_bytes = one["l2_bytes"];
  }
  return node;
}

/// The leaders tell each other and then their nodes: what is told grows with the nodes, not with the ranks.
Nodes meet_nodes(const RunInput& input, const NodePart& part, const DrivenGpus& driven, Communicator& ranks) {
  std::string told;
  if (Group& leaders = ranks.leaders(); leaders.member()) {
    const NodeGpus not_asked{.gpus = {}, .why_none = "the campaign asks for none"};
    const json mine{{"name", ranks.host()},
                    {"kind", kind_of(input, part)},
                    {"part", part.is_whole() ? "" : part.in_words()},
                    {"whole_by", part.advice()},
                    {"ranks", ranks.local().size()},
                    {"isas", this_cpu().isas},
                    {"cores", part.cores},
                    {"cores_at_once", part.cores_at_once()},
                    {"counting", input.counting.keys()},
                    {"gpus", to_json(wants_gpus(input.campaign) ? gpus_here() : not_asked)},
                    {"gpu_flavors", driven.flavors()},
                    {"gpu_count", driven.all.size()},
                    {"gpu_of_cases", driven.device_of_cases}};
    const auto texts = leaders.gather(mine.dump());
    told = leaders.broadcast(leaders.rank() == 0 ? json(texts).dump() : "");
  }
  Nodes nodes;
  nodes.fewest_ranks = nodes.fewest_cores = std::numeric_limits<int>::max();
  int cores_at_once = 0;  // the most of any node: a quota that only some have makes these worse than their like, and no team smaller
  std::set<std::string> flavors;
  for (const auto& text : json::parse(ranks.local().broadcast(std::move(told)))) {
    const json node = json::parse(text.get<std::string>());
    const NodeGpus& gpus = nodes.gpus.emplace_back(gpus_from(node["gpus"]));
    nodes.facts.push_back({node["name"], node["kind"], node["ranks"], node["isas"], gpus.flavors(), gpus.in_words()});
    for (const GpuProperties& gpu : gpus.gpus)
      nodes.gpu_memory_bytes = nodes.gpu_memory_bytes == 0 ? gpu.memory_bytes : std::min(nodes.gpu_memory_bytes, gpu.memory_bytes);
    nodes.counting.push_back(node["counting"]);
    for (const auto& flavor : node["gpu_flavors"]) flavors.insert(flavor.get<std::string>());
    nodes.gpu_counts.push_back(node["gpu_count"]);
    nodes.devices.push_back(node["gpu_of_cases"]);
    nodes.fewest_ranks = std::min(nodes.fewest_ranks, node["ranks"].get<int>());
    nodes.fewest_cores = std::min(nodes.fewest_cores, node["cores"].get<int>());
    cores_at_once = std::max(cores_at_once, node["cores_at_once"].get<int>());
    if (const std::string less = node["part"]; !less.empty()) nodes.parts[{less, node["whole_by"]}].push_back(node["name"]);
  }
  nodes.fewest_cores = std::min(nodes.fewest_cores, cores_at_once);
  nodes.flavors.assign(flavors.begin(), flavors.end());
  nodes.memory_bytes = ranks.world().min(static_cast<double>(memory_available_bytes()));
  return nodes;
}

int most_ranks(const std::vector<PlanNode>& nodes) {
  int most = 0;
  for (const auto& node : nodes) most = std::max(most, node.ranks);
  return most;
}

/// The reason why a CPU that has tiles cannot use them.
std::string no_tiles() { return "its AMX cannot be used: " + this_cpu().why_no_tiles; }

Target target_of(const Nodes& nodes) {
  std::set<std::string> isas;
  for (const auto& node : nodes.facts) isas.insert(node.isas.begin(), node.isas.end());
  return {.runs_isa = [isas](std::string_view isa) { return isas.contains(std::string(isa)); },
          .isas = fmt::format("{}{}", fmt::join(isas, ", "), this_cpu().why_no_tiles.empty() ? "" : "; " + no_tiles()),
          .ranks_per_node = nodes.fewest_ranks,
          .cores_per_node = nodes.fewest_cores,
          .runs_on_gpu =
              [gpus = nodes.gpus](std::string_view flavor) {
                return std::any_of(gpus.begin(), gpus.end(), [&](const NodeGpus& node) { return node.runs(flavor); });
              },
          .gpus = nodes.gpus.front().in_words(),
          .no_gpu_kernels = module_for_gpus().why_not};
}

/// The CPUs that the launcher left to each rank of this node, in rank order.
std::vector<std::vector<int>> allowed_cpus(const RunInput& input, Communicator& ranks) {
  const auto texts = ranks.local().gather(json(input.topology.allowed_cpus()).dump());
  const json all = json::parse(ranks.local().broadcast(ranks.local().rank() == 0 ? json(texts).dump() : ""));
  std::vector<std::vector<int>> allowed;
  for (const auto& text : all) allowed.push_back(json::parse(text.get<std::string>()));
  return allowed;
}

/// The first GPU, driven by the node's first rank from a CPU beside it, of those that the launcher left to this rank.
TeamCpus place_on_gpu(const Topology& topology, const NodeGpus& node, int device, const std::vector<int>& allowed, const Team& team) {
  if (node.gpus.empty()) return {.cpus = {}, .oversubscribed = false, .refusal = node.why_none};
  Topology beside = with_allowed(topology, {allowed});
  beside.gpus = {gpu_at(topology, node.gpus.front().pci)};
  TeamPlacement placed = place_on_gpus(beside, team);
  TeamCpus place{.cpus = std::move(placed.cpus), .oversubscribed = false, .refusal = std::move(placed.refusal), .gpu = node.gpus.front()};
  place.device = device;
  return place;
}

std::function<TeamCpus(const Team&)> placer(const RunInput& input, const std::vector<std::vector<int>>& allowed, int local,
                                            const NodeGpus& gpus, int device) {
  return [gpus, device, local, topology = input.topology, allowed, oversubscribe = input.campaign.oversubscribe](const Team& team) {
    if (team.gpus > 0) return place_on_gpu(topology, gpus, device, allowed.front(), team);
    if (team.ranks > local)
      return TeamCpus{
          .cpus = {},
          .oversubscribed = false,
          .refusal = fmt::format("a team of {} ranks on a node that was given {}: launch more ranks a node", team.ranks, local)};
    TeamPlacement placed = place_team(topology, allowed, team, oversubscribe);
    const std::string scope = scope_of(topology, placed.cpus);
    const int ranks_per_l3 = ranks_on_one_l3(topology, placed.cpus);
    const bool in_one_domain = is_in_one_domain(topology, placed.cpus);
    return TeamCpus{std::move(placed.cpus), placed.oversubscribed, std::move(placed.refusal), scope, ranks_per_l3, in_one_domain};
  };
}

bool all_passes_finished(const Case& which, const std::string& node, const std::vector<std::string>& counting, const Campaign& campaign,
                         const std::set<WorkKey>& finished) {
  const std::string id = which.id();
  return (!campaign.time || finished.contains({id, node, "time"})) &&
         (!is_counted(which, campaign, counting) || counting_is_finished(finished, id, node, keys_for(which.team.space(), counting)));
}

/// The work that earlier sessions leave to do. Where cases are distributed, what any like node has finished counts for all of them.
class FinishedWork {
 public:
  FinishedWork(const std::vector<Case>& cases, const Nodes& nodes, const Campaign& campaign, const RunRecord& record)
      : cases_(cases), nodes_(nodes), campaign_(campaign), record_(record) {
    if (campaign.placement != Placement::distribute) return;
    std::map<std::string, std::string> kinds = record.kinds();
    for (const auto& node : nodes.facts) kinds[node.name] = node.kind;
    for (const auto& [id, node, pass] : record.finished())
      if (const auto kind = kinds.find(node); kind != kinds.end()) nodes_of_[{id, kind->second}].insert(node);
  }

  bool operator()(std::size_t which, std::size_t node) const {
    const PlanNode& facts = nodes_.facts[node];
    const auto done_by = [&](const std::string& name) {
      return all_passes_finished(cases_[which], name, nodes_.counting[node], campaign_, record_.finished());
    };
    if (done_by(facts.name)) return true;
    const auto like = nodes_of_.find({cases_[which].id(), facts.kind});
    return like != nodes_of_.end() && std::any_of(like->second.begin(), like->second.end(), done_by);
  }

 private:
  const std::vector<Case>& cases_;
  const Nodes& nodes_;
  const Campaign& campaign_;
  const RunRecord& record_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> nodes_of_;  // by case id and kind of node
};

/// Notes on what is measured where a launcher, a batch system or a control group gave less than a node.
std::vector<std::string> notes_of_parts(const Nodes& nodes) {
  std::vector<std::string> notes;
  for (const auto& [part, names] : nodes.parts)
    notes.push_back(fmt::format("this run has {} of {}: ceilings and cases are of that part. For a whole node: {}", part.first,
                                fmt::join(names, ", "), part.second));
  return notes;
}

/// Notes on what becomes of further GPUs.
std::vector<std::string> notes_of_gpus(const Nodes& nodes, const Campaign& campaign) {
  std::vector<std::string> notes;
  for (std::size_t node = 0; node < nodes.facts.size(); ++node) {
    if (nodes.gpu_counts[node] < 2 || nodes.gpus[node].gpus.empty()) continue;
    const std::string& pci = nodes.gpus[node].gpus.front().pci;
    const int device = nodes.devices[node];
    notes.push_back(fmt::format("{} has {} GPUs: cases are measured on {}, at {}{}", nodes.facts[node].name, nodes.gpu_counts[node],
                                device == 0 ? "the first one" : gpu_word(device) + ", which its first rank sees", pci,
                                wants_gpu_ceilings(campaign) ? "; ceilings on each of them" : ", and the others are not measured"));
  }
  return notes;
}

/// The ceilings of this node's GPUs, planned by those who drive them; on rank 0 why there are none of which, for all nodes.
DrivenGpus gpu_ceilings_of(const RunInput& input, Communicator& ranks, DrivenGpus gpus, std::vector<std::string>& notes) {
  if (!wants_gpu_ceilings(input.campaign)) return {};
  const auto of_node = plan_points(input.campaign, rounds_of(input.campaign.ceilings), gpus_here(), ranks.host(), ranks.local(), gpus);
  for (auto& line : gather_notes(of_node, ranks.leaders())) notes.push_back(std::move(line));
  return gpus;
}

bool wants_ceilings(const Campaign& campaign) { return campaign.ceilings.mode != CeilingsMode::none && campaign.time; }

/// The caches that this node's ceilings reckon with: those that an earlier session planned for, or those that its leader scouts while the
/// others wait.
LastCaches look_at_caches(const RunInput& input, const RunPlan& plan, const RunRecord& record, Communicator& ranks) {
  LastCaches caches = last_caches_of(input.topology);
  if (!wants_ceilings(input.campaign) || static_cast<double>(caches.bytes) <= usual_bytes) return caches;
  if (const TeamCpus alone = plan.place({1, 1}); ranks.local().rank() == 0 && alone.refusal.empty()) try {
      const auto before = caches_planned_for(caches, record.sweeps(ranks.host()));
      caches = before ? *before : scout_caches(input.topology, alone.cpus.front().front());
    } catch (const std::exception&) {  // what is wrong with the record is told where it is opened; without memory nothing is scouted
    }
  caches.bytes = std::stoull(ranks.local().broadcast(std::to_string(caches.bytes)));
  return caches;
}

/// Appends to `notes` what the campaign names in vain.
std::vector<CeilingCase> ceilings_of(const RunInput& input, const Nodes& nodes, const NodePart& part, LastCaches last_caches,
                                     std::vector<std::string>& notes) {
  if (!wants_ceilings(input.campaign)) return {};
  const CeilingsWish& wish = input.campaign.ceilings;
  const auto mode = wish.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  const auto teams = ceiling_teams(nodes.fewest_cores, nodes.fewest_ranks, part.numa_domains, part.packages);
  auto all = plan_ceilings(mode, this_cpu().isas, last_caches, static_cast<std::uint64_t>(nodes.memory_bytes), teams);
  if (!this_cpu().why_no_tiles.empty()) notes.push_back("[ceilings] no tensor ceilings of this CPU: " + no_tiles());
  const Links links{.most_ranks_of_node = most_ranks(nodes.facts), .nodes = static_cast<int>(nodes.facts.size())};
  const auto gpus = wish.only.empty() ? GpuCeilingNames{}
                                      : gpu_ceiling_names(input.campaign, nodes.flavors,
                                                          *std::max_element(nodes.gpu_counts.begin(), nodes.gpu_counts.end()),
                                                          nodes.gpus.front().in_words());
  for (auto& note : check_ceiling_names(input.campaign, all, teams, links, gpus)) notes.push_back(std::move(note));
  return wanted_of(all, wish);
}

/// The contests for what the campaign names, not for what only shows the levels.
std::vector<ContestPlan> contests_of(const CeilingsWish& wish, const std::vector<CeilingCase>& ceilings) {
  const auto mode = wish.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  auto contests = plan_contests(mode, ceilings, this_cpu().isas);
  std::erase_if(contests, [&](const ContestPlan& contest) {
    const CeilingCase& one = contest.candidates.front();
    return !is_wanted(wish, one.name.substr(0, one.name.size() - one.form.size() - 2));
  });
  return contests;
}

/// The plan as if no contest were won by its own loop: what a run takes at most.
std::vector<CeilingCase> with_any_winners(const std::vector<CeilingCase>& plan, const std::vector<ContestPlan>& contests) {
  return with_winners(plan, contests, std::vector<std::size_t>(contests.size(), 1));
}

}  // namespace

std::filesystem::path output_of(const RunOptions& options, const Campaign& campaign) {
  return options.output.empty() ? std::filesystem::path("plumbline-out") / (campaign.name + ".h5") : options.output;
}

bool is_counted(const Case& which, const Campaign& campaign, std::span<const std::string> counting) {
  return campaign.count && campaign.counters != "none" && (which.team.gpus == 0 || !keys_for(Space::cuda, counting).empty());
}

std::string kind_of(const RunInput& input, const NodePart& part) {
  std::string kind = this_cpu().name + "/" + (part.cores < part.of_cores ? fmt::format("{} of ", part.cores) : "") +
                     fmt::format("{} cores", part.of_cores);
  for (const auto& cache : input.caches) kind += fmt::format("/{}={}", cache.name, cache.bytes);
  if (wants_gpus(input.campaign)) kind += "/" + gpus_here().in_words();
  return kind;
}

RunPlan plan_run(const RunInput& input, Communicator& ranks, const RunRecord& record, Planning planning) {
  const auto allowed = allowed_cpus(input, ranks);
  const bool sees_gpus = wants_gpu_ceilings(input.campaign) || (wants_gpus(input.campaign) && ranks.local().rank() == 0);
  const DrivenGpus driven = meet_gpus(sees_gpus ? gpus_here() : NodeGpus(), allowed, input.topology, ranks.local());
  const double quota = cpu_quota(control_groups("cpu")).value_or(std::numeric_limits<double>::infinity());
  const NodePart part = part_of(with_allowed(input.topology, allowed), quota);
  const Nodes nodes = meet_nodes(input, part, driven, ranks);
  const auto here = static_cast<std::size_t>(ranks.node());
  Expansion expansion = expand(input.campaign, kernels(), target_of(nodes));
  require_memory(expansion.cases, {static_cast<std::uint64_t>(nodes.memory_bytes), nodes.gpu_memory_bytes});

  RunPlan plan{.cases = std::move(expansion.cases),
               .skipped = std::move(expansion.skipped),
               .notes = std::move(expansion.notes),
               .case_seconds = {},
               .rounds = {},
               .last_caches = {},
               .part = part,
               .ceilings = {},
               .contests = {},
               .gpus = {},
               .ceiling_rounds = rounds_of(input.campaign.ceilings),
               .place = placer(input, allowed, ranks.local().size(), nodes.gpus[here], nodes.devices[here])};
  for (auto& note : notes_of_parts(nodes)) plan.notes.push_back(std::move(note));
  for (auto& note : notes_of_gpus(nodes, input.campaign)) plan.notes.push_back(std::move(note));
  plan.last_caches = planning == Planning::to_run ? look_at_caches(input, plan, record, ranks) : last_caches_of(input.topology);
  if (const auto told = last_caches_of(input.topology); plan.last_caches.bytes < told.bytes)
    plan.notes.push_back(
        fmt::format("[ceilings] working sets are planned for a last cache of {}: the topology tells {}, and one core finds less",
                    in_words(static_cast<double>(plan.last_caches.bytes)), in_words(static_cast<double>(told.bytes))));
  plan.ceilings = ceilings_of(input, nodes, part, plan.last_caches, plan.notes);
  plan.contests = contests_of(input.campaign.ceilings, plan.ceilings);
  plan.gpus = gpu_ceilings_of(input, ranks, driven, plan.notes);
  if (planning == Planning::to_tell && input.campaign.count && input.campaign.counters != "none")
    for (auto& line : confounded(plan.cases)) plan.notes.push_back(std::move(line));
  if (wants_node_links(input.campaign) && ranks.nodes() == 1)
    plan.notes.emplace_back("a map of links (node_pairs) takes two nodes or more: on one there is none");
  for (const Case& one : plan.cases) {
    const CaseEstimate seconds = estimate(one, input.campaign);
    plan.case_seconds.push_back(seconds.time_seconds + seconds.count_seconds);
  }
  std::vector<std::string> needs;  // nodes may differ in what they run
  for (const Case& one : plan.cases) needs.push_back(required_isa(one.flavor.name));
  std::function<bool(std::size_t, std::size_t)> finished;
  if (!record.finished().empty()) finished = FinishedWork(plan.cases, nodes, input.campaign, record);
  const Plan made = make_plan(plan.cases, {.nodes = nodes.facts,
                                           .here = static_cast<std::size_t>(ranks.node()),
                                           .distribute = input.campaign.placement == Placement::distribute,
                                           .turns = input.campaign.nodes.turns,
                                           .seed = input.campaign.seed,
                                           .seconds = plan.case_seconds,
                                           .needs = needs,
                                           .finished = finished,
                                           .refusal = {}});
  plan.rounds = made.rounds;
  plan.seconds = made.seconds;
  plan.numa_rounds = numa_rounds(input.campaign.ceilings, plan.ceiling_rounds);
  plan.ceiling_seconds = contests_seconds(plan.contests) +
                         ceilings_seconds(with_any_winners(plan.ceilings, plan.contests), plan.ceiling_rounds) +
                         numa_seconds(input.topology.numa_nodes) * plan.numa_rounds +
                         mpi_ceilings_seconds(input.campaign, plan.ceiling_rounds, ranks.nodes(), most_ranks(nodes.facts)) +
                         node_links_seconds(input.campaign, plan.ceiling_rounds, ranks.nodes()) + ranks.world().max(plan.gpus.seconds());
  for (const auto& skip : made.skipped) plan.skipped.push_back({plan.cases[skip.which], skip.reason});
  return plan;
}

namespace {

/// Says how many points of this node's GPUs there are: " and 12 of the GPU", " and 24 of 2 GPUs".
std::string gpu_points_text(const DrivenGpus& gpus) {
  std::size_t points = 0;
  for (const auto& one : gpus.all) points += one.count;
  if (points == 0) return "";
  return fmt::format(" and {} of {}", points, gpus.all.size() == 1 ? "the GPU" : fmt::format("{} GPUs", gpus.all.size()));
}

}  // namespace

Exit print_plan(const RunPlan& plan, const RunInput& input, Communicator& ranks) {
  if (ranks.rank() != 0) return Exit::ok;
  std::uint64_t most_bytes = ceilings_bytes(with_any_winners(plan.ceilings, plan.contests));
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const std::uint64_t bytes = memory_bytes(plan.cases[i]).value_or(0);
    if (plan.cases[i].team.gpus == 0) most_bytes = std::max(most_bytes, bytes);
    print(fmt::format("{:>9.2f} s  {:>10.1f} MB  {}\n", plan.case_seconds[i], static_cast<double>(bytes) * 1e-6, plan.cases[i].id()));
  }
  for (const auto& skipped : plan.skipped) print(fmt::format("  skipped             {}  ({})\n", skipped.what.id(), skipped.reason));
  for (const auto& group : input.counting.groups)
    print(fmt::format("  counting with {}, group {}: {} events{}\n", group.backend, group.number, group.what.events.size(),
                      group.what.emulated ? ", under the emulator" : ""));
  if (!input.counting.skipped.empty()) print(fmt::format("  not counting with: {}\n", input.counting.why_skipped()));
  for (const auto& note : plan.notes) print(fmt::format("  note: {}\n", note));
  print(fmt::format(
      "{} cases in {} rounds on {} node(s), {} skipped; {} ceiling points{} x {} rounds; about {} (estimate), at most {:.1f} MB a node; "
      "seed {}\n",
      plan.cases.size(), plan.rounds.size(), ranks.nodes(), plan.skipped.size(), plan.ceilings.size(), gpu_points_text(plan.gpus),
      plan.ceiling_rounds, duration_text(plan.seconds + plan.ceiling_seconds), static_cast<double>(most_bytes) * 1e-6,
      input.campaign.seed));
  return Exit::ok;
}

}  // namespace plumbline::app
