#include "model/projecting/projected_program.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "model/projecting/moved_work.hpp"

namespace plumbline {
namespace {

struct GroupForecast {
  Forecast told = {};
  std::string flip = {}, reason = {};
};

bool is_counted(const ApplicationGroup& group) { return !group.bytes.empty() || !group.mix.empty(); }

/// A group that was not counted is known by its bound alone.
Forecast by_bandwidth(const ProjectedGroup& group, const std::string& kind, std::span<const RecordRow> record) {
  Forecast told;
  told.seconds[index_of(Method::bandwidth)] = group.seconds;
  const RecordClass learned = class_of(record, kind, kind + ", " + group.group.bound, [](const RecordRow&) { return true; });
  told.learned_from = learned.name;
  told.pairs = learned.rows.size();
  const double half =
      expected_scale(std::hypot(group.from.spread, group.to.spread), told.seconds) * error_quantile(learned, Method::bandwidth);
  told.lo[index_of(Method::bandwidth)] = group.seconds * std::exp(-half);
  told.hi[index_of(Method::bandwidth)] = group.seconds * std::exp(half);
  return told;
}

WorkPart part_of(const ApplicationGroup& group) {
  return {.name = group.name,
          .mix = group.mix,
          .scalar_part = group.scalar_part,
          .bytes = group.bytes,
          .working_set_bytes = group.working_set_bytes,
          .reuse = group.reuse,
          .launches = group.launches};
}

ProjectedPair pair_of_group(const ApplicationGroup& group, const std::string& program, const NodeSide& home, const NodeSide& target) {
  const TimedPart timed{.part = part_of(group),
                        .kernel = program,
                        .seconds = group.seconds,
                        .bound = group.bound.starts_with("compute") ? "compute" : group.bound};
  return pair_of(timed, home, target, 1);
}

/// Equations (5) and (6) know the group's bound by name: their time takes the place of the pair's.
void take_plain_seconds(Forecast& told, double seconds) {
  const double factor = seconds / told.seconds[index_of(Method::bandwidth)];
  told.seconds[index_of(Method::bandwidth)] = seconds;
  for (ByMethod* ends : {&told.lo, &told.hi}) (*ends)[index_of(Method::bandwidth)] *= factor;
}

GroupForecast forecast_group(const ProjectedGroup& group, const std::string& program, const NodeSide& home, const NodeSide& target,
                             const Overlaps& overlaps, std::span<const RecordRow> record) {
  const std::string kind = pair_kind(home, target);
  if (!is_counted(group.group))
    return {.told = by_bandwidth(group, kind, record), .reason = "no bytes and FLOPs of '" + group.group.name + "' are known"};
  try {
    const ProjectedPair pair = pair_of_group(group.group, program, home, target);
    GroupForecast all{.told = forecast(pair, overlaps, record, [&](const RecordRow& row) { return row.kernel != program; })};
    take_plain_seconds(all.told, group.seconds);
    if (pair.flips()) all.flip = group.group.name + ": " + pair.home_bound + " to " + pair.target_bound;
    return all;
  } catch (const Error& error) {  // by its bound alone it still can be told
    return {.told = by_bandwidth(group, kind, record), .reason = error.what()};
  }
}

/// Groups that wait take as much longer or shorter as what they wait for, by each method and at each end of its interval.
void tell_waiting(const std::vector<ApplicationGroup>& groups, std::vector<GroupForecast>& told) {
  for (ByMethod Forecast::*values : {&Forecast::seconds, &Forecast::lo, &Forecast::hi})
    for (std::size_t method = 0; method < method_count; ++method) {
      const double ratio = waiting_ratio(groups, [&](std::size_t i) { return (told[i].told.*values)[method] / groups[i].seconds; });
      for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i].waits) (told[i].told.*values)[method] = ratio * groups[i].seconds;
    }
}

/// Whether every ceiling is the same there: nothing is projected.
bool is_same_node(const Projection& plain) {
  return plain.source == plain.target &&
         std::ranges::all_of(plain.groups, [](const ProjectedGroup& one) { return one.group.waits || one.from.value == one.to.value; });
}

ProgramProjection sum_of(Method method, const Projection& plain, const std::vector<GroupForecast>& groups, double rest_seconds) {
  ProgramProjection sum{.method = method, .seconds = 0, .lo = 0, .hi = 0};
  double longest = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Forecast& told = groups[i].told;
    sum.seconds += told.seconds[index_of(method)];
    sum.lo += told.lo[index_of(method)];
    sum.hi += told.hi[index_of(method)];
    if (!groups[i].flip.empty()) sum.flips.push_back(groups[i].flip);
    if (plain.groups[i].group.waits || !(plain.groups[i].seconds > longest)) continue;
    longest = plain.groups[i].seconds;
    sum.learned_from = told.learned_from;
    sum.pairs = told.pairs;
  }
  for (double* value : {&sum.seconds, &sum.lo, &sum.hi})
    *value = plain.rest == Rest::scaled ? *value / plain.covered_fraction : *value + rest_seconds;
  const auto uncounted = std::ranges::find_if(groups, [](const auto& one) { return !one.reason.empty(); });
  if (is_same_node(plain)) {
    sum.lo = sum.hi = absent;
    sum.reason = "both sides are the same node";
  } else if (!std::isfinite(sum.seconds) && uncounted != groups.end())
    sum.reason = uncounted->reason + ": only bandwidth can be asked";
  else if (!std::isfinite(sum.lo))
    sum.reason = "the record has " + std::to_string(sum.pairs) + " pairs like this one; an interval needs " + std::to_string(least_pairs);
  return sum;
}

}  // namespace

NodeSide side_of_spec(const NodeSpec& spec, const std::string& scope) {
  constexpr std::string_view compute = "compute ", scalar = "scalar ";
  NodeSide side{.name = spec.name,
                .machine = spec.machine.empty() ? spec.name : spec.machine,
                .team = scope,
                .workers = scope == "node" && spec.cores > 0 ? spec.cores : 1,
                .launch_seconds = spec.launch_seconds};
  for (const auto& one : spec.ceilings) {
    if (one.scope != scope) continue;
    if (!one.name.starts_with(compute)) {
      if (one.name.find(' ') != one.name.npos) continue;  // a pattern of a level
      const double gbs = std::isfinite(one.traffic_gbs) ? one.traffic_gbs : one.value;
      side.levels.push_back({.name = one.name,
                             .gbs = gbs,
                             .size_bytes = one.size_bytes,
                             .room_bytes = one.room_bytes,
                             .ways = one.ways,
                             .spread = one.spread});
      continue;
    }
    const std::string rest = one.name.substr(compute.size());
    const auto blank = rest.find(' ');
    ArithmeticCeiling rate{one.method, rest.substr(0, blank), blank == rest.npos ? "" : rest.substr(blank + 1), one.value};
    if (rate.pattern.starts_with(scalar)) {
      rate.pattern.erase(0, scalar.size());
      side.scalar_rates.push_back(rate);
    } else {
      side.vector_rates.push_back(rate);
    }
  }
  // Where a precision has patterns, the one without is the best of them, and of no kind.
  const auto all = side.vector_rates;
  std::erase_if(side.vector_rates, [&](const auto& rate) {
    return rate.pattern.empty() &&
           std::ranges::any_of(all, [&](const auto& other) { return other.precision == rate.precision && !other.pattern.empty(); });
  });
  std::ranges::sort(side.levels, [](const SideLevel& a, const SideLevel& b) {
    return (a.name == "mem") < (b.name == "mem") || ((a.name == "mem") == (b.name == "mem") && a.name < b.name);
  });
  return side;
}

namespace {

/// The levels whose bytes cost nothing on the target: it has no roof of them, nor of one farther out that some of them cross, too.
std::vector<std::string> without_roof(const WorkPart& part, const NodeSide& home, const NodeSide& target) {
  std::vector<std::string> found;
  for (const auto& [name, bytes] : part.bytes) {
    if (!(bytes > 0) || level_named(target, name) != nullptr) continue;
    const auto here = std::ranges::find(home.levels, name, &SideLevel::name);
    const bool is_told_farther_out = std::any_of(here, home.levels.end(), [&](const SideLevel& level) {
      const auto more = part.bytes.find(level.name);
      return more != part.bytes.end() && more->second > 0 && level_named(target, level.name) != nullptr;
    });
    if (!is_told_farther_out) found.push_back(name);
  }
  return found;
}

}  // namespace

GroupBytes group_bytes(const ApplicationGroup& group, const NodeSpec& source, const NodeSpec& target) {
  if (group.bytes.empty() || group.waits) return {};
  const WorkPart part = part_of(group);
  const NodeSide here = side_of_spec(source, group.scope), there = side_of_spec(target, group.scope);
  const MovedWork moved = moved_work(part, here, there);
  GroupBytes bytes{.by = moved.by,
                   .bytes = moved.part.bytes,
                   .moved = moved.moved,
                   .conflicts = conflicts_on(part, there),
                   .without_roof = without_roof(moved.part, here, there)};
  for (const auto& level : there.levels) {
    if (!part.reuse || level.name == "mem") continue;
    if (!std::isfinite(level.size_bytes) && !std::isfinite(level.room_bytes))
      bytes.unknown_sizes.push_back(level.name);
    else if (level.ways <= 0)
      bytes.unknown_sets.push_back(level.name);
  }
  std::erase_if(bytes.bytes, [&](const auto& one) { return level_named(there, one.first) == nullptr; });
  return bytes;
}

std::vector<ProgramProjection> project_program(const Projection& plain, const Application& application, const NodeSpec& source,
                                               const NodeSpec& target, const Overlaps& overlaps, std::span<const RecordRow> record) {
  std::vector<GroupForecast> groups;
  for (const auto& group : plain.groups)
    groups.push_back(group.group.waits ? GroupForecast{}
                                       : forecast_group(group, application.name, side_of_spec(source, group.group.scope),
                                                        side_of_spec(target, group.group.scope), overlaps, record));
  tell_waiting(application.groups, groups);
  std::vector<ProgramProjection> all;
  for (std::size_t i = 0; i < method_count; ++i) all.push_back(sum_of(static_cast<Method>(i), plain, groups, application.rest_seconds));
  return all;
}

}  // namespace plumbline
