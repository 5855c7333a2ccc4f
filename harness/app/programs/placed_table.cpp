#include "app/programs/placed_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "app/programs/region_columns.hpp"
#include "app/programs/shown_names.hpp"
#include "app/results/show_cells.hpp"
#include "app/terminal/shell_words.hpp"
#include "model/placement/shortfall.hpp"
#include "profile/runtime_libraries.hpp"

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
  return {.samples = code.samples_worth(),
          .share = share_of(code, placed.program.profile.whole),
          .cores = code.cores(),
          .cpu_seconds = code.cpu_seconds,
          .imbalance = code.cpu_seconds > 0 ? std::max(1.0, code.seconds * cores / code.cpu_seconds) : absent,
          .fma_part = code.counts ? fma_part(*code.counts) : absent,
          .at = &at,
          .counts = code.counts.value_or(EventSums{}),
          .reuse = code.reuse};
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

/// The loops, in the order of functions.
std::vector<PlacedRow> placed_loops(const PlacedProgram& placed) {
  std::vector<PlacedRow> rows;
  for (const TimedFunction& function : placed.program.profile.functions)
    for (const TimedLoop& loop : function.loops) {
      PlacedRow& row = rows.emplace_back(placed_row(loop, placed, placed.loops.placements[rows.size()]));
      row.name = loop.line, row.object = function.object, row.function = function.name;
    }
  return rows;
}

std::vector<PlacedRow> placed_regions(const PlacedProgram& placed) {
  const ProfiledProgram& program = placed.program;
  const double whole = program.seconds();
  std::vector<PlacedRow> rows;
  for (const TimedRegion& region : program.regions) {
    const double part = region.why_no_time.empty() && whole > 0 ? region.seconds / whole : absent;
    PlacedRow& row = rows.emplace_back(placed_row(region, placed, placed.placements[1 + program.profile.functions.size() + rows.size()]));
    row.name = region.name, row.share = {part, part, part}, row.imbalance = region.imbalance;
    row.region = {region.entries, region.ranks, region.processes, region.threads, region.open};
    if (!region.why_no_time.empty()) row.cpu_seconds = row.imbalance = absent;
  }
  return rows;
}

/// The functions, each with those of its loops below it that take much of all time.
std::vector<PlacedRow> with_loops(const std::vector<PlacedRow>& functions, const std::vector<PlacedRow>& loops) {
  constexpr double least_part = 0.05;
  std::vector<PlacedRow> rows;
  for (const PlacedRow& function : functions) {
    rows.push_back(function);
    for (const PlacedRow& loop : loops)
      if (loop.function == function.name && loop.object == function.object && loop.samples >= fewest_samples &&
          loop.share.part >= least_part)
        rows.push_back(loop);
  }
  return rows;
}

/// Gives functions names that differ; a loop stands indented below its function.
std::vector<PlacedRow> with_shown_names(std::vector<PlacedRow> rows) {
  std::vector<std::string> names;
  for (const auto& row : rows)
    if (row.function.empty()) names.push_back(row.name);
  names = shown_names(names);
  auto name = names.begin();
  for (auto& row : rows) row.shown = printable(row.function.empty() ? *name++ : "  " + shortened(row.name));
  return rows;
}

PlacedRow placed_whole(const PlacedProgram& placed) {
  const ProfiledProgram& program = placed.program;
  return {.name = program.name,
          .samples = program.profile.whole.samples_worth(),
          .share = {1, 1, 1},
          .cores = program.profile.whole.cores(),
          .cpu_seconds = program.cpu_seconds(),
          .fma_part = fma_part(program.total),
          .at = &placed.placements.front(),
          .counts = program.total,
          .reuse = program.why_not_joined.empty() && placed.minus.empty() ? placed.counted.profile.reuse : std::nullopt};
}

std::string plural(std::size_t number, const char* one, const char* several) {
  return fmt::format("{} {}", number, number == 1 ? one : several);
}

std::string ranks_in_words(const ProfileWords& words) {
  if (words.ranks == 1) return "";
  return fmt::format("{} ranks on {}; ", words.ranks, plural(static_cast<std::size_t>(words.nodes), "node", "nodes"));
}

std::string scaled_text(const ProfileWords& words) {
  if (words.work_scale == 1) return "";
  return fmt::format("\n  counted with the arguments {}, and every count times {:g}: the model of --scale-work, not what was executed",
                     command_line(words.count_arguments), words.work_scale);
}

std::string counted_text(const ShownProfile& profile) {
  const ProfileWords& words = profile.words;
  if (!words.why_not_joined.empty()) return "times alone: " + printable(words.why_not_joined);
  return fmt::format("counted by the emulator: {} FLOPs, {}{}", whole_text(flops(profile.whole.counts)),
                     plural(static_cast<std::size_t>(words.processes), "process", "processes"),
                     words.caches.empty() ? "" : "; caches of " + printable(words.caches)) +
         scaled_text(words);
}

std::string head_text(const ShownProfile& profile) {
  const ProfileWords& words = profile.words;
  return fmt::format(
      "Profiled: {}\n{}  natively {}{} from start to end, CPU time {} in user mode and {} in the system; {} samples, {} at work at once\n"
      "{}  {}\n",
      command_line(words.command), minus_in_words(words), ranks_in_words(words), duration(words.wall_seconds), duration(words.user_seconds),
      duration(words.system_seconds), profile.whole.samples, plural(static_cast<std::size_t>(profile.whole.cores), "core", "cores"),
      words.window.empty() ? "" : fmt::format("  profiled of it: {}, {}\n", printable(words.window), duration(words.window_seconds)),
      counted_text(profile));
}

std::string regions_text(std::vector<PlacedRow> regions) {
  for (auto& row : regions) row.shown = printable(shortened(row.name));
  return regions.empty() ? "" : "\n" + aligned(placed_region_columns(), regions);
}

/// The times of the program's ranks, of which messages are told apart.
std::string ranks_text(const std::vector<RankTimes>& ranks) {
  return ranks.empty() ? "" : "\n" + first_rows(rank_times_columns(), ranks, most_ranks_shown, "ranks").text();
}

std::vector<RankTimes> rank_times(const PlacedProgram& placed) {
  std::vector<RankTimes> ranks;
  if (placed.counted.timed.empty() || !placed.minus.empty()) return ranks;
  for (const auto& rank : ended_ranks(placed.counted)) ranks.push_back(times_of(rank));
  return ranks;
}

/// Says what bounds a function: the roof is a rate of FLOPs, or where it has none of bytes.
std::string bound_text(const RooflinePlacement& at) {
  if (at.percent_of_roof < explained_from)
    return fmt::format("no measured ceiling explains its time: {}, which comes nearest, takes less than {:g} % of it",
                       printable(at.bound_ceiling), explained_from);
  const auto level = std::ranges::find(at.levels, at.bound, &LevelIntensity::level);
  const std::string roof = at.roof_gflops > 0 || level == at.levels.end() ? fmt::format("{} GFLOP/s", plain(at.roof_gflops, 3))
                                                                          : fmt::format("{} GB/s", plain(level->bandwidth_gbs, 3));
  return fmt::format("{} bounds it, at {} of its roof of {}", printable(at.bound_ceiling), percent_of_roof_cell(at), roof);
}

/// The functions that take most of the time, and what else the roofline knows of each: where to begin.
std::string remarks_text(const std::vector<PlacedRow>& functions) {
  constexpr std::size_t most = 3;
  constexpr double least_part = 0.05;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, functions.size()); ++i) {
    const PlacedRow& row = functions[i];
    if (row.share.part < least_part || row.at->bound.empty() || row.samples < fewest_samples || is_for_waiting(row.object)) continue;
    text += fmt::format("{}: {:.0f} % of the time; {}", printable(shortened(row.name)), 100 * row.share.part, bound_text(*row.at));
    if (row.at->of != nullptr)
      for (const auto& remark : case_remarks({*row.at})) text += "; " + remark;
    text += "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

/// The functions with much of the arithmetic that no sample met: where libraries choose code by the CPU, what was counted has another name
/// than what took the time.
std::string unmet_text(const ShownProfile& profile) {
  constexpr double much = 0.01;
  constexpr std::size_t most = 3;
  std::string text;
  const double all = flops(profile.whole.counts).value_or(0);
  std::size_t told = 0;
  for (const PlacedRow& row : profile.functions)
    if (const double own = flops(row.counts).value_or(0); row.samples == 0 && own > much * all && told++ < most)
      text += fmt::format("{}{}, {} FLOPs", text.empty() ? "" : "; ", printable(shortened(row.name)), whole_text(own));
  return text.empty() ? "" : wrapped("counted, but not met in time: " + text, 130, "") + "\n";
}

}  // namespace

std::string minus_in_words(const ProfileWords& words) {
  if (words.minus.empty()) return "";
  return fmt::format("  minus an earlier run: {} ({})\n", command_line(words.minus_command), printable(words.minus));
}

ProfileWords words_of(const PlacedProgram& placed) {
  const ProgramEnding& ending = placed.program.ending;
  return {.command = placed.counted.command,
          .caches = placed.counted.caches,
          .why_not_joined = placed.program.why_not_joined,
          .wall_seconds = ending.wall_seconds,
          .user_seconds = ending.user_seconds,
          .system_seconds = ending.system_seconds,
          .processes = placed.counted.profile.processes,
          .ranks = placed.program.ranks,
          .nodes = placed.program.nodes,
          .functions = placed.counted.functions,
          .notes = placed.notes,
          .window = placed.program.window,
          .window_seconds = placed.program.window_seconds,
          .count_arguments = placed.count_arguments,
          .work_scale = placed.program.work_scale,
          .cpu = placed.cpu,
          .minus = placed.minus,
          .minus_command = placed.minus_command};
}

std::string shown_text(const ShownProfile& profile) {
  std::vector<PlacedRow> rows = profile.functions;
  std::erase_if(rows, [](const PlacedRow& row) { return row.samples == 0; });
  const std::size_t met = rows.size();
  rows.resize(std::min(met, profile.words.functions));
  std::string text = head_text(profile);
  if (!rows.empty()) text += "\n" + aligned(placed_columns("function"), with_shown_names(with_loops(rows, profile.loops)));
  if (rows.size() < met) text += fmt::format("(functions with less time: {}; --functions=N shows more)\n", met - rows.size());
  text += unmet_text(profile) + regions_text(profile.regions) + ranks_text(profile.ranks) + remarks_text(profile.functions);
  for (const auto& note : profile.words.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string placed_text(const PlacedProgram& placed) {
  return "\n" + shown_text({words_of(placed), placed_whole(placed), placed_functions(placed), placed_loops(placed), placed_regions(placed),
                            rank_times(placed)});
}

Json placed_rows(const PlacedProgram& placed) {
  Json rows = Json::array();
  rows.push_back(row_json(placed_columns("total"), placed_whole(placed)));
  for (const auto& row : placed_functions(placed)) rows.push_back(row_json(placed_columns("function"), row));
  for (const auto& row : placed_loops(placed)) rows.push_back(row_json(placed_columns("loop"), row));
  for (const auto& row : placed_regions(placed)) rows.push_back(row_json(placed_region_columns(), row));
  if (placed.minus.empty()) add_other_rows(placed.counted, rows);  // they are of this run alone
  return rows;
}

std::string placed_json(const PlacedProgram& placed, const std::string& file) {
  return profile_document(file, placed_rows(placed), placed.notes, placed.counted.command, placed.counted.caches);
}

Json placed_row_schemas() {
  return {row_schema(placed_columns("total")), row_schema(placed_columns("function")), row_schema(placed_columns("loop")),
          row_schema(placed_region_columns())};
}

}  // namespace plumbline::app
