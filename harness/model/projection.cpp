#include "model/projection.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

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

void warn(Projection& projection, const std::string& warning) {
  if (std::find(projection.warnings.begin(), projection.warnings.end(), warning) == projection.warnings.end())
    projection.warnings.push_back(warning);
}

/// (5) and (6): time scales inversely with the ceiling that bounds it.
ProjectedGroup project_group(const ApplicationGroup& group, const NodeSpec& source, const NodeSpec& target, Projection& projection) {
  ProjectedGroup projected{.group = group, .from = ceiling_of(source, group), .to = ceiling_of(target, group)};
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

Projection project(const Application& application, const NodeSpec& source, const NodeSpec& target, Rest rest) {
  Projection projection{.source = source.name, .target = target.name, .rest = rest};
  double before = 0, after = 0;
  for (const auto& group : application.groups) {
    projection.groups.push_back(project_group(group, source, target, projection));
    before += group.seconds;
    after += projection.groups.back().seconds;
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
