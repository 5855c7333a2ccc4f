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

bool is_counted(const ApplicationGroup& group) { return !group.bytes.empty() || !group.mix.empty() || std::isfinite(group.instructions); }

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
          .instructions = group.instructions,
          .core_cycles = group.core_cycles,
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

/// Equations (5) and (6) know the group's bound by name: their time takes the place of the pair's, which has none where no amount of what
/// binds is known.
void take_plain_seconds(Forecast& told, const ProjectedGroup& group, const std::string& kind, std::span<const RecordRow> record) {
  constexpr std::size_t bandwidth = index_of(Method::bandwidth);
  const Forecast plain = std::isfinite(told.seconds[bandwidth]) ? told : by_bandwidth(group, kind, record);
  const double factor = group.seconds / plain.seconds[bandwidth];
  told.seconds[bandwidth] = group.seconds;
  told.lo[bandwidth] = factor * plain.lo[bandwidth];
  told.hi[bandwidth] = factor * plain.hi[bandwidth];
}

GroupForecast forecast_group(const ProjectedGroup& group, const std::string& program, const NodeSide& home, const NodeSide& target,
                             const Overlaps& overlaps, std::span<const RecordRow> record) {
  const std::string kind = pair_kind(home, target);
  if (!is_counted(group.group))
    return {.told = by_bandwidth(group, kind, record), .reason = "no bytes and FLOPs of '" + group.group.name + "' are known"};
  try {
    const ProjectedPair pair = pair_of_group(group.group, program, home, target);
    GroupForecast all{.told = forecast(pair, overlaps, record, [&](const RecordRow& row) { return row.kernel != program; })};
    take_plain_seconds(all.told, group, kind, record);
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

bool is_equal(double one, double other) { return one == other || (!std::isfinite(one) && !std::isfinite(other)); }

/// Whether everything that is known of both nodes is the same: nothing is projected.
bool is_same_node(const NodeSpec& one, const NodeSpec& other) {
  return one.machine == other.machine && is_equal(one.cores, other.cores) && is_equal(one.launch_seconds, other.launch_seconds) &&
         is_equal(one.issue_width, other.issue_width) &&
         std::ranges::equal(one.ceilings, other.ceilings, [](const NodeCeiling& a, const NodeCeiling& b) {
           return a.name == b.name && a.scope == b.scope && a.value == b.value && is_equal(a.size_bytes, b.size_bytes) &&
                  is_equal(a.clock_hz, b.clock_hz);
         });
}

/// The ceilings of one scope as a side.
NodeSide side_of_spec(const NodeSpec& spec, const std::string& scope) {
  NodeSide side{.name = spec.name,
                .machine = spec.machine.empty() ? spec.name : spec.machine,
                .team = scope,
                .workers = scope == "node" && spec.cores > 0 ? spec.cores : 1,
                .launch_seconds = spec.launch_seconds};
  for (const auto& one : spec.ceilings) {
    if (one.scope != scope || one.name.find(' ') != one.name.npos) continue;  // arithmetic, or a pattern of a level
    const double gbs = std::isfinite(one.traffic_gbs) ? one.traffic_gbs : one.value;
    side.levels.push_back({.name = one.name,
                           .gbs = gbs,
                           .size_bytes = one.size_bytes,
                           .room_bytes = one.room_bytes,
                           .ways = one.ways,
                           .edge = one.edge,
                           .spread = one.spread});
  }
  constexpr std::string_view scalar = "scalar ";
  const bool are_cores_known = scope == "core" || (scope == "node" && spec.cores > 0);
  const auto clocked = std::ranges::find_if(
      spec.ceilings, [&](const NodeCeiling& one) { return one.scope == scope && one.name.starts_with("compute") && one.clock_hz > 0; });
  if (are_cores_known && clocked != spec.ceilings.end()) {
    side.clock_hz = clocked->clock_hz;
    side.core_cycles_per_second = side.clock_hz * side.workers;
    side.instructions_per_second = spec.issue_width * side.core_cycles_per_second;
  }
  for (ArithmeticCeiling& rate : arithmetic_ceilings(spec, scope)) {
    const bool is_scalar = rate.pattern.starts_with(scalar);
    if (is_scalar) rate.pattern.erase(0, scalar.size());
    (is_scalar ? side.scalar_rates : side.vector_rates).push_back(std::move(rate));
  }
  std::ranges::sort(side.levels, [](const SideLevel& a, const SideLevel& b) {
    return (a.name == "mem") < (b.name == "mem") || ((a.name == "mem") == (b.name == "mem") && a.name < b.name);
  });
  return side;
}

struct Sides {
  NodeSide home = {}, target = {};
};

/// The ceilings of one scope of both nodes. Where one of them does not say how many cores it has, neither is taken to have more.
Sides sides_of(const NodeSpec& source, const NodeSpec& target, const std::string& scope) {
  Sides both{side_of_spec(source, scope), side_of_spec(target, scope)};
  if (scope == "node" && (!(source.cores > 0) || !(target.cores > 0)))
    for (NodeSide* side : {&both.home, &both.target})
      side->workers = 1, side->instructions_per_second = side->core_cycles_per_second = absent;
  return both;
}

/// Says why there is no interval: of a record that knows of the program itself alone nothing is learned, either.
std::string no_interval(const ProgramProjection& sum, const std::string& program, std::span<const RecordRow> record) {
  const auto own = std::ranges::count(record, program, &RecordRow::kernel);
  return "the record has " + std::to_string(sum.pairs) + " pairs like this one" +
         (own > 0 ? " beside " + std::to_string(own) + " of this very program, from which its interval never comes" : "") +
         "; an interval needs " + std::to_string(least_pairs);
}

ProgramProjection sum_of(Method method, const Projection& plain, const std::vector<GroupForecast>& groups, double rest_seconds) {
  ProgramProjection sum{.method = method, .seconds = 0, .lo = 0, .hi = 0};
  double longest = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Forecast& told = groups[i].told;
    sum.group_seconds.push_back(told.seconds[index_of(method)]);
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
  if (!std::isfinite(sum.seconds) && uncounted != groups.end()) sum.reason = uncounted->reason + ": only bandwidth can be asked";
  return sum;
}

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
  const auto [here, there] = sides_of(source, target, group.scope);
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
  for (const auto& group : plain.groups) {
    const auto [here, there] = sides_of(source, target, group.group.scope);
    groups.push_back(group.group.waits ? GroupForecast{} : forecast_group(group, application.name, here, there, overlaps, record));
  }
  tell_waiting(application.groups, groups);
  std::vector<ProgramProjection> all;
  for (std::size_t i = 0; i < method_count; ++i) {
    ProgramProjection& sum = all.emplace_back(sum_of(static_cast<Method>(i), plain, groups, application.rest_seconds));
    if (is_same_node(source, target)) {
      sum.lo = sum.hi = absent;
      sum.reason = "both sides are the same node";
    } else if (sum.reason.empty() && !std::isfinite(sum.lo)) {
      sum.reason = no_interval(sum, application.name, record);
    }
  }
  return all;
}

std::vector<AmountDoubt> doubtful_amounts(const Application& application, const NodeSpec& source) {
  constexpr double too_long = 1.5, too_little = 0.01, clearly = 2;  // ceilings are measured, and a bound may be a close call
  std::vector<AmountDoubt> doubts;
  for (const auto& group : application.groups) {
    if (group.waits || !is_counted(group)) continue;
    try {
      NodeSide home = side_of_spec(source, group.scope);
      home.core_cycles_per_second = absent;                              // these nobody writes by hand
      if (std::isfinite(group.instructions)) home.scalar_rates.clear();  // as where it is projected by these
      const auto terms = roof_terms(moved_work(part_of(group), home, home).part, home);
      const auto longest = std::ranges::max_element(terms, {}, &RoofTerm::seconds);
      if (longest == terms.end()) continue;
      // A bound names a ceiling, and how many instructions a core takes up is none.
      const auto roof =
          std::ranges::max_element(terms, {}, [](const RoofTerm& term) { return is_of_instructions(term.name) ? 0 : term.seconds; });
      const auto said = std::ranges::find(terms, group.bound.starts_with("compute") ? "compute" : group.bound, &RoofTerm::name);
      const bool is_other = said != terms.end() && clearly * said->seconds < roof->seconds;
      const RoofTerm& doubted = is_other ? *roof : *longest;
      const AmountDoubt doubt{group.name, doubted.name, doubted.seconds, group.seconds, is_other ? group.bound : ""};
      if (is_other || longest->seconds > too_long * group.seconds || longest->seconds < too_little * group.seconds) doubts.push_back(doubt);
    } catch (const Error&) {  // what the source lacks is told where it is asked for
    }
  }
  return doubts;
}

}  // namespace plumbline
