#include "model/ceilings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "model/spread.hpp"

namespace plumbline {
namespace {

/// Samples of one thing: everything but round and session agrees; a sweep is all its working sets.
using Group = std::tuple<std::string, std::string, std::string, std::string, std::int64_t, std::int64_t, std::string, std::string, double>;

Group group_of(const CeilingRow& row) {
  const bool sweep = row.level == "sweep";
  const double working_set = sweep || !std::isfinite(row.working_set_bytes) ? 0 : row.working_set_bytes;
  return {sweep ? "" : row.name, row.precision, row.level, row.pattern, row.ranks, row.threads, row.node, row.unit, working_set};
}

Ceiling described(const CeilingRow& row) {
  return {.name = row.name,
          .precision = row.precision,
          .level = row.level,
          .pattern = row.pattern,
          .ranks = row.ranks,
          .threads = row.threads,
          .node = row.node,
          .unit = row.unit,
          .method = row.method};
}

void take_spread(Ceiling& ceiling, const Spread& spread) {
  ceiling.n = spread.n;
  ceiling.min = spread.min;
  ceiling.median = spread.median;
  ceiling.max = spread.max;
  ceiling.cv = spread.cv;
}

std::vector<double> usable(const std::vector<const CeilingRow*>& rows) {
  std::vector<double> values;
  for (const auto* row : rows)
    if (row->status == Status::ok && std::isfinite(row->value) && row->value > 0) values.push_back(row->value);
  return values;
}

struct PatternTraffic {
  const char* pattern;
  double factor;  // bytes across a write-allocate cache's boundary for each algorithmic byte
};
/// A store costs a fill and a write-back for its 8 bytes, unless the line was read anyway (update).
constexpr std::array<PatternTraffic, 6> pattern_traffic{
    {{"load", 1}, {"update", 1}, {"store", 2}, {"copy", 1.5}, {"triad", 4.0 / 3}, {"loads2store1", 4.0 / 3}}};

double traffic_of(const Ceiling& ceiling) {
  if (ceiling.unit != "GB/s") return absent;
  if (ceiling.level == "L1") return ceiling.value;  // registers to L1: loads and stores as they are
  const auto known =
      std::find_if(pattern_traffic.begin(), pattern_traffic.end(), [&](const auto& p) { return p.pattern == ceiling.pattern; });
  return known == pattern_traffic.end() ? absent : known->factor * ceiling.value;
}

/// Disturbances (neighbours, interrupts, a lower clock) only ever slow a sample down: the best is the nearest to what is attainable.
/// (Rounds show how much; the median stands beside it.)
Ceiling fit_best(const std::vector<const CeilingRow*>& rows) {
  Ceiling ceiling = described(*rows.front());
  const auto values = usable(rows);
  take_spread(ceiling, spread_of(values));
  ceiling.value = ceiling.unit == "seconds" ? ceiling.min : ceiling.max;
  ceiling.size_bytes = rows.front()->working_set_bytes;
  if (values.empty()) {
    ceiling.status = rows.front()->status == Status::ok ? Status::failed : rows.front()->status;
    ceiling.reason = "no sample succeeded: " + rows.front()->method;
  }
  if (std::isfinite(ceiling.value)) ceiling.traffic_gbs = traffic_of(ceiling);
  return ceiling;
}

// -------------------------------------------------------------------------------------------------------------- bandwidth sweeps

struct Point {
  double bytes = 0;  // working set of the whole team
  Spread spread;
  const CeilingRow* row = nullptr;
};

std::vector<Point> points_of(const std::vector<const CeilingRow*>& rows) {
  std::map<double, std::vector<const CeilingRow*>> by_size;
  for (const auto* row : rows)
    if (std::isfinite(row->working_set_bytes)) by_size[row->working_set_bytes].push_back(row);
  std::vector<Point> points;
  for (const auto& [bytes, members] : by_size)
    if (const auto values = usable(members); !values.empty()) points.push_back({bytes, spread_of(values), members.front()});
  return points;
}

/// A level as the topology foresees it: working sets of (above, up to] bytes are well inside it and beyond the level before.
struct Window {
  std::string name;
  double above = 0, up_to = 0;
};

/// Beyond a level: a replacement policy that is not quite LRU keeps some lines of a working set up to twice its size.
constexpr double beyond = 2;
/// Well inside: stack, page tables and code want some of a cache too.
constexpr double inside = 0.8;
/// Memory: last-level caches hold on to a part of a working set for longest, so that it looks faster.
constexpr double beyond_last = 3;

std::vector<Window> windows_of(const NodeFacts& node, std::int64_t workers) {
  std::vector<Window> windows;
  double previous = 0;
  for (const auto& cache : node.caches) {
    const auto capacity = static_cast<double>(team_capacity(node, cache, workers));
    windows.push_back({"L" + std::to_string(cache.level), beyond * previous, inside * capacity});
    previous = capacity;
  }
  windows.push_back({"mem", beyond_last * previous, HUGE_VAL});
  return windows;
}

std::string in_words(double bytes) {
  if (bytes < 1 << 20) return std::to_string(static_cast<long long>(bytes / 1024)) + " KiB";
  return std::to_string(static_cast<long long>(bytes / (1 << 20))) + " MiB";
}

std::string no_points(const Window& window) {
  const std::string from = "no working set above " + in_words(window.above);
  return std::isinf(window.up_to) ? from + " was measured" : from + " and up to " + in_words(window.up_to) + " was measured";
}

/// Index of the point with the best median in the window; points.size() when there is none.
std::size_t best_in(const std::vector<Point>& points, const Window& window) {
  std::size_t best = points.size();
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].bytes > window.above && points[i].bytes <= window.up_to &&
        (best == points.size() || points[i].spread.median > points[best].spread.median))
      best = i;
  return best;
}

/// The largest working set from the plateau on that stays nearer (in ratio) to this level's rate than to the next level's.
double reach_of(const std::vector<Point>& points, std::size_t plateau, double next_rate) {
  const double half_way = std::sqrt(points[plateau].spread.median * next_rate);
  double reach = points[plateau].bytes;
  for (std::size_t i = plateau; i < points.size() && points[i].spread.median >= half_way; ++i) reach = points[i].bytes;
  return reach;
}

Ceiling fit_level(const std::vector<Point>& points, const Window& window, const CeilingRow& any) {
  Ceiling ceiling = described(any);
  ceiling.level = window.name;
  ceiling.name = window.name + " " + any.pattern;
  const std::size_t best = best_in(points, window);
  if (best == points.size()) {
    ceiling.status = Status::unavailable;
    ceiling.reason = no_points(window);
    return ceiling;
  }
  take_spread(ceiling, points[best].spread);
  ceiling.value = ceiling.max;
  ceiling.traffic_gbs = traffic_of(ceiling);
  ceiling.size_bytes = points[best].bytes;
  ceiling.method = points[best].row->method + ", best working set " + in_words(points[best].bytes);
  return ceiling;
}

std::vector<Ceiling> fit_sweep(const std::vector<const CeilingRow*>& rows, const NodeFacts* node) {
  const CeilingRow& any = *rows.front();
  const std::vector<Point> points = points_of(rows);
  if (node == nullptr || node->caches.empty()) {
    Ceiling ceiling = described(any);
    ceiling.level = "mem";
    ceiling.name = "mem " + any.pattern;
    ceiling.status = Status::unavailable;
    ceiling.reason = "the cache sizes of node " + any.node + " are not known, so no working set can be called beyond them";
    return {ceiling};
  }
  const std::vector<Window> windows = windows_of(*node, any.ranks * any.threads);
  std::vector<Ceiling> levels;
  for (const auto& window : windows) levels.push_back(fit_level(points, window, any));
  for (std::size_t i = 0; i + 1 < levels.size(); ++i)
    if (levels[i].status == Status::ok && levels[i + 1].status == Status::ok)
      levels[i].size_bytes = reach_of(points, best_in(points, windows[i]), levels[i + 1].median);
  return levels;
}

const NodeFacts* facts_of(std::span<const NodeFacts> nodes, const std::string& name) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const NodeFacts& node) { return node.node == name; });
  return found == nodes.end() ? nullptr : &*found;
}

bool is_there(const std::vector<Ceiling>& ceilings, const Ceiling& wanted) {
  return std::any_of(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) {
    return c.status == Status::ok &&
           std::tie(c.level, c.pattern, c.precision, c.ranks, c.threads, c.node) ==
               std::tie(wanted.level, wanted.pattern, wanted.precision, wanted.ranks, wanted.threads, wanted.node);
  });
}

}  // namespace

double quiet_cv(const std::string& level) {
  if (level == "compute" || level == "L1") return 0.02;
  return level == "mem" ? 0.10 : 0.05;
}

std::uint64_t team_capacity(const NodeFacts& node, const CacheSize& cache, std::int64_t workers) {
  const std::int64_t sharers = std::max<std::int64_t>(1, cache.shared_by_cpus),
                     cpus = workers * std::max<std::int64_t>(1, node.cpus_per_core);
  return cache.bytes * static_cast<std::uint64_t>((cpus + sharers - 1) / sharers);
}

std::vector<Ceiling> fit_ceilings(std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes) {
  std::vector<Group> order;  // of first appearance
  std::map<Group, std::vector<const CeilingRow*>> groups;
  for (const auto& row : samples) {
    auto& members = groups[group_of(row)];
    if (members.empty()) order.push_back(group_of(row));
    members.push_back(&row);
  }
  std::vector<Ceiling> ceilings;
  for (const auto& group : order)
    if (groups[group].front()->level != "sweep") ceilings.push_back(fit_best(groups[group]));
  for (const auto& group : order) {
    const auto& rows = groups[group];
    if (rows.front()->level != "sweep") continue;
    for (auto& level : fit_sweep(rows, facts_of(nodes, rows.front()->node)))
      if (!is_there(ceilings, level)) ceilings.push_back(std::move(level));
  }
  return ceilings;
}

}  // namespace plumbline
