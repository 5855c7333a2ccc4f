#include "app/stages/numa_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/stages/ceilings_stage.hpp"
#include "app/stages/team_meeting.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"
#include "machine/memory_binding.hpp"
#include "measure/stopwatch.hpp"
#include "measure/timing.hpp"
#include "schedule/team_placement.hpp"

namespace plumbline::app {
namespace {

constexpr double sample_seconds = 0.002;
constexpr int numa_tries = 3;

/// The first allowed CPU of each core.
std::vector<int> cores_of(const Topology& topology, int domain) {
  std::vector<int> cpus, cores;
  for (const auto& cpu : topology.cpus)
    if (cpu.allowed && cpu.numa == domain && std::find(cores.begin(), cores.end(), cpu.core) == cores.end()) {
      cores.push_back(cpu.core);
      cpus.push_back(cpu.cpu);
    }
  return cpus;
}

/// The point of `pattern` with the largest working set that `memory_bytes` has room for.
std::optional<CeilingCase> largest_of(const std::string& pattern, int threads, LastCaches last_caches, std::uint64_t memory_bytes) {
  const CeilingTeam who{{1, threads}, true};
  std::optional<CeilingCase> largest;
  for (auto& point : plan_ceilings(CeilingMode::quick, this_cpu().isas, last_caches, memory_bytes, std::span(&who, 1)))
    if (point.level == CeilingKind::sweep && point.pattern == pattern && (!largest || point.working_set_bytes > largest->working_set_bytes))
      largest = std::move(point);
  return largest;
}

/// The last-level caches of one domain.
LastCaches of_domain(LastCaches caches, const Topology& topology) {
  caches.count = std::max(1, caches.count / std::max(1, topology.numa_nodes));
  return caches;
}

/// Says why the cores of a domain, or its memory, cannot be measured with that much; empty where they can.
std::string obstacle(const CeilingCase& ceiling, int from, std::size_t cores, int memory, std::uint64_t memory_bytes, LastCaches caches) {
  if (cores == 0) return fmt::format("the launcher keeps this rank away from the cores of domain {}", from);
  const int touched = std::min(ceiling.measured.team.threads, caches.count);
  if (ceiling.working_set_bytes > 3.0 * static_cast<double>(caches.bytes) * touched) return "";
  return fmt::format("of NUMA node {}'s memory {} MB can be used: too little for a working set beyond its caches", memory,
                     memory_bytes / 1'000'000);
}

/// Prepares the data of `ceiling` by threads whose new pages come from one memory.
std::unique_ptr<Prepared> prepare_in(const CeilingCase& ceiling, int memory, const ThreadTeam& threads, Synchronization& team,
                                     Timed& timed) {
  std::vector<std::string> problems(static_cast<std::size_t>(threads.size()));
  threads.run([&](int thread) { problems[static_cast<std::size_t>(thread)] = bind_new_pages(memory); });
  std::unique_ptr<Prepared> data;
  const auto problem = std::find_if(problems.begin(), problems.end(), [](const auto& text) { return !text.empty(); });
  if (problem == problems.end()) data = prepare_case(ceiling.measured, true, threads, team, timed);
  threads.run([](int) { unbind_new_pages(); });
  if (problem == problems.end()) return data;
  timed.status = Status::permission;
  timed.reason = *problem;
  return nullptr;
}

void sample(CeilingRow& row, const CeilingCase& ceiling, int memory, const std::vector<int>& cpus) {
  Synchronization alone;
  const BoundTeam bound(cpus, alone);
  Timed timed;
  if (!bound.problem().empty()) timed = {.status = Status::failed, .reason = bound.problem(), .repetitions = {}};
  const auto data = bound.problem().empty() ? prepare_in(ceiling, memory, bound.threads(), alone, timed) : nullptr;
  if (!data) {
    row.status = timed.status;
    row.reason = timed.reason;
    return;
  }
  Stopwatch watch(*data, bound.threads(), alone);
  const std::uint64_t sweeps = watch.calibrate(sample_seconds);
  Repetition best = watch.measure(sweeps);
  for (int attempt = 1; attempt < numa_tries; ++attempt)
    if (const Repetition next = watch.measure(sweeps); next.seconds < best.seconds) best = next;
  take_sample(row, ceiling, best);
}

}  // namespace

int numa_rounds(const CeilingsWish& wish, int ceiling_rounds) {
  return wish.mode == CeilingsMode::full && wish.only.empty() ? std::min(2, ceiling_rounds) : 0;
}

double numa_seconds(int domains) { return 0.5 * domains * domains; }

std::vector<CeilingRow> measure_numa(const Topology& topology, LastCaches last_caches, const std::string& node, const std::string& session,
                                     int round) {
  std::vector<CeilingRow> rows;
  const LastCaches caches = of_domain(last_caches, topology);
  for (int from = 0; from < topology.numa_nodes; ++from) {
    const std::vector<int> cores = cores_of(topology, from);
    for (const std::string pattern : {"load", "chase"})
      for (std::size_t to = 0; to < topology.numa_memories.size(); ++to) {
        const int threads = pattern == "chase" ? 1 : std::max(1, static_cast<int>(cores.size())), memory = topology.numa_memories[to];
        const std::uint64_t bytes = memory_available_bytes(memory);
        const auto ceiling = largest_of(pattern, threads, caches, bytes);
        if (!ceiling) continue;
        CeilingRow row = described(*ceiling);
        row.level = CeilingKind::numa;
        row.pattern = fmt::format("{} {}<-{}", pattern, from, to);
        row.name = fmt::format("{}, cores of domain {}, memory of domain {}", pattern, from, to);
        row.node = node;
        row.session = session;
        row.round = round;
        row.scope = scope_of(topology, {{cores.begin(), cores.begin() + std::min<std::ptrdiff_t>(threads, std::ssize(cores))}});
        if (const std::string why = obstacle(*ceiling, from, cores.size(), memory, bytes, caches); why.empty()) {
          sample(row, *ceiling, memory, {cores.begin(), cores.begin() + threads});
        } else {
          row.status = Status::skipped;
          row.reason = why;
        }
        rows.push_back(std::move(row));
      }
  }
  return rows;
}

}  // namespace plumbline::app
