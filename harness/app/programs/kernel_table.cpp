#include "app/programs/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/programs/profile_document.hpp"
#include "app/terminal/shell_words.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline::app {
namespace {

std::uint64_t launches_of(const KernelProfile& profile, std::uint64_t KernelRow::*which) {
  std::uint64_t sum = 0;
  for (const auto& kernel : profile.kernels) sum += kernel.*which;
  return sum;
}

Amount bytes_of(const KernelMeasures& measures, std::string_view level) {
  for (const auto& [name, value] : measures.bytes_by_level)
    if (name == level) return value;
  return std::nullopt;
}

// -------------------------------------------------------------------------------------------------------------- columns

Amount gigaflops(const KernelMeasures& measures) {
  const Amount rate = measures.flops_per_second();
  return rate ? Amount(*rate / 1e9) : std::nullopt;
}

std::vector<std::pair<std::string, LevelBytes>> levels_of_kernel(const KernelMeasures& measures) {
  std::vector<std::pair<std::string, LevelBytes>> all;
  for (const auto& level : gpu_level_boundaries()) {
    const Amount bytes = bytes_of(measures, level.level);
    all.push_back({level.level, {level.boundary, whole(bytes), measures.intensity(bytes)}});
  }
  return all;
}

std::vector<std::pair<std::string, Count>> precisions_of_kernel(const KernelMeasures& measures) {
  std::vector<std::pair<std::string, Count>> all;
  for (const auto& [name, flops] : measures.flops_by_precision) all.emplace_back(name, whole(flops));
  return all;
}

/// Adds what programs read of the measures that a row has.
template <class Row, class Get>
void add_measures(Columns<Row>& columns, Get get) {
  const auto of = [get](auto part) { return [get, part](const Row& row) { return part(get(row)); }; };
  columns.push_back({"seconds", "time of the counted launches", of([](const KernelMeasures& one) { return one.seconds; })});
  columns.push_back({"gflops", "rate of the floating-point operations in that time", of(gigaflops)});
  columns.push_back(
      {"flops", "floating-point operations, an fma being two", of([](const KernelMeasures& one) { return whole(one.flops); })});
  columns.push_back(precisions_column<Row>(of(precisions_of_kernel)));
  columns.push_back(levels_column<Row>(of(levels_of_kernel)));
}

Columns<KernelResult> kernel_total_columns() {
  using Row = KernelResult;
  Columns<Row> columns{
      kind_column<Row>("total"),
      {"ranks", "ranks that were launched", &Row::launched},
      {"processes", "processes of all ranks", [](const Row& row) { return row.reports.size(); }},
      {"kernels", "number of kernels", [](const Row& row) { return row.profile.kernels.size(); }},
      {"launches", "number of launches of all kernels", [](const Row& row) { return launches_of(row.profile, &KernelRow::launches); }},
      {"counted_launches", "number of launches that were counted",
       [](const Row& row) { return launches_of(row.profile, &KernelRow::counted); }}};
  add_measures(columns, [](const Row& row) { return row.profile.total; });
  return columns;
}

std::string launches_text(const KernelRow& row) {
  return row.counted == row.launches ? std::to_string(row.launches) : fmt::format("{} of {}", row.counted, row.launches);
}

/// Adds what people see of the measures; `all_seconds`: of all kernels.
void add_shown_measures(Columns<KernelRow>& columns, Amount all_seconds) {
  using Row = KernelRow;
  columns.push_back({Heading{"time"}, [](const Row& row) { return row.measures.seconds ? duration(*row.measures.seconds) : "-"; }});
  columns.push_back({Heading{"of all"}, [all_seconds](const Row& row) { return share_or_dash(row.measures.seconds, all_seconds); }});
  columns.push_back({Heading{"FLOPs"}, [](const Row& row) { return plain_or_dash(row.measures.flops); }});
  columns.push_back({Heading{"GFLOP/s"}, [](const Row& row) { return plain_or_dash(gigaflops(row.measures)); }});
  for (const char* level : {"L1", "L2", "mem"}) {
    columns.push_back({Heading{level}, [level](const Row& row) { return size_or_dash(bytes_of(row.measures, level)); }});
    columns.push_back(
        {Heading{"FLOPs/byte"}, [level](const Row& row) { return plain_or_dash(row.measures.intensity(bytes_of(row.measures, level))); }});
  }
}

Columns<KernelRow> kernel_columns(Amount all_seconds) {
  using Row = KernelRow;
  Columns<Row> columns{kind_column<Row>("kernel"),
                       Column<Row>("name", "name of the kernel", &Row::name)
                           .in_row("kernel, by time", Align::left, [](const Row& row) { return shortened(row.name); }),
                       {"symbol", "name of the kernel as it is linked", &Row::symbol},
                       {"chip", "chip of the GPU that ran it", [](const Row& row) { return OrNull{row.chip}; }},
                       {"compute_capability", "compute capability of that GPU: 90 for 9.0; 0: not known", &Row::compute_capability},
                       {"processes", "processes that launched it", &Row::processes},
                       Column<Row>("launches", "how often it was launched", &Row::launches).in_row("launches", Align::right, launches_text),
                       {"counted_launches", "number of launches that were counted", &Row::counted},
                       {"status", "ok, or unavailable: nothing was counted",
                        [](const Row& row) { return row.counted > 0 ? Status::ok : Status::unavailable; }},
                       {"reason", "why nothing was counted",
                        [](const Row& row) { return OrNull{row.counted > 0 ? "" : "no launch of it was counted: see the notes"}; }}};
  add_shown_measures(columns, all_seconds);
  add_measures(columns, [](const Row& row) { return row.measures; });
  columns.push_back({"counts", "by metric its sum over the counted launches", &Row::sums});
  return columns;
}

Columns<CountedGpu> gpu_columns() {
  using Row = CountedGpu;
  return {{"gpu", "number of the GPU", &Row::ordinal},
          {"chip", "name of its chip", [](const Row& row) { return OrNull{row.chip}; }},
          {"passes", "how often each counted launch ran", &Row::passes},
          {"status", "ok, or in a word what stood in the way", [](const Row& row) { return row.availability.status; }},
          {"reason", "what stood in the way", [](const Row& row) { return OrNull{row.availability.reason}; }}};
}

Columns<RankReport> kernel_process_columns() {
  using Row = RankReport;
  const auto launches = [](std::uint64_t KernelCounts::*which) { return [which](const Row& row) { return row.report.counts.*which; }; };
  return {kind_column<Row>("process"),
          {"rank", "rank that it is of", &Row::rank},
          {"pid", "number of the process", [](const Row& row) { return row.report.process; }},
          {"parent", "number of its parent", [](const Row& row) { return row.report.parent; }},
          {"command", "what it executed", [](const Row& row) { return row.report.command; }},
          {"status", "ok, or in a word why nothing was counted", [](const Row& row) { return row.report.availability.status; }},
          {"reason", "why nothing was counted", [](const Row& row) { return OrNull{row.report.availability.reason}; }},
          {"ended", "false: it went on after this, unseen", [](const Row& row) { return row.report.ended; }},
          {"cupti", "version and file of CUPTI", [](const Row& row) { return OrNull{row.report.cupti}; }},
          list_column<Row>("gpus", "GPUs that it used", gpu_columns(), [](const Row& row) { return row.report.counts.gpus; }),
          {"graph_launches", "launches of whole graphs, whose kernels are not counted", launches(&KernelCounts::graph_launches)},
          {"captured_launches", "launches while a stream was captured", launches(&KernelCounts::captured)},
          {"other_context_launches", "launches in a further context of a GPU, not counted", launches(&KernelCounts::elsewhere)},
          {"lost_launches", "launches that ran under the profiler, without a count", launches(&KernelCounts::lost)}};
}

// ---------------------------------------------------------------------------------------------------- tables for people

/// The GPUs in words: "GH100 by CUPTI 13.0 (...): 2 passes, so that each counted launch ran 2 times".
std::set<std::string> gpus_in_words(const KernelResult& result) {
  std::set<std::string> all;
  for (const auto& one : result.reports)
    for (const auto& gpu : one.report.counts.gpus)
      if (gpu.passes > 0)
        all.insert(fmt::format("{} by {}: {} {}, so that each counted launch ran {}", gpu.chip, one.report.cupti, gpu.passes,
                               gpu.passes == 1 ? "pass" : "passes", gpu.passes == 1 ? "once" : fmt::format("{} times", gpu.passes)));
  return all;
}

std::string kernels_head(const KernelResult& result) {
  const auto& profile = result.profile;
  std::string text = fmt::format("Counted on GPUs: {}\n  ", command_line(result.command));
  if (result.launched > 1) text += fmt::format("{} ranks, ", result.launched);
  text += fmt::format("{} {}, {} of {} launches of {} {}\n", result.reports.size(), result.reports.size() == 1 ? "process" : "processes",
                      launches_of(profile, &KernelRow::counted), launches_of(profile, &KernelRow::launches), profile.kernels.size(),
                      profile.kernels.size() == 1 ? "kernel" : "kernels");
  for (const auto& gpu : gpus_in_words(result)) text += "  " + gpu + "\n";
  return text;
}

std::string table_text(const KernelResult& result) {
  const auto& kernels = result.profile.kernels;
  const auto columns = kernel_columns(result.profile.total.seconds);
  Table table(headings(columns));
  for (std::size_t i = 0; i < std::min(kernels.size(), result.kernels); ++i) table.add(cells(columns, kernels[i]));
  if (kernels.size() > result.kernels)
    table.add_line(fmt::format("({} more kernels: -o FILE.json has them all)", kernels.size() - result.kernels));
  const std::uint64_t counted = launches_of(result.profile, &KernelRow::counted);
  table.add(cells(columns, {.name = "in total", .launches = counted, .counted = counted, .measures = result.profile.total}));
  return table.text();
}

}  // namespace

std::string kernels_text(const KernelResult& result) {
  std::string text = "\n" + kernels_head(result);
  if (!result.profile.kernels.empty()) text += "\n" + table_text(result);
  for (const auto& note : result.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string kernels_json(const KernelResult& result, const std::string& file) {
  Json rows = Json::array();
  rows.push_back(row_json(kernel_total_columns(), result));
  for (auto& row : rows_json(kernel_columns({}), result.profile.kernels)) rows.push_back(std::move(row));
  for (auto& row : rows_json(kernel_process_columns(), result.reports)) rows.push_back(std::move(row));
  return profile_document(file, rows, result.notes, result.command, "");
}

Json kernel_row_schemas() {
  return {row_schema(kernel_total_columns()), row_schema(kernel_columns({})), row_schema(kernel_process_columns())};
}

}  // namespace plumbline::app
