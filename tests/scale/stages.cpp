#include "stages.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

#include "app/nodes/node_report.hpp"
#include "app/session/consolidation.hpp"
#include "model/ceilings/node_links.hpp"
#include "schedule/node_pairing.hpp"
#include "store/journal.hpp"
#include "store/result_store.hpp"

namespace plumbline::scale {
namespace {

namespace fs = std::filesystem;

/// The memory of this process: "VmHWM" or "VmRSS".
std::optional<std::uint64_t> memory(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what + ":")) return std::stoull(line.substr(what.size() + 1)) * 1024;
  return std::nullopt;
}

/// The CPU time of this process: what else runs here does not count.
double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// The kernel's peak begins anew.
bool forget_peak() {
  malloc_trim(0);
  std::ofstream refs("/proc/self/clear_refs");
  refs << "5" << std::flush;
  return refs.good();
}

class Watch {
 public:
  explicit Watch(Walk& walk) : walk_(walk) {}

  /// `share` of the time belongs to each of `who`. What is short and can be done again is: the shortest time counts.
  template <class Work>
  void stage(const std::string& name, const std::string& who, double share, int times, Work work) {
    const bool can_tell = forget_peak();
    const auto before = memory("VmRSS");
    double shortest = std::numeric_limits<double>::infinity(), least = shortest;
    for (int time = 0; time < times; ++time) {
      const auto start = std::chrono::steady_clock::now();
      const double used = cpu_seconds();
      work();
      least = std::min(least, cpu_seconds() - used);
      shortest = std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    const auto peak = memory("VmHWM");
    Stage made{.name = name, .who = who, .seconds = shortest * share, .cpu_seconds = least * share, .peak_bytes = {}};
    if (can_tell && before && peak) made.peak_bytes = *peak > *before ? *peak - *before : 0;
    walk_.stages.push_back(made);
  }
  void expect(bool right, const std::string& what) {
    if (!right) walk_.wrong += (walk_.wrong.empty() ? "" : "; ") + what;
  }

 private:
  Walk& walk_;
};

void plan(const Size& size, const Machine& machine, Watch& watch) {
  const auto here = static_cast<std::size_t>(size.nodes / 2);
  const auto own = machine.cases(size.cases), spread = machine.cases(4 * size.nodes);
  watch.stage("plan, every node", "every rank", 1, 9, [&] {
    const Plan made = make_plan(own, {.nodes = machine.nodes(), .here = here});
    watch.expect(made.rounds.size() == own.size(), "rounds of every_node");
  });
  watch.stage("plan, 4 cases a node distributed", "every rank", 1, 9, [&] {
    const Plan made = make_plan(spread, {.nodes = machine.nodes(), .here = here, .distribute = true});
    watch.expect(made.rounds.size() == 4, "rounds of distribute");
  });
}

void pair(const Size& size, Watch& watch) {
  watch.stage("pair nodes", "each leader", 1, 9, [&] {
    const NodePairing pairs(size.nodes, automatic_partners(size.nodes), 1);
    std::set<int> partners;
    for (int turn = 0; turn < pairs.turns(); ++turn)
      if (const auto peer = pairs.partner(size.nodes / 2, turn)) partners.insert(*peer);
    watch.expect(static_cast<int>(partners.size()) >= std::min(size.nodes - 1, partners_beyond), "partners of a node");
  });
}

void compare(const Size& size, const fs::path& store, Watch& watch) {
  app::SeenNodes seen;
  watch.stage("journals to samples", "rank 0", 1, 1, [&] { seen = app::seen_in_run(files_of(store)); });
  watch.stage("judge nodes", "rank 0", 1, 1, [&] {
    const app::NodeReport report = app::judge_nodes(seen, store.string(), {});
    const auto& nodes = report.comparison.nodes;
    watch.expect(nodes.size() == static_cast<std::size_t>(size.nodes), "judged nodes");
    watch.expect(std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.peers + 1 == nodes.size(); }), "like nodes");
    watch.expect(app::exit_of(report) == Exit::ok, "nobody was measured again, so nobody may be named");
  });
}

void judge(const Machine& machine, const Results& results, Watch& watch) {
  watch.stage("judge links", "the judge", 1, 9, [&] {
    const auto maps = judge_links(results.ceilings);
    if (maps.size() != 1) return watch.expect(false, "one map of links");
    const LinkMap& map = maps.front();
    const auto [one, other] = machine.bad_link();
    watch.expect(map.nodes_bad.size() == 1 && map.nodes[map.nodes_bad.front().node] == machine.bad_node(), "the bad node");
    if (map.bad.size() != 1) return watch.expect(false, fmt::format("one bad link, not {}", map.bad.size()));
    const NodeLink& link = map.links[map.bad.front().link];
    watch.expect(std::set{map.nodes[link.node], map.nodes[link.peer]} == std::set{one, other}, "the bad link");
  });
}

std::uint64_t bytes_of(const Results& results) {
  return results.outcomes.size() * sizeof(OutcomeRow) + results.times.size() * sizeof(TimeRow) +
         results.ceilings.size() * sizeof(CeilingRow);
}

}  // namespace

Walk walk(const Size& size, const fs::path& scratch) {
  Walk result;
  Watch watch(result);
  const Machine machine(size);
  plan(size, machine, watch);
  pair(size, watch);
  const fs::path store = scratch / "scale.h5";
  watch.stage("write journals", "each leader", 1.0 / size.nodes, 1, [&] {
    for (int node = 0; node < size.nodes; ++node) machine.write_journal(journal_directory(store), node);
  });
  compare(size, store, watch);
  watch.stage("journals to result file", "rank 0", 1, 1, [&] {
    const auto made = app::consolidate_into(files_of(store), machine.ids());
    watch.expect(made.reasons.empty() && made.cases == static_cast<std::size_t>(size.cases), "consolidation");
  });
  result.store_bytes = fs::file_size(store);
  fs::remove_all(journal_directory(store));
  Results loaded;
  watch.stage("load", "the judge", 1, 1, [&] { loaded = load_store(store); });
  result.rows_bytes = bytes_of(loaded);
  const auto units = static_cast<std::size_t>(size.nodes) * static_cast<std::size_t>(size.cases);
  watch.expect(loaded.outcomes.size() == units, "outcomes");
  watch.expect(loaded.times.size() == units * static_cast<std::size_t>(size.repetitions), "times");
  watch.expect(loaded.machines.size() == static_cast<std::size_t>(size.nodes), "machines");
  judge(machine, loaded, watch);
  fs::remove(store);
  return result;
}

}  // namespace plumbline::scale
