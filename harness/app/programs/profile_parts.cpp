#include "app/programs/profile_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "app/programs/profile_columns.hpp"
#include "app/terminal/table.hpp"
#include "model/placement/node_ceilings.hpp"

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

}  // namespace

Application application_of(std::span<const ProfileRow> profile, std::span<const RooflinePlacement> placements, const std::string& node,
                           std::vector<std::string>& notes) {
  std::map<std::string, ApplicationGroup> by_case;
  for (auto& group : groups_of(placements, node)) by_case[group.name] = group;
  Application application{.name = "the program"};
  LeftOut uncounted, unbound, few;
  double whole = absent, met = 0;
  bool of_gpu = false;
  for (const auto& row : profile) {
    if (row.kind == "total") whole = std::isfinite(row.wall_seconds) ? row.wall_seconds : row.seconds;
    if ((row.kind != "function" && row.kind != "kernel") || !(row.seconds > 0)) continue;
    of_gpu = of_gpu || row.kind == "kernel";
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
    application.groups.push_back(found->second);
  }
  const double scale = std::isfinite(whole) && met > whole ? whole / met : 1;
  double grouped = 0;
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
