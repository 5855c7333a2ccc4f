#include "model/placement/projection.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "model/placement/shortfall.hpp"

namespace plumbline {
namespace {

std::string names_of(const NodeSpec& node) {
  std::string names;
  for (const auto& ceiling : node.ceilings) names += (names.empty() ? "" : ", ") + ceiling.name + " (" + ceiling.scope + ")";
  return names.empty() ? "none" : names;
}

const NodeCeiling& ceiling_of(const NodeSpec& node, const ApplicationGroup& group) {
  const auto found = std::find_if(node.ceilings.begin(), node.ceilings.end(),
                                  [&](const NodeCeiling& c) { return c.name == group.bound && c.scope == group.scope; });
  if (found == node.ceilings.end())
    throw user_error("group '" + group.name + "' is bound by '" + group.bound + "' of the " + group.scope + ", but '" + node.name +
                     "' has no such ceiling; it has: " + names_of(node));
  if (!(found->value > 0)) throw user_error("ceiling '" + found->name + "' of '" + node.name + "' is not a positive number");
  return *found;
}

/// Splits a ceiling's name, "compute fp64 mul+add", into fp64, "mul+add"; nullopt for other names.
std::optional<ArithmeticCeiling> arithmetic_of(const NodeCeiling& ceiling) {
  constexpr std::string_view head = "compute ";
  if (!ceiling.name.starts_with(head)) return std::nullopt;
  const std::string rest = ceiling.name.substr(head.size());
  const auto blank = rest.find(' ');
  return ArithmeticCeiling{.name = ceiling.method,
                           .precision = rest.substr(0, blank),
                           .pattern = blank == std::string::npos ? "" : rest.substr(blank + 1),
                           .gflops = ceiling.value};
}

/// Whether a bound is arithmetic of a precision, of no pattern by name.
bool is_of_any_pattern(const std::string& bound) {
  return bound.starts_with("compute") && std::count(bound.begin(), bound.end(), ' ') <= 1;
}

/// The roof of the group's mix; nullopt where arithmetic does not bound the group, or the node has no ceilings for its mix.
std::optional<NodeCeiling> roof_of_mix(const NodeSpec& node, const ApplicationGroup& group) {
  if (!is_of_any_pattern(group.bound)) return std::nullopt;
  const ComputeRoof roof = compute_roof(group.mix, arithmetic_ceilings(node, group.scope));
  if (!(roof.gflops > 0)) return std::nullopt;
  const auto who = roof.ceiling.substr(0, roof.ceiling.find(','));  // "plumbline, fma": which of its ceilings binds may differ
  return NodeCeiling{.name = group.bound, .value = roof.gflops, .unit = "GFLOP/s", .scope = group.scope, .method = who};
}

void warn(Projection& projection, const std::string& warning) {
  if (std::find(projection.warnings.begin(), projection.warnings.end(), warning) == projection.warnings.end())
    projection.warnings.push_back(warning);
}

/// Warns of groups whose time no ceiling explains.
void warn_of_unexplained(Projection& projection) {
  std::vector<std::string> names;
  for (const auto& one : projection.groups)
    if (!one.group.waits && one.group.percent_of_roof < explained_from) names.push_back("'" + one.group.name + "'");
  if (names.empty()) return;
  warn(projection, "no measured ceiling explains the time of " + names.front() +
                       (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "") + ", below " +
                       std::to_string(static_cast<int>(explained_from)) +
                       " % of the roof: how high the nearest one is on the other node says little of it");
}

/// Projects a group by (5) and (6): time scales inversely with the ceiling that bounds it.
ProjectedGroup project_group(const ApplicationGroup& group, const NodeSpec& source, const NodeSpec& target, Projection& projection) {
  const auto here = roof_of_mix(source, group), there = roof_of_mix(target, group);
  const bool by_mix = here && there;
  ProjectedGroup projected{.group = group,
                           .from = by_mix ? *here : ceiling_of(source, group),
                           .to = by_mix ? *there : ceiling_of(target, group),
                           .is_of_mix = by_mix};
  const NodeCeiling &from = projected.from, &to = projected.to;
  if (from.unit != to.unit)
    throw user_error("ceiling '" + from.name + "' is in " + from.unit + " for '" + source.name + "' and in " + to.unit + " for '" +
                     target.name + "'");
  projected.seconds = group.seconds * from.value / to.value;
  if (from.method != to.method)
    warn(projection, "the ceilings '" + from.name + "' (" + from.scope + ") come from different methods: " + source.name + " by " +
                         from.method + ", " + target.name + " by " + to.method + "; their ratio compares the methods too");
  return projected;
}

}  // namespace

std::vector<ArithmeticCeiling> arithmetic_ceilings(const NodeSpec& node, const std::string& scope) {
  std::vector<ArithmeticCeiling> all;
  for (const auto& one : node.ceilings)
    if (const auto rate = arithmetic_of(one); rate && one.scope == scope) all.push_back(*rate);
  const auto patterns = all;
  std::erase_if(all, [&](const ArithmeticCeiling& one) {
    return one.pattern.empty() && std::any_of(patterns.begin(), patterns.end(), [&](const auto& other) {
             return other.precision == one.precision && !other.pattern.empty() && other.gflops >= one.gflops;
           });
  });
  return all;
}

Projection project(const Application& application, const NodeSpec& source, const NodeSpec& target, Rest rest) {
  Projection projection{.source = source.name, .target = target.name, .rest = rest};
  double before = 0, after = 0;
  for (const auto& group : application.groups)
    projection.groups.push_back(group.waits ? ProjectedGroup{.group = group} : project_group(group, source, target, projection));
  warn_of_unexplained(projection);
  const double waiting =
      waiting_ratio(application.groups, [&](std::size_t i) { return projection.groups[i].seconds / application.groups[i].seconds; });
  for (auto& group : projection.groups) {
    if (group.group.waits) group.seconds = waiting * group.group.seconds;
    before += group.group.seconds;
    after += group.seconds;
  }
  projection.seconds_before = before + application.rest_seconds;
  projection.covered_fraction =
      std::isfinite(application.covered_fraction) ? application.covered_fraction : before / projection.seconds_before;
  projection.seconds = rest == Rest::scaled ? after / projection.covered_fraction : after + application.rest_seconds;
  projection.speedup = projection.seconds_before / projection.seconds;
  projection.measured_seconds = target.measured_seconds;
  projection.error_percent = 100 * (projection.seconds / target.measured_seconds - 1);
  return projection;
}

}  // namespace plumbline
