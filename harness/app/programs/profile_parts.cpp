#include "app/programs/profile_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "app/programs/profile_columns.hpp"
#include "app/programs/profile_rows.hpp"
#include "app/terminal/table.hpp"
#include "model/placement/node_ceilings.hpp"
#include "profile/runtime_libraries.hpp"

namespace plumbline::app {
namespace {

std::string name_of(const ProfileRow& row) {
  const std::string file = std::filesystem::path(row.object).filename().string();
  return file.empty() ? row.name : fmt::format("{} ({})", row.name, file);
}

/// Functions of one sort, with the time of all.
struct LeftOut {
  std::size_t functions = 0;
  double seconds = 0;
  void add(const ProfileRow& row) { ++functions, seconds += row.seconds; }
  std::string text(double scale, bool of_gpu, const std::string& why) const {
    return fmt::format("of the rest: {} {}{} with {}, {}", functions, of_gpu ? "kernel" : "function", functions == 1 ? "" : "s",
                       duration(scale * seconds), why);
  }
};

/// Functions of libraries at which a program waits. Most of that is beside what others do meanwhile, and takes no time of its own.
struct Waiting {
  std::size_t functions = 0;
  double seconds = 0;  // of all, by themselves
  std::set<std::string> libraries = {};

  void add(const ProfileRow& row) {
    ++functions, seconds += row.seconds;
    libraries.insert(std::filesystem::path(row.object).filename().string());
  }
};

/// The group of what waits, `own_seconds` of it beside nothing that works.
ApplicationGroup waiting_group(const Waiting& waiting, double own_seconds) {
  return {
      .name = fmt::format("waiting ({})", fmt::join(waiting.libraries, ", ")), .seconds = own_seconds, .bound = "others", .waits = true};
}

std::string waiting_note(const Waiting& waiting, double own_seconds, const std::vector<ApplicationGroup>& groups) {
  constexpr std::size_t most_names = 3;
  double idle = 0;
  for (const auto& one : groups) idle += one.idle_core_seconds;
  std::vector<const ApplicationGroup*> longest;
  for (const auto& one : groups)
    if (one.idle_core_seconds > 0) longest.push_back(&one);
  std::ranges::sort(longest, std::greater{}, &ApplicationGroup::idle_core_seconds);
  std::string beside;
  for (std::size_t i = 0; i < std::min(most_names, longest.size()); ++i)
    beside += fmt::format("{}{} {:.0f} %", i == 0 ? ", by where cores idle: " : ", ", longest[i]->name,
                          100 * longest[i]->idle_core_seconds / idle);
  const double hidden = waiting.seconds - own_seconds;
  return fmt::format(
      "waiting for other threads or ranks: {} function{} of {}, {}{}; it takes as much longer or shorter there as what it waits for{}",
      waiting.functions, waiting.functions == 1 ? "" : "s", fmt::join(waiting.libraries, ", "), duration(waiting.seconds),
      hidden > 0 ? fmt::format(", of which {} lies beside what others do and takes no time of its own", duration(hidden)) : "", beside);
}

}  // namespace

Application application_of(std::span<const ProfileRow> profile, std::span<const RooflinePlacement> placements, const std::string& node,
                           std::vector<std::string>& notes) {
  std::map<std::string, ApplicationGroup> by_case;
  for (auto& group : groups_of(placements, node)) by_case[group.name] = group;
  Application application{.name = "the program"};
  LeftOut uncounted, unbound, few;
  Waiting waiting;
  bool of_gpu = false;
  double whole = absent, met = 0, team = 1;
  for (const auto& row : profile)
    if (row.kind == "function" && row.cores > team) team = row.cores;
  for (const auto& row : profile) {
    if (row.kind == "total") whole = std::isfinite(row.wall_seconds) ? row.wall_seconds : row.seconds;
    if ((row.kind != "function" && row.kind != "kernel") || !(row.seconds > 0)) continue;
    of_gpu = of_gpu || row.kind == "kernel";
    if (is_for_waiting(row.object)) {
      waiting.add(row);
      continue;
    }
    met += row.seconds;
    if (row.samples < fewest_samples) {
      few.add(row);
      continue;
    }
    const auto found = by_case.find(row.case_id);
    if (found == by_case.end()) {
      (std::isfinite(row.flops) ? unbound : uncounted).add(row);
      continue;
    }
    found->second.name = name_of(row);
    // Rows are of all nodes, cases of one, the mean.
    const double of_node = found->second.bytes.contains("L1") ? found->second.bytes["L1"] / level_bytes(row, "L1") : 1;
    found->second.reuse = part_reuse_of(row, std::isfinite(of_node) ? of_node : 1);
    found->second.idle_core_seconds = std::max(0.0, team * row.seconds - row.cpu_seconds);
    application.groups.push_back(found->second);
  }
  const double scale = std::isfinite(whole) && met > whole ? whole / met : 1;
  double grouped = 0;
  if (waiting.functions > 0) {
    const double left = std::isfinite(whole) ? std::max(0.0, whole - scale * met) : waiting.seconds;
    const double own = std::min(waiting.seconds, left);
    notes.push_back(waiting_note(waiting, own, application.groups));
    if (own > 0 && !application.groups.empty()) application.groups.push_back(waiting_group(waiting, own)), met += own;
  }
  for (auto& group : application.groups) grouped += group.seconds *= scale;
  application.rest_seconds = std::isfinite(whole) ? std::max(0.0, whole - grouped) : scale * (met - grouped);
  if (scale < 1)
    notes.push_back(fmt::format("{} ran beside each other, {} together in {} from start to end: each has its part of that",
                                of_gpu ? "kernels" : "functions", duration(met), duration(whole)));
  if (uncounted.functions > 0) notes.push_back(uncounted.text(scale, of_gpu, "not counted"));
  if (few.functions > 0) notes.push_back(few.text(scale, of_gpu, fmt::format("each met by fewer than {} samples", fewest_samples)));
  if (unbound.functions > 0) notes.push_back(unbound.text(scale, of_gpu, "without a bound"));
  if (std::isfinite(whole) && whole > scale * met)
    notes.push_back(
        fmt::format("of the rest: {1} of {0} from start to end {2}", duration(whole), duration(whole - scale * met),
                    of_gpu ? "in which no kernel ran: the host, copies, starting" : "that no sample met: the system, waiting, starting"));
  return application;
}

}  // namespace plumbline::app
