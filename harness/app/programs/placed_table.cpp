#include "app/programs/placed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

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

PlacedRow placed_row(const TimedCode& code, const PlacedProgram& placed, const RooflinePlacement& at) {
  const double cores = code.cores();
  return {.samples = code.sum.samples,
          .share = share_of(code.sum.samples, placed.program.profile.whole.sum.samples),
          .cpu_seconds = code.cpu_seconds,
          .imbalance = code.cpu_seconds > 0 ? std::max(1.0, code.seconds * cores / code.cpu_seconds) : absent,
          .fma_part = code.counts ? fma_part(*code.counts) : absent,
          .at = &at,
          .counts = code.counts.value_or(EventSums{})};
}

std::vector<PlacedRow> placed_functions(const PlacedProgram& placed) {
  const TimedProfile& profile = placed.program.profile;
  std::vector<PlacedRow> rows;
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    const TimedFunction& function = profile.functions[i];
    PlacedRow& row = rows.emplace_back(placed_row(function, placed, placed.placements[i + 1]));
    row.name = function.name, row.object = function.object;
  }
  return rows;
}

/// The loops of each function, in the order of functions.
std::vector<std::vector<PlacedRow>> placed_loops(const PlacedProgram& placed) {
  std::vector<std::vector<PlacedRow>> rows;
  std::size_t number = 0;
  for (const TimedFunction& function : placed.program.profile.functions) {
    rows.emplace_back();
    for (const TimedLoop& loop : function.loops) {
      PlacedRow& row = rows.back().emplace_back(placed_row(loop, placed, placed.loops.placements[number++]));
      row.name = loop.line, row.object = function.object, row.function = function.name;
    }
  }
  return rows;
}

/// The functions, each with those of its loops below it that take much of all time.
std::vector<PlacedRow> with_loops(const std::vector<PlacedRow>& functions, const PlacedProgram& placed) {
  constexpr double least_part = 0.05;
  const auto loops = placed_loops(placed);
  std::vector<PlacedRow> rows;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    rows.push_back(functions[i]);
    for (const PlacedRow& loop : loops[i])
      if (loop.samples >= fewest_samples && loop.share.part >= least_part) rows.push_back(loop);
  }
  return rows;
}

PlacedRow placed_whole(const PlacedProgram& placed) {
  const ProfiledProgram& program = placed.program;
  return {.name = program.name,
          .samples = program.profile.whole.sum.samples,
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
      "Profiled: {}\n  natively {} from start to end, CPU time {} in user mode and {} in the system; {} samples, {} core{} at work at "
      "once\n"
      "  {}\n",
      command_line(placed.counted.command), duration(ending.wall_seconds), duration(ending.user_seconds), duration(ending.system_seconds),
      program.profile.whole.sum.samples, program.profile.whole.cores(), program.profile.whole.cores() == 1 ? "" : "s",
      program.why_not_joined.empty() ? fmt::format("counted by the emulator: {} FLOPs, {} process{}{}", whole_text(flops(program.total)),
                                                   placed.counted.profile.processes, placed.counted.profile.processes == 1 ? "" : "es",
                                                   placed.counted.caches.empty() ? "" : "; caches of " + placed.counted.caches)
                                     : "times alone: " + program.why_not_joined);
}

/// The functions that take most of the time, and what else the roofline knows of each: where to begin.
std::string remarks_text(const PlacedProgram& placed) {
  constexpr std::size_t most = 3;
  constexpr double least_part = 0.05;
  std::string text;
  const auto& functions = placed.program.profile.functions;
  for (std::size_t i = 0; i < std::min(most, functions.size()); ++i) {
    const double part = share_of(functions[i].sum.samples, placed.program.profile.whole.sum.samples).part;
    const RooflinePlacement& at = placed.placements[i + 1];
    if (part < least_part || at.bound.empty() || functions[i].sum.samples < fewest_samples || waits_for_threads(functions[i])) continue;
    text += fmt::format("{}: {:.0f} % of the time; {} bounds it, at {} of that roof", shortened(functions[i].name), 100 * part,
                        at.bound_ceiling, percent_of_roof_cell(at));
    for (const auto& remark : case_remarks({at})) text += "; " + remark;
    text += "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

/// The functions with much of the arithmetic that no sample met: where libraries choose code by the CPU, what was counted has another name
/// than what took the time.
std::string unmet_text(const PlacedProgram& placed) {
  constexpr double much = 0.01;
  constexpr std::size_t most = 3;
  std::string text;
  const double all = flops(placed.program.total).value_or(0);
  std::size_t told = 0;
  for (const TimedFunction& function : placed.program.profile.functions)
    if (const double own = function.counts ? flops(*function.counts).value_or(0) : 0;
        function.sum.samples == 0 && own > much * all && told++ < most)
      text += fmt::format("{}{}, {} FLOPs", text.empty() ? "" : "; ", shortened(function.name), whole_text(own));
  return text.empty() ? "" : wrapped("counted, but not met in time: " + text, 130, "") + "\n";
}

}  // namespace

bool waits_for_threads(const TimedFunction& function) {
  const std::string file = std::filesystem::path(function.object).filename().string();
  return file.starts_with("libgomp") || file.starts_with("libiomp") || file.starts_with("libomp");
}

std::string placed_text(const PlacedProgram& placed) {
  std::vector<PlacedRow> rows = placed_functions(placed);
  std::erase_if(rows, [](const PlacedRow& row) { return row.samples == 0; });
  const std::size_t met = rows.size();
  rows.resize(std::min(met, placed.counted.functions));
  std::string text = "\n" + head_text(placed);
  if (!rows.empty()) text += "\n" + aligned(placed_columns("function"), with_loops(rows, placed));
  if (rows.size() < met) text += fmt::format("(functions with less time: {}; --functions=N shows more)\n", met - rows.size());
  text += unmet_text(placed) + remarks_text(placed);
  for (const auto& note : placed.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string placed_json(const PlacedProgram& placed, const std::string& file) {
  Json rows = Json::array();
  rows.push_back(row_json(placed_columns("total"), placed_whole(placed)));
  for (const auto& row : placed_functions(placed)) rows.push_back(row_json(placed_columns("function"), row));
  for (const auto& loops : placed_loops(placed))
    for (const auto& row : loops) rows.push_back(row_json(placed_columns("loop"), row));
  add_other_rows(placed.counted, rows);
  return profile_document(file, rows, placed.notes, placed.counted.command, placed.counted.caches);
}

Json placed_row_schemas() {
  return {row_schema(placed_columns("total")), row_schema(placed_columns("function")), row_schema(placed_columns("loop"))};
}

}  // namespace plumbline::app
