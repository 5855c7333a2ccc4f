#include "model/ceilings/ceilings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "model/ceilings/ceiling_samples.hpp"
#include "model/ceilings/gpu_ceilings.hpp"
#include "model/ceilings/node_levels.hpp"

namespace plumbline {
namespace {

/// Samples of one thing: everything but round and session agrees; a sweep is all its working sets.
using Group = std::tuple<std::string, std::string, std::string, std::string, std::int64_t, std::int64_t, std::string, std::string, double>;

Group group_of(const CeilingRow& row) {
  const bool sweep = row.level == CeilingKind::sweep;
  const double working_set = sweep || !std::isfinite(row.working_set_bytes) ? 0 : row.working_set_bytes;
  return {
      sweep ? "" : name_without_form(row), row.precision, row.level, row.pattern, row.ranks, row.threads, row.node, row.unit, working_set};
}

std::vector<double> usable(const std::vector<const CeilingRow*>& rows) {
  std::vector<double> values;
  for (const auto* row : rows)
    if (row->status == Status::ok && std::isfinite(row->value) && row->value > 0) values.push_back(row->value);
  return values;
}

double traffic_of(const Ceiling& ceiling) {
  if (ceiling.unit != "GB/s") return absent;
  return traffic_factor(ceiling.pattern, ceiling.samples_form, ceiling.level) * ceiling.value;
}

/// The samples of the loop with the best median, where several loops for the same were measured.
std::vector<const CeilingRow*> of_best_form(const std::vector<const CeilingRow*>& rows) {
  std::map<std::string, std::vector<const CeilingRow*>> forms;
  for (const auto* row : rows) forms[row->form].push_back(row);
  const std::vector<const CeilingRow*>* best = &forms.begin()->second;  // the plan's own, where it was measured
  const auto median = [](const auto& members) { return usable(*members).empty() ? 0 : spread_of(usable(*members)).median; };
  for (const auto& [form, members] : forms)
    if (median(&members) > median(best)) best = &members;
  return *best;
}

/// Disturbances (neighbours, interrupts, a lower clock) only ever slow a sample down: the best is the nearest to what is attainable.
/// (Rounds show how much; the median stands beside it.)
Ceiling fit_best(const std::vector<const CeilingRow*>& all) {
  const std::vector<const CeilingRow*> rows = of_best_form(all);
  Ceiling ceiling = described(*rows.front());
  const auto values = usable(rows);
  take_spread(ceiling, spread_of(values));
  ceiling.value = ceiling.unit == "seconds" ? ceiling.min : ceiling.max;
  ceiling.size_bytes = ceiling.samples_bytes = rows.front()->working_set_bytes;
  if (values.empty()) {
    ceiling.status = rows.front()->status == Status::ok ? Status::failed : rows.front()->status;
    ceiling.reason = "no sample succeeded: " + how_and_why(*rows.front());
  }
  if (std::isfinite(ceiling.value)) ceiling.traffic_gbs = traffic_of(ceiling);
  return ceiling;
}

// -------------------------------------------------------------------------------------------------------------- bandwidth sweeps

struct Point {
  double bytes = 0;  // working set of the whole team
  Spread spread;
  double quiet = absent;  // median of the samples whose threads had their CPUs all the time
  const CeilingRow* row = nullptr;
};

std::vector<Point> points_of(const std::vector<const CeilingRow*>& rows) {
  std::map<std::pair<double, std::string>, std::vector<const CeilingRow*>> by_size;  // and form
  for (const auto* row : rows)
    if (std::isfinite(row->working_set_bytes)) by_size[{row->working_set_bytes, row->form}].push_back(row);
  std::vector<Point> points;
  for (const auto& [which, members] : by_size)
    if (const auto values = usable(members); !values.empty()) {
      std::vector<const CeilingRow*> quiet;
      std::copy_if(members.begin(), members.end(), std::back_inserter(quiet), [](const auto* row) { return !(row->cpu_share < 0.9); });
      points.push_back({which.first, spread_of(values), spread_of(usable(quiet)).median, members.front()});
    }
  return points;
}

/// Index of the point with the best median of quiet samples, else of all, in (above, up_to]; points.size() when there is none.
std::size_t best_in(const std::vector<Point>& points, double above, double up_to) {
  std::size_t best = points.size();
  const auto is_better = [&](const Point& a, const Point& b) {
    if (std::isfinite(a.quiet) != std::isfinite(b.quiet)) return std::isfinite(a.quiet);
    if (std::isfinite(a.quiet)) return a.row->unit == "seconds" ? a.quiet <= b.quiet : a.quiet >= b.quiet;
    return a.row->unit == "seconds" ? a.spread.median <= b.spread.median : a.spread.median >= b.spread.median;
  };
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].bytes > above && points[i].bytes <= up_to && (best == points.size() || is_better(points[i], points[best]))) best = i;
  return best;
}

/// The best point in a window; where a pattern with few points has none there, the best of those nearer to the levels beside.
std::size_t best_in(const std::vector<Point>& points, const LevelWindow& window) {
  constexpr double nearer_before = 0.75, nearer_behind = 1.25;
  const std::size_t best = best_in(points, window.above, window.up_to);
  return best < points.size() ? best : best_in(points, nearer_before * window.above, nearer_behind * window.up_to);
}

/// The form of the loop that is best at the largest working set: how rates change with the size is of one loop.
std::string form_in_memory(const std::vector<Point>& points) {
  if (points.empty()) return {};
  const double largest = points.back().bytes;
  const std::size_t best = best_in(points, std::nextafter(largest, 0), largest);
  return points[best].row->form;
}

/// The points that may stand for memory: the last octave of those beyond the last cache, undisturbed ones if there are any.
std::vector<Point> last_octave(const std::vector<Point>& points, const LevelWindow& memory) {
  std::vector<Point> beyond, quiet;
  const std::string form = form_in_memory(points);
  for (const auto& point : points) {
    if (!(point.bytes > memory.above) || point.row->form != form) continue;
    beyond.push_back(point);
    if (std::isfinite(point.quiet)) quiet.push_back(point);
  }
  if (!quiet.empty()) beyond = std::move(quiet);
  constexpr double rounding = 0.98;  // to whole grains
  if (!beyond.empty()) std::erase_if(beyond, [least = rounding * beyond.back().bytes / 2](const Point& p) { return p.bytes < least; });
  return beyond;
}

/// Says why memory's rate, or latency, at `best` may be partly a cache's, by the curve alone: it has not come to rest.
std::string still_changing(const Point& best, const Point& largest) {
  constexpr double at_rest = 0.1;
  const bool latency = best.row->unit == "seconds";
  const double here = latency ? best.spread.min : best.spread.max, there = latency ? largest.spread.min : largest.spread.max,
               change = latency ? there / here - 1 : 1 - there / here;
  if (!(change > at_rest)) return {};
  return std::string("it still ") + (latency ? "rises" : "falls") + " by " + std::to_string(std::lround(100 * change)) + " % from " +
         in_words(best.bytes) + " to " + in_words(largest.bytes) + ", the largest working set, which stands for memory";
}

/// Says why memory's rate may be a cache's by what the topology says of the last cache; it decides nothing.
std::string within_a_known_cache(double largest, const NodeFacts* node, std::int64_t workers) {
  constexpr double largest_cache = 512.0 * (1 << 20), times = 3;
  if (node == nullptr || node->caches.empty())
    return largest >= largest_cache ? ""
                                    : "the topology tells no caches: a last cache larger than the largest working set, " +
                                          in_words(largest) + ", would look the same";
  const CacheSize& last = node->caches.back();
  const double bytes = static_cast<double>(team_capacity(*node, last, workers));
  if (largest >= times * bytes) return {};
  return "the largest working set, " + in_words(largest) + ", is less than three times the " + in_words(bytes) + " of L" +
         std::to_string(last.level) + " that the topology tells";
}

std::string no_points(const LevelWindow& window) {
  const std::string above = window.above > 0 ? " above " + in_words(window.above) : "",
                    up_to = std::isinf(window.up_to) ? "" : " up to " + in_words(window.up_to);
  return "no working set" + above + (above.empty() || up_to.empty() ? "" : " and") + up_to + " was measured";
}

Ceiling unavailable(const CeilingRow& any, const std::string& level, const std::string& reason) {
  Ceiling ceiling = described(any);
  ceiling.level = level;
  ceiling.name = level + " " + any.pattern;
  ceiling.status = Status::unavailable;
  ceiling.reason = reason;
  return ceiling;
}

Ceiling fit_level(const std::vector<Point>& all, const LevelWindow& window, const CeilingRow& any, const NodeFacts* node) {
  if (window.level->status != Status::ok) return unavailable(any, window.level->name, window.level->reason);
  const bool memory = window.level->name == "mem";
  const std::vector<Point> points = memory ? last_octave(all, window) : all;
  std::size_t best = best_in(points, window);
  if (best == points.size()) return unavailable(any, window.level->name, no_points(window));
  std::string doubt;
  if (memory) {
    doubt = still_changing(points[best], points.back());
    if (doubt.empty())
      doubt = within_a_known_cache(points.back().bytes, node, any.ranks * any.threads);
    else
      best = points.size() - 1;
  }
  Ceiling ceiling = described(*points[best].row);
  ceiling.level = window.level->name;
  ceiling.name = ceiling.level.word() + " " + any.pattern;
  take_spread(ceiling, points[best].spread);
  ceiling.value = any.unit == "seconds" ? ceiling.min : ceiling.max;
  ceiling.traffic_gbs = traffic_of(ceiling);
  ceiling.size_bytes = memory ? points[best].bytes : window.size_bytes;
  ceiling.samples_bytes = points[best].bytes;
  ceiling.size_lo_bytes = window.size_lo;
  ceiling.size_hi_bytes = window.size_hi;
  ceiling.confidence = window.level->confidence;
  ceiling.method = points[best].row->method + ", best working set " + in_words(points[best].bytes);
  ceiling.doubt = std::move(doubt);
  return ceiling;
}

/// A cache's edge, by the plan's own loop alone, whose rate at every working set is known.
std::vector<EdgePoint> edge_of(const std::vector<Point>& points, const LevelWindow& cache, const LevelWindow& behind) {
  const bool is_memory = !std::isfinite(behind.up_to);
  std::vector<SweptRate> sweep;
  double inside = 0, beyond = 0;
  for (const auto& point : points) {
    if (!point.row->form.empty()) continue;
    const double gbs = point.spread.max;
    sweep.push_back({point.bytes, gbs});
    if (point.bytes > cache.above && point.bytes <= cache.up_to) inside = std::max(inside, gbs);
    if (is_memory) beyond = gbs;  // of the largest
    if (is_memory || !(point.bytes > behind.above)) continue;
    beyond = std::max(beyond, gbs);
    if (point.bytes > behind.up_to) break;
  }
  return cache_edge(std::move(sweep), inside, beyond);
}

/// The size of a level by the topology; it decides nothing.
double topology_size(const NodeFacts* node, const Ceiling& ceiling) {
  if (node == nullptr) return absent;
  for (const auto& cache : node->caches)
    if (ceiling.level == "L" + std::to_string(cache.level))
      return static_cast<double>(team_capacity(*node, cache, ceiling.ranks * ceiling.threads));
  return absent;
}

std::vector<Ceiling> fit_sweep(const std::vector<const CeilingRow*>& rows, const NodeLevels& memory, const NodeFacts* node) {
  const CeilingRow& any = *rows.front();
  if (memory.found.levels.empty()) return {unavailable(any, "mem", memory.found.reason)};
  const std::vector<Point> points = points_of(rows);
  std::vector<Ceiling> levels;
  const std::vector<LevelWindow> windows = memory.windows(any.ranks, any.threads);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (any.pattern.ends_with("_nt") && windows[i].level->name != "mem") continue;  // around the caches
    levels.push_back(fit_level(points, windows[i], any, node));
    levels.back().topology_bytes = topology_size(node, levels.back());
    if (any.pattern == "load" && i + 1 < windows.size()) levels.back().edge = edge_of(points, windows[i], windows[i + 1]);
  }
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

std::vector<std::string> topology_disagreements(std::span<const Ceiling> ceilings, std::span<const NodeFacts> nodes) {
  std::vector<std::string> notes;
  for (const auto& node : nodes) {
    std::map<std::string, const Ceiling*> levels;  // of the smallest team
    for (const auto& c : ceilings)
      if (c.node == node.node && std::isfinite(c.confidence))
        if (const Ceiling*& known = levels[c.level]; known == nullptr || c.ranks * c.threads < known->ranks * known->threads) known = &c;
    if (levels.empty() || node.caches.empty()) continue;
    std::set<std::string> caches;
    for (const auto& cache : node.caches) {
      const std::string level = "L" + std::to_string(cache.level), says = node.node + ": topology has an " + level + " of ";
      caches.insert(level);
      const auto found = levels.find(level);
      if (found == levels.end())
        notes.push_back(says + in_words(static_cast<double>(cache.bytes)) + ", the sweeps show none");
      else if (const Ceiling& c = *found->second; !c.agrees_with_topology().value_or(true))
        notes.push_back(says + in_words(c.topology_bytes) + ", the sweeps show one of " + in_words(c.size_bytes));
    }
    for (const auto& [level, ceiling] : levels)
      if (level != "mem" && !caches.contains(level))
        notes.push_back(node.node + ": the sweeps show an " + level + " of " + in_words(ceiling->size_bytes) + ", topology has none");
  }
  return notes;
}

std::vector<Ceiling> fit_ceilings(std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes) {
  std::vector<Group> order;  // of first appearance
  std::map<Group, std::vector<const CeilingRow*>> groups;
  for (const auto& row : samples) {
    if (is_gpu_sample(row)) continue;
    if (row.level == CeilingKind::mpi || row.level == CeilingKind::link)
      continue;  // model/ceilings/mpi_ceilings.hpp, node_links.hpp: no roof of anything
    if (row.level == CeilingKind::choice) continue;
    auto& members = groups[group_of(row)];
    if (members.empty()) order.push_back(group_of(row));
    members.push_back(&row);
  }
  const auto memory = levels_of_nodes(samples);
  std::vector<Ceiling> ceilings;
  for (const auto& group : order)
    if (groups[group].front()->level != CeilingKind::sweep) ceilings.push_back(fit_best(groups[group]));
  for (const auto& group : order) {
    const auto& rows = groups[group];
    if (rows.front()->level != CeilingKind::sweep) continue;
    for (auto& level : fit_sweep(rows, memory.at(rows.front()->node), facts_of(nodes, rows.front()->node)))
      if (!is_there(ceilings, level)) ceilings.push_back(std::move(level));
  }
  name_forms(ceilings, contests_of(samples));
  for (auto& of_gpu : fit_gpu_ceilings(samples)) ceilings.push_back(std::move(of_gpu));
  return ceilings;
}

}  // namespace plumbline
