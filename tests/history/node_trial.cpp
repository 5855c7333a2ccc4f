#include "node_trial.hpp"

#include <algorithm>
#include <cmath>

#include "../scoring/random.hpp"
#include "core/fnv.hpp"
#include "faulty_night.hpp"
#include "model/comparing/node_remeasuring.hpp"

namespace plumbline::test {
namespace {

constexpr int turns = 15, repetitions = 3;

std::string name_of(std::size_t node) { return "node" + std::to_string(node); }

CeilingRow sample(const std::string& name, const std::string& level, const std::string& unit, const std::string& node, double value,
                  int round) {
  CeilingRow row;
  row.name = name;
  row.precision = level == "compute" ? "fp64" : "-";
  row.level = level;
  row.pattern = level == "mpi" ? "latency" : "fma";
  row.node = node;
  row.session = "s";
  row.round = round;
  row.value = value;
  row.unit = unit;
  return row;
}

/// Adds what only nodes of a cluster have: a GPU, and messages.
void add_devices(Results& results, const std::string& node, double gpu_slowdown, double message_slowdown, Random& random) {
  for (int round = 0; round < 3; ++round) {
    CeilingRow gpu = sample("GPU FP64 FMA", "compute", "GFLOP/s", node, 30000 / gpu_slowdown * std::exp(0.003 * random.normal()), round);
    gpu.scope = "GPU";
    gpu.method = "cuda13-sm_90a, 132 multiprocessors of 9.0, NVIDIA H100";
    results.ceilings.push_back(gpu);
    CeilingRow latency =
        sample("MPI latency inside a node", "mpi", "seconds", node, 1e-6 * message_slowdown * std::exp(0.02 * random.normal()), round);
    latency.working_set_bytes = 8;
    latency.method = "stream";
    results.ceilings.push_back(latency);
  }
}

void append(Results& all, const Results& one) {
  if (all.cases.empty()) all.cases = one.cases, all.provenance = one.provenance, all.campaign = one.campaign;
  all.outcomes.insert(all.outcomes.end(), one.outcomes.begin(), one.outcomes.end());
  all.times.insert(all.times.end(), one.times.begin(), one.times.end());
  all.ceilings.insert(all.ceilings.end(), one.ceilings.begin(), one.ceilings.end());
  all.machines.insert(all.machines.end(), one.machines.begin(), one.machines.end());
}

/// The slow ones among the rows that `quick` has.
std::vector<bool> slow_rows(const NodeKind& kind, Random& random) {
  const auto& rows = quick_rows();
  const auto single = static_cast<std::size_t>(random.uniform() * 128);
  std::vector<bool> slow;
  for (std::size_t i = 0; i < rows.size(); ++i)
    slow.push_back(kind.word.empty() || (kind.word == "one" ? i == single : rows[i].has(kind.word)));
  return slow;
}

bool is_slow(const Job& job, const std::string& what, const std::string& node) {
  return job.slow.contains(node) &&
         std::any_of(job.slow_rows.begin(), job.slow_rows.end(), [&](const auto& row) { return what.starts_with(row); });
}

/// Turns of a thing on a node hang on each other.
void measure_again(Job& job, const NodeKind& kind, const std::vector<RemeasuringGroup>& groups, Random& random) {
  const double own = std::sqrt(1 - kind.correlation * kind.correlation);
  for (const auto& group : groups)
    for (const auto& what : group.cases)
      for (const auto& node : group.nodes()) {
        double noise = random.normal();
        for (int turn = 0; turn < turns; ++turn) {
          for (int repetition = 0; repetition < repetitions; ++repetition) {
            const double seconds =
                1e-4 * (is_slow(job, what, node) ? kind.slowdown : 1) * std::exp(kind.noise * noise + 0.005 * random.normal());
            job.results.remeasured.push_back({.case_id = what,
                                              .node = node,
                                              .session = "s",
                                              .turn = turn,
                                              .repetition = repetition,
                                              .seconds = seconds,
                                              .clock_hz = 3e9});
          }
          noise = kind.correlation * noise + own * random.normal();
        }
      }
}

bool is_slower(const JudgedNode& node) { return node.finding == NodeFinding::slower; }

void count_slow(const JudgedNode& node, const Job& job, const NodeKind& kind, NodeCount& count) {
  ++count.slow;
  count.suspected += node.finding != NodeFinding::alike && node.finding != NodeFinding::alone;
  if (!is_slower(node)) return;
  ++count.found;
  bool named = false, missed = false;
  for (const auto& one : node.again) {
    if (!one.confirmed) continue;
    named = named || one.all_together || is_slow(job, one.what, node.node);
    if (!one.all_together && (one.judged.lo > kind.slowdown * 1.005 || one.judged.hi < kind.slowdown / 1.005)) missed = true;
  }
  count.named += named;
  count.wrong_factor += missed;
}

void count_job(const NodeKind& kind, const Job& job, NodeCount& count) {
  const auto report = app::judge_nodes(job.results, "job.h5", {});
  ++count.jobs;
  bool accused = false;
  for (const auto& node : report.comparison.nodes) {
    const bool should_be = job.slow.contains(node.node) && kind.can_be_named;
    if (is_slower(node) && !should_be)
      accused = true, count.example = node.node + ": " + (node.again.empty() ? "" : node.again.front().what);
    if (should_be) count_slow(node, job, kind, count);
  }
  count.accused += accused;
}

std::vector<NodeKind> make_kinds() {
  const simulated::Host restless{.freedom = 4}, busy{.freedom = 4, .disturbed_part = 0.05};
  std::vector<NodeKind> kinds;
  for (const std::size_t nodes : {3UL, 4UL, 8UL}) {
    const std::string of = " of " + std::to_string(nodes);
    kinds.push_back({.name = "none" + of, .nodes = nodes});
    kinds.push_back({.name = "none" + of + ", busy hosts", .nodes = nodes, .host = busy});
    kinds.push_back(
        {.name = "none" + of + ", turns of 10 % correlated", .nodes = nodes, .noise = 0.1, .correlation = 0.7, .host = restless});
    for (const int percent : {5, 10, 20}) {
      const double by = 1 + percent / 100.0;
      const std::string size = of + " by " + std::to_string(percent) + " %";
      kinds.push_back({.name = "one node" + size, .nodes = nodes, .slow_nodes = 1, .slowdown = by, .can_be_named = true});
      for (const auto& [name, word] : {std::pair{"one case", "one"},
                                       {"beyond the caches", "n=4000000"},
                                       {"level O0", "O0"},
                                       {"its GPU", "GPU"},
                                       {"its messages", "MPI"}})
        kinds.push_back({.name = std::string(name) + " on one" + size,
                         .nodes = nodes,
                         .slow_nodes = 1,
                         .slowdown = by,
                         .word = word,
                         .can_be_named = true});
    }
    kinds.push_back({.name = "one" + of + " by 20 %, busy hosts",
                     .nodes = nodes,
                     .slow_nodes = 1,
                     .slowdown = 1.2,
                     .can_be_named = true,
                     .host = busy});
    kinds.push_back({.name = "one" + of + " by 20 %, turns of 10 % correlated",
                     .nodes = nodes,
                     .slow_nodes = 1,
                     .slowdown = 1.2,
                     .can_be_named = true,
                     .noise = 0.1,
                     .correlation = 0.7});
  }
  kinds.push_back({.name = "one of 2 by 20 %", .nodes = 2, .slow_nodes = 1, .slowdown = 1.2});
  kinds.push_back({.name = "two of 4 by 20 %", .nodes = 4, .slow_nodes = 2, .slowdown = 1.2});
  kinds.push_back({.name = "four of 8 by 20 %", .nodes = 8, .slow_nodes = 4, .slowdown = 1.2});
  kinds.push_back({.name = "two of 5 by 20 %", .nodes = 5, .slow_nodes = 2, .slowdown = 1.2, .can_be_named = true});
  kinds.push_back({.name = "two of 8 by 20 %", .nodes = 8, .slow_nodes = 2, .slowdown = 1.2, .can_be_named = true});
  kinds.push_back({.name = "one of 4 faster by 20 %", .nodes = 4, .slow_nodes = 1, .slowdown = 0.8});
  return kinds;
}

}  // namespace

const std::vector<NodeKind>& node_kinds() {
  static const std::vector<NodeKind> kinds = make_kinds();
  return kinds;
}

Job job_of(const NodeKind& kind, std::uint64_t seed) {
  Random random(fnv1a(kind.name) ^ Random(seed).next());
  const auto slow = slow_rows(kind, random);
  Job job;
  simulated::Host host = kind.host;
  host.rows = quick_rows().size();
  std::set<std::string> present;
  const auto first = static_cast<std::size_t>(random.uniform() * static_cast<double>(kind.nodes));
  for (std::size_t i = 0; i < kind.slow_nodes; ++i) job.slow.insert(name_of((first + i) % kind.nodes));
  for (std::size_t i = 0; i < slow.size(); ++i)
    if (slow[i]) job.slow_rows.insert(quick_rows()[i].what);
  for (const auto& [word, what] : {std::pair{"GPU", "ceiling/GPU FP64 FMA"}, {"MPI", "ceiling/MPI latency"}})
    if (kind.word.empty() || kind.word == word) job.slow_rows.insert(what);
  for (std::size_t n = 0; n < kind.nodes; ++n) {
    const std::string node = name_of(n);
    const bool on_it = job.slow.contains(node);
    std::vector<Befallen> befallen(slow.size());
    for (std::size_t i = 0; i < slow.size(); ++i)
      if (on_it && slow[i]) befallen[i].slowdown = kind.slowdown;
    simulated::Machine machine(host, static_cast<unsigned>(random.next()));
    append(job.results, measured(machine.night(), host, befallen, node, 0, random.next() % 1'000'000));
    const auto by = [&](const char* what) { return is_slow(job, what, node) ? kind.slowdown : 1; };
    add_devices(job.results, node, by("ceiling/GPU FP64 FMA"), by("ceiling/MPI latency"), random);
    present.insert(node);
  }
  const auto first_look = app::judge_nodes(job.results, "job.h5", {});
  measure_again(job, kind, plan_remeasuring(first_look.comparison, present), random);
  return job;
}

std::vector<NodeCount> count_jobs(std::span<const NodeKind> kinds, std::uint64_t first, std::uint64_t last) {
  std::vector<NodeCount> counts;
  for (const auto& kind : kinds) {
    NodeCount& count = counts.emplace_back(NodeCount{.kind = kind.name});
    for (std::uint64_t seed = first; seed <= last; ++seed) count_job(kind, job_of(kind, seed), count);
  }
  return counts;
}

}  // namespace plumbline::test
