#include "app/programs/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

// ---------------------------------------------------------------------------------------------------- tables for people

std::string plain_or_dash(Amount value) { return value ? plain(*value) : "-"; }
std::string size_or_dash(Amount value) { return value ? size_in_bytes(*value) : "-"; }

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

std::string head_text(const KernelResult& result) {
  const auto& profile = result.profile;
  std::string text = fmt::format("Counted on GPUs: {}\n  ", command_line(result.command));
  if (result.launched > 1) text += fmt::format("{} ranks, ", result.launched);
  text += fmt::format("{} {}, {} of {} launches of {} {}\n", result.reports.size(), result.reports.size() == 1 ? "process" : "processes",
                      launches_of(profile, &KernelRow::counted), launches_of(profile, &KernelRow::launches), profile.kernels.size(),
                      profile.kernels.size() == 1 ? "kernel" : "kernels");
  for (const auto& gpu : gpus_in_words(result)) text += "  " + gpu + "\n";
  return text;
}

std::vector<std::string> cells(const std::string& name, const std::string& launches, const KernelMeasures& one, const KernelMeasures& all) {
  const Amount rate = one.flops_per_second();
  std::vector<std::string> row{
      name,
      launches,
      one.seconds ? duration(*one.seconds) : "-",
      one.seconds && all.seconds && *all.seconds > 0 ? fmt::format("{:.1f} %", 100 * *one.seconds / *all.seconds) : "-",
      plain_or_dash(one.flops),
      rate ? plain(*rate / 1e9) : "-"};
  for (const char* level : {"L1", "L2", "mem"}) {
    const Amount bytes = bytes_of(one, level);
    row.push_back(size_or_dash(bytes));
    row.push_back(plain_or_dash(one.intensity(bytes)));
  }
  return row;
}

std::string table_text(const KernelResult& result) {
  const auto& kernels = result.profile.kernels;
  Table table({{"kernel, by time", Align::left},
               {"launches"},
               {"time"},
               {"of all"},
               {"FLOPs"},
               {"GFLOP/s"},
               {"L1"},
               {"FLOPs/byte"},
               {"L2"},
               {"FLOPs/byte"},
               {"mem"},
               {"FLOPs/byte"}});
  constexpr std::size_t widest = 40;
  for (std::size_t i = 0; i < std::min(kernels.size(), result.kernels); ++i) {
    const auto& one = kernels[i];
    const std::string name = one.name.size() > widest ? one.name.substr(0, widest - 3) + "..." : one.name;
    const std::string launches =
        one.counted == one.launches ? std::to_string(one.launches) : fmt::format("{} of {}", one.counted, one.launches);
    table.add(cells(name, launches, one.measures, result.profile.total));
  }
  if (kernels.size() > result.kernels)
    table.add_line(fmt::format("({} more kernels: -o FILE.json has them all)", kernels.size() - result.kernels));
  table.add(
      cells("in total", std::to_string(launches_of(result.profile, &KernelRow::counted)), result.profile.total, result.profile.total));
  return table.text();
}

// ------------------------------------------------------------------------------------------------------ rows for programs

Json amount(Amount value) { return value ? Json(*value) : Json(nullptr); }

/// FLOPs and bytes are whole.
Json whole(Amount value) { return value ? Json(static_cast<std::uint64_t>(std::llround(*value))) : Json(nullptr); }

Json measures_json(const KernelMeasures& measures) {
  const Amount rate = measures.flops_per_second();
  Json by_precision = Json::object(), by_level = Json::object();
  for (const auto& [name, value] : measures.flops_by_precision) by_precision[name] = whole(value);
  for (const auto& level : gpu_level_boundaries()) {
    const Amount bytes = bytes_of(measures, level.level);
    by_level[level.level] = {{"boundary", level.boundary}, {"bytes", whole(bytes)}, {"ai", amount(measures.intensity(bytes))}};
  }
  return {{"seconds", amount(measures.seconds)},
          {"gflops", rate ? Json(*rate / 1e9) : Json(nullptr)},
          {"flops", whole(measures.flops)},
          {"flops_by_precision", by_precision},
          {"levels", by_level}};
}

Json kernel_row(const KernelRow& kernel) {
  const bool counted = kernel.counted > 0;
  Json row{{"kind", "kernel"},
           {"name", kernel.name},
           {"symbol", kernel.symbol},
           {"chip", text_or_null(kernel.chip)},
           {"compute_capability", kernel.compute_capability},
           {"processes", kernel.processes},
           {"launches", kernel.launches},
           {"counted_launches", kernel.counted},
           {"status", counted ? "ok" : "unavailable"},
           {"reason", counted ? Json(nullptr) : Json("no launch of it was counted: see the notes")}};
  row.update(measures_json(kernel.measures));
  Json counts = Json::object();
  for (const auto& [metric, sum] : kernel.sums) counts[metric] = number(sum);
  row["counts"] = counts;
  return row;
}

Json gpu_json(const CountedGpu& gpu) {
  return {{"gpu", gpu.ordinal},
          {"chip", text_or_null(gpu.chip)},
          {"passes", gpu.passes},
          {"status", std::string(to_string(gpu.availability.status))},
          {"reason", text_or_null(gpu.availability.reason)}};
}

Json process_row(const RankReport& one) {
  const auto& report = one.report;
  Json gpus = Json::array();
  for (const auto& gpu : report.counts.gpus) gpus.push_back(gpu_json(gpu));
  return {{"kind", "process"},
          {"rank", one.rank},
          {"pid", report.process},
          {"parent", report.parent},
          {"command", report.command},
          {"status", std::string(to_string(report.availability.status))},
          {"reason", text_or_null(report.availability.reason)},
          {"ended", report.ended},
          {"cupti", text_or_null(report.cupti)},
          {"gpus", gpus},
          {"graph_launches", report.counts.graph_launches},
          {"captured_launches", report.counts.captured},
          {"other_context_launches", report.counts.elsewhere},
          {"lost_launches", report.counts.lost}};
}

}  // namespace

std::string kernels_text(const KernelResult& result) {
  std::string text = "\n" + head_text(result);
  if (!result.profile.kernels.empty()) text += "\n" + table_text(result);
  for (const auto& note : result.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string kernels_json(const KernelResult& result, const std::string& file) {
  const auto& profile = result.profile;
  Json rows = Json::array();
  Json total{{"kind", "total"},
             {"ranks", result.launched},
             {"processes", result.reports.size()},
             {"kernels", profile.kernels.size()},
             {"launches", launches_of(profile, &KernelRow::launches)},
             {"counted_launches", launches_of(profile, &KernelRow::counted)}};
  total.update(measures_json(profile.total));
  rows.push_back(std::move(total));
  for (const auto& kernel : profile.kernels) rows.push_back(kernel_row(kernel));
  for (const auto& one : result.reports) rows.push_back(process_row(one));
  return document("profile", file, rows, result.notes, {{"command", result.command}, {"caches", nullptr}});
}

}  // namespace plumbline::app
