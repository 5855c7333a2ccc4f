#include "app/results/show_json.hpp"

#include <cmath>

#include "app/results/imported.hpp"
#include "core/gpu_device.hpp"

namespace plumbline::app {
namespace {

/// The short name of a case, "triad n=1000": the work id without suite and precision.
std::string label_of(const CaseRow& row) {
  std::string label = row.kernel.substr(row.kernel.rfind('/') + 1);
  const std::string head = row.kernel + "/" + row.precision;
  if (row.work.size() > head.size()) label += " " + row.work.substr(head.size() + 1);
  for (char& c : label)
    if (c == '/') c = ' ';
  return label;
}

Json level_json(const LevelIntensity& level) {
  Json json{{"bytes", number(level.bytes)},         {"bytes_lo", number(level.bytes_lo)},
            {"bytes_hi", number(level.bytes_hi)},   {"ai", number(level.ai)},
            {"ai_lo", number(level.ai_lo)},         {"ai_hi", number(level.ai_hi)},
            {"source", text_or_null(level.source)}, {"status", std::string(to_string(level.status))},
            {"reason", text_or_null(level.reason)}};
  if (level.status == Status::ok && !std::isfinite(level.ai_hi))
    explain(json, "ai_hi", Status::unavailable, "no traffic across this boundary cannot be ruled out");
  if (!level.metrics.empty()) json["metrics"] = level.metrics;
  return json;
}

/// Adds what only an imported case has: FLOPs of each precision that was collected, and metrics that contradict each other.
void add_imported(const RooflinePlacement& p, Json& row) {
  row["flops_by_precision"] = Json::object();
  for (const auto& [precision, count] : p.flops_by_precision) row["flops_by_precision"][precision] = count;
  row["disagreements"] = Json::array();
  for (const auto& one : p.disagreements) {
    Json pair{{"quantity", one.quantity}, {"used", one.used}, {"other", one.other}, {"ratio", number(one.ratio)}};
    if (!std::isfinite(one.ratio)) explain(pair, "ratio", Status::unavailable, "the metric that is used is 0");
    row["disagreements"].push_back(pair);
  }
}

/// Adds the mix; null with the reason where the counts do not tell FMAs from sums and products, or no ceiling stands over them.
void add_fma_mix(const RooflinePlacement& p, Json& row) {
  row["fma_mix"] = Json::object();
  for (const auto& [precision, mix] : p.fma_mixes)
    row["fma_mix"][precision] = {
        {"fraction", mix.fraction}, {"add", mix.add}, {"mul", mix.mul}, {"ceiling", mix.ceiling}, {"source", mix.source}};
  row["partial_fma_gflops"] = number(p.partial_fma_gflops);
  row["percent_of_partial_fma"] = number(p.percent_of_partial_fma);
  const bool known = p.fma_mixes.contains(p.of->precision), there = std::isfinite(p.percent_of_partial_fma);
  explain(row, "partial_fma", there ? Status::ok : Status::unavailable,
          there          ? ""
          : !known       ? "FMAs were not counted apart from sums and products"
          : p.gflops > 0 ? "no ceiling of FMAs fits the case"
                         : "no FLOP/s");
}

/// Adds what else limits a case far below its roof, and why one is above it. Numbers that are not known are left out.
void add_distance(const RooflinePlacement& p, Json& row) {
  const Shortfall by = p.shortfall.value_or(Shortfall{});
  Json limits = Json::array();
  for (const Limit limit : by.limits) limits.push_back(to_string(limit));
  Json told{{"limits", limits}};
  const auto add = [&](const char* key, double value) {
    if (std::isfinite(value)) told[key] = value;
  };
  add("scalar_part", by.scalar_part);
  add("scalar_roof_gflops", by.scalar_gflops);
  add("instructions_per_cycle", by.instructions_per_cycle);
  add("launch_seconds", by.launch_seconds);
  row["shortfall"] = told;
  explain(row, "shortfall",
          !p.shortfall        ? Status::skipped
          : by.limits.empty() ? Status::unavailable
                              : Status::ok,
          p.shortfall       ? by.reason
          : p.bound.empty() ? "the case has no bound"
                            : "the case is not far below its roof");
  row["above_roof_reason"] = text_or_null(p.above_roof);
}

/// The roof of arithmetic over the case's own mix, whatever bounds it.
void add_compute_roof(const RooflinePlacement& p, Json& row) {
  const bool there = p.compute.gflops > 0;
  row["compute_roof_gflops"] = number(p.compute.gflops);
  row["compute_roof_ceiling"] = text_or_null(p.compute.ceiling);
  row["compute_roof_of_kinds"] = there && p.compute.is_of_kinds;
  explain(row, "compute_roof", there ? Status::ok : Status::unavailable,
          there                      ? ""
          : p.compute.reason.empty() ? "the case has no place on the roofline"
                                     : p.compute.reason);
}

}  // namespace

Json placement_json(const RooflinePlacement& p) {
  Json levels = Json::object();
  for (const auto& level : p.levels) levels[level.level] = level_json(level);
  Json row{{"case", p.of->id},
           {"kernel", p.of->kernel},
           {"label", label_of(*p.of)},
           {"precision", p.of->precision},
           {"flavor", p.of->flavor},
           {"ranks", p.of->ranks},
           {"threads", p.of->threads},
           {"gpus", p.of->gpus},
           {"gpu", p.of->gpus > 0 ? Json(gpu_word(p.gpu)) : Json()},
           {"node", p.node},
           {"seconds", number(p.seconds)},
           {"gflops", number(p.gflops)},
           {"flops", number(p.flops)},
           {"levels", levels},
           {"bound", text_or_null(p.bound)},
           {"bound_ceiling", text_or_null(p.bound_ceiling)},
           {"roof_precision", p.roof_precision},
           {"roof_gflops", number(p.roof_gflops)},
           {"percent_of_roof", number(p.percent_of_roof)},
           {"bound_status", std::string(to_string(p.bound_status))},
           {"bound_reason", text_or_null(p.bound_reason)},
           {"bound_is_certain", p.bound_is_certain},
           {"join", std::string(to_string(p.join))},
           {"bytes_source", text_or_null(p.bytes_source)},
           {"status", std::string(to_string(p.status))},
           {"reason", text_or_null(p.reason)},
           {"notes", p.notes}};
  explain(row, "gpu", p.of->gpus > 0 ? Status::ok : Status::skipped, p.of->gpus > 0 ? "" : "a case on CPUs");
  add_distance(p, row);
  add_compute_roof(p, row);
  add_fma_mix(p, row);
  if (is_imported(*p.of)) add_imported(p, row);
  return row;
}

Json displacement_json(const Displacement& by) {
  return {{"counter", by.counter},
          {"level", text_or_null(by.level)},
          {"bytes", number(by.bytes)},
          {"ai", number(by.ai)},
          {"rest", text_or_null(by.rest)},
          {"status", std::string(to_string(by.status))},
          {"reason", text_or_null(by.reason)}};
}

}  // namespace plumbline::app
