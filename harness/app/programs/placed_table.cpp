#include "app/programs/placed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/programs/profile_columns.hpp"
#include "app/results/show_cells.hpp"
#include "app/terminal/shell_words.hpp"

namespace plumbline::app {
namespace {

/// The function's FMAs over its floating-point instructions of that kind, sums and products; absent where it has none.
double fma_part(const EventSums& counts) {
  double fmas = 0, all = 0;
  for (const auto& [event, sum] : counts)
    for (const char* kind : {".add", ".mul", ".fma"})
      if (event.starts_with("flops.") && event.ends_with(kind)) {
        all += static_cast<double>(sum.value_or(0));
        if (std::string_view(kind) == ".fma") fmas += static_cast<double>(sum.value_or(0));
      }
  return all > 0 ? fmas / all : absent;
}

std::vector<PlacedRow> placed_functions(const PlacedProgram& placed) {
  const TimedProfile& profile = placed.program.profile;
  std::vector<PlacedRow> rows;
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    const TimedFunction& function = profile.functions[i];
    rows.push_back({.name = function.name,
                    .object = function.object,
                    .share = share_of(function.samples, profile.samples),
                    .cpu_seconds = function.cpu_seconds,
                    .imbalance = function.cpu_seconds > 0 ? function.longest_seconds * function.threads / function.cpu_seconds : absent,
                    .fma_part = function.counts ? fma_part(*function.counts) : absent,
                    .at = &placed.placements[i + 1],
                    .counts = function.counts.value_or(EventSums{})});
  }
  return rows;
}

PlacedRow placed_whole(const PlacedProgram& placed) {
  const ProfiledProgram& program = placed.program;
  return {.name = program.name,
          .share = {1, 1, 1},
          .cpu_seconds = program.ending.user_seconds,
          .fma_part = fma_part(program.total),
          .at = &placed.placements.front(),
          .counts = program.total};
}

std::string head_text(const PlacedProgram& placed) {
  const ProfiledProgram& program = placed.program;
  const auto& ending = program.ending;
  return fmt::format(
      "Profiled: {}\n  natively {} from start to end, CPU time {} in user mode and {} in the system; {} samples, {} thread{} at work\n"
      "  counted by the emulator: {} FLOPs, {} process{}{}\n",
      command_line(placed.counted.command), duration(ending.wall_seconds), duration(ending.user_seconds), duration(ending.system_seconds),
      program.profile.samples, program.profile.threads, program.profile.threads == 1 ? "" : "s", whole_text(flops(program.total)),
      placed.counted.profile.processes, placed.counted.profile.processes == 1 ? "" : "es",
      placed.counted.caches.empty() ? "" : "; caches of " + placed.counted.caches);
}

/// The functions that take most of the time, and what else the roofline knows of each: where to begin.
std::string remarks_text(const PlacedProgram& placed) {
  constexpr std::size_t most = 3;
  constexpr double least_part = 0.05;
  std::string text;
  const auto& functions = placed.program.profile.functions;
  for (std::size_t i = 0; i < std::min(most, functions.size()); ++i) {
    const double part = share_of(functions[i].samples, placed.program.profile.samples).part;
    const RooflinePlacement& at = placed.placements[i + 1];
    if (part < least_part || at.bound.empty()) continue;
    text += fmt::format("{}: {:.0f} % of the time; {} bounds it, at {} of that roof", shortened(functions[i].name), 100 * part,
                        at.bound_ceiling, percent_of_roof_cell(at));
    for (const auto& remark : case_remarks({at})) text += "; " + remark;
    text += "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string placed_text(const PlacedProgram& placed) {
  std::vector<PlacedRow> rows = placed_functions(placed);
  const std::size_t all = rows.size();
  std::erase_if(rows, [](const PlacedRow& row) { return row.cpu_seconds == 0; });
  rows.resize(std::min(rows.size(), placed.counted.functions));
  std::string text = "\n" + head_text(placed);
  if (!rows.empty()) text += "\n" + aligned(placed_columns("function"), rows);
  if (rows.size() < all) text += fmt::format("({} more functions: -o FILE has them all)\n", all - rows.size());
  text += remarks_text(placed);
  for (const auto& note : placed.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string placed_json(const PlacedProgram& placed, const std::string& file) {
  Json rows = Json::array();
  rows.push_back(row_json(placed_columns("total"), placed_whole(placed)));
  for (const auto& row : placed_functions(placed)) rows.push_back(row_json(placed_columns("function"), row));
  add_other_rows(placed.counted, rows);
  return profile_document(file, rows, placed.notes, placed.counted.command, placed.counted.caches);
}

Json placed_row_schemas() { return {row_schema(placed_columns("total")), row_schema(placed_columns("function"))}; }

}  // namespace plumbline::app
