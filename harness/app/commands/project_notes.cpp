#include "app/commands/project_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/terminal/columns.hpp"

namespace plumbline::app {
namespace {

/// Methods beside `bandwidth` reckon with all amounts.
bool asks_beyond_bandwidth(const TargetProjections& target) {
  return std::ranges::any_of(target.told, [](const auto& one) { return one.told.method != Method::bandwidth; });
}

/// Says which bytes the methods that reckon with all levels leave out, since the target has no ceiling of them.
void note_missing_roofs(const TargetProjections& target, std::vector<std::string>& notes) {
  if (!asks_beyond_bandwidth(target)) return;
  std::map<std::string, std::vector<std::string>> groups;  // by level
  for (const auto& one : target.plain.groups)
    for (const auto& level : one.there.without_roof) groups[level].push_back(one.group.name);
  for (const auto& [level, names] : groups)
    notes.push_back(fmt::format("{} has no ceiling '{}': what crosses there in {}{} is taken to cost nothing", target.plain.target, level,
                                names.front(), names.size() > 1 ? fmt::format(" and {} more groups", names.size() - 1) : ""));
}

/// Says how the bytes on the target are known, where some of them were placed anew.
void note_bytes(const Projection& plain, std::vector<std::string>& notes) {
  const auto placed = std::ranges::count_if(plain.groups, [](const auto& one) { return one.there.by == BytesBy::reuse; });
  const auto all = std::ranges::count_if(plain.groups, [](const auto& one) { return !one.group.waits; });
  if (placed == 0) return;
  std::set<std::string> conflicts, sizes, sets;
  for (const auto& one : plain.groups) {
    if (!one.there.conflicts.empty()) conflicts.insert(fmt::format("{} ({})", one.group.name, fmt::join(one.there.conflicts, ", ")));
    sizes.insert(one.there.unknown_sizes.begin(), one.there.unknown_sizes.end());
    sets.insert(one.there.unknown_sets.begin(), one.there.unknown_sets.end());
  }
  notes.push_back(fmt::format("bytes on {}: placed on its caches from reuse distances for {} of {} groups{}", plain.target, placed, all,
                              placed < all ? "; of the others distances were not counted" : ""));
  for (const auto& one : conflicts)
    notes.push_back(
        fmt::format("lines fall into few sets at a time on {} in {}: conflicts may add to what crosses below", plain.target, one));
  if (!sizes.empty())
    notes.push_back(fmt::format("{} does not say how large its {} is (size_bytes): what crosses behind it is taken to be as much as here",
                                plain.target, fmt::join(sizes, ", ")));
  if (!sets.empty())
    notes.push_back(
        fmt::format("{} does not say how many ways its {} has (ways): conflicts there are not told", plain.target, fmt::join(sets, ", ")));
}

}  // namespace

void note_unsaid(const TargetProjections& told, const Application& application, const NodeSpec& source, const NodeSpec& target,
                 std::vector<std::string>& notes) {
  if (!asks_beyond_bandwidth(told)) return;
  const auto any = [&](auto is) { return std::ranges::any_of(application.groups, is); };
  for (const auto* side : {&source, &target}) {
    const auto& other = side == &source ? target : source;
    if (!(side->cores > 0) && other.cores > 0 && any([](const auto& one) { return one.scope == "node"; }))
      notes.push_back(
          fmt::format("{} does not say how many cores it has (cores): what no ceiling explains is taken to take as long on {} as on {}",
                      side->name, target.name, source.name));
    const bool tells_instructions = side->issue_width > 0 && std::ranges::any_of(side->ceilings, [](const NodeCeiling& one) {
                                      return one.scope != "gpu" && one.name.starts_with("compute") && one.clock_hz > 0;
                                    });
    if (!tells_instructions && any([](const auto& one) { return one.scope != "gpu" && std::isfinite(one.instructions); }))
      notes.push_back(fmt::format(
          "{} does not say how many instructions its cores take up (issue_width, and clock_hz of a compute ceiling): these bound nothing",
          side->name));
    if (!(side->launch_seconds > 0) && any([](const auto& one) { return one.launches > 0; }))
      notes.push_back(
          fmt::format("{} does not say how long a launch takes (launch_seconds): launches are taken to cost nothing there", side->name));
  }
}

void note_doubts(const TargetProjections& told, const Application& application, const NodeSpec& source, std::vector<std::string>& notes) {
  if (!asks_beyond_bandwidth(told)) return;
  for (const auto& one : doubtful_amounts(application, source)) {
    const std::string amounts = one.term == "compute"          ? "FLOPs"
                                : one.term == "launch"         ? "launches"
                                : is_of_instructions(one.term) ? "instructions"
                                                               : "bytes across " + one.term;
    const std::string least = fmt::format("its {} alone take {} by the ceiling of {}", amounts, duration(one.term_seconds), source.name);
    if (!one.bound.empty())
      notes.push_back(fmt::format("'{}' is bound by {}, as it says, but {}, which is longer", one.group, one.bound, least));
    else if (one.term_seconds > one.seconds)
      notes.push_back(fmt::format("'{}' took {}, but {}: the amounts are too large, or the ceiling is too low", one.group,
                                  duration(one.seconds), least));
    else
      notes.push_back(fmt::format("'{}' took {}, but {}, and the others no longer: are these all its bytes and FLOPs, in bytes and FLOPs?",
                                  one.group, duration(one.seconds), least));
  }
}

void add_projection_notes(const std::vector<TargetProjections>& targets, std::vector<std::string>& notes) {
  for (const auto& target : targets)
    for (const auto& warning : target.plain.warnings) notes.push_back("warning: " + warning);
  const Projection& first = targets.front().plain;
  const auto of_mix = [](const ProjectedGroup& group) { return group.is_of_mix; };
  if (std::any_of(first.groups.begin(), first.groups.end(), of_mix))
    notes.emplace_back("what arithmetic bounds goes by the roof of its own FMAs, sums and products on either side");
  for (const auto& target : targets)
    if (!target.told.front().told.flips.empty())
      notes.push_back(
          fmt::format("bound by another ceiling on {}: {}", target.plain.target, fmt::join(target.told.front().told.flips, "; ")));
  for (const auto& target : targets) note_missing_roofs(target, notes), note_bytes(target.plain, notes);
  notes.push_back(rest_in_words(first));
}

}  // namespace plumbline::app
