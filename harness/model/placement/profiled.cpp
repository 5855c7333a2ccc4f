#include "model/placement/profiled.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/quantity_parts.hpp"
#include "model/ceilings/gpu_ceilings.hpp"
#include "model/placement/fma_mix.hpp"

namespace plumbline {
namespace {

/// The parts by which two ways to count the same differ at most: FLOPs are counted, bytes move while they are.
constexpr double flops_agree_within = 0.01, others_agree_within = 0.05;

bool fits(const ProfilerMetric& row, int chip) {
  return row.chips.empty() || std::find(row.chips.begin(), row.chips.end(), chip) != row.chips.end();
}

/// The value of a metric; else its name is added to what is missing, with why where the profiler said so.
double value_of(const std::string& metric, const MetricValues& values, double seconds, std::set<std::string>& missing) {
  if (metric == launch_seconds) {
    if (!std::isfinite(seconds)) missing.insert("the launch's time");
    return seconds;
  }
  const auto found = values.find(metric);
  if (found != values.end() && found->second.ok()) return found->second.value;
  missing.insert(metric + (found == values.end() ? "" : " (" + found->second.reason + ")"));
  return absent;
}

/// The value of one row; NaN where something is missing.
double combined(const ProfilerMetric& row, const MetricValues& values, double seconds, std::set<std::string>& missing) {
  double sum = 0;
  for (const auto& term : row.terms) sum += term.weight * value_of(term.event, values, seconds, missing);
  for (const auto& factor : row.times) sum *= value_of(factor, values, seconds, missing);
  if (row.over.empty()) return sum;
  const double by = value_of(row.over, values, seconds, missing);
  if (by == 0) missing.insert(row.over + " (it is 0)");
  return by == 0 ? absent : sum / by;
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// The ratio of two values; 1 for two zeros.
double ratio(double other, double used) { return other == used ? 1 : other / used; }

void hold_against(Profiled& found, const ProfilerMetric& row, double other) {
  const double off = ratio(other, found.value);
  const double within = row.quantity.starts_with(flops_prefix) ? flops_agree_within : others_agree_within;
  if (std::abs(off - 1) > within) found.disagreements.push_back({row.quantity, found.by->formula(), row.formula(), off});
}

void add_remark(const ProfilerMetric& row, std::vector<std::string>& remarks) {
  if (!row.remark.empty() && std::find(remarks.begin(), remarks.end(), row.remark) == remarks.end()) remarks.push_back(row.remark);
}

std::string why_unknown(const ProfilerMetrics& table, const std::string& quantity, int chip) {
  if (table.convention.empty()) return "no metric of " + table.tool + " is known for it" + (chip > 0 ? " on this chip" : "");
  return "convention '" + table.convention + "' has no formula for " + quantity + " by " + table.tool +
         (chip > 0 ? " on sm_" + std::to_string(chip) : "");
}

/// Takes back the sum where the model has FLOPs of a precision of which a convention says nothing: a part would pass for all of them.
void refuse_partial_sum(Traffic& traffic, const ProfilerMetrics& table, const Measured& measured,
                        const std::map<std::string, Profiled>& flops, int chip) {
  if (table.convention.empty() || measured.model == nullptr) return;
  for (const auto& [quantity, bounds] : *measured.model) {
    if (!is_flops_total(quantity) || !(bounds.lo > 0)) continue;
    const auto found = flops.find(quantity.substr(flops_prefix.size()));
    if (found != flops.end() && found->second.ok()) continue;
    traffic.flops = {};
    traffic.flops_by_precision.clear();
    traffic.flops_status = Status::unavailable;
    traffic.flops_reason = found == flops.end() ? why_unknown(table, quantity, chip) : quantity + ": " + found->second.reason;
  }
}

/// The sum over the precisions that were collected; the others are named.
void add_flops(Traffic& traffic, const std::map<std::string, Profiled>& flops) {
  std::string uncollected, first_reason;
  bool any = false;
  double sum = 0;
  for (const auto& [precision, count] : flops) {
    if (!count.ok()) {
      uncollected += (uncollected.empty() ? "" : ", ") + precision;
      if (first_reason.empty()) first_reason = count.reason;
      continue;
    }
    any = true;
    sum += count.value;
    traffic.flops_by_precision[precision] = count.value;
    if (count.value > 0) add_remark(*count.by, traffic.remarks);
    traffic.disagreements.insert(traffic.disagreements.end(), count.disagreements.begin(), count.disagreements.end());
  }
  if (!any) {
    traffic.flops_status = Status::unavailable;
    traffic.flops_reason = "no FLOPs were collected; " + first_reason;
    return;
  }
  traffic.flops = {sum, sum, sum};
  if (!uncollected.empty())
    traffic.remarks.push_back("FLOPs are those that were collected; not collected, and not in them: " + uncollected);
}

LevelTraffic level_of(const LevelBoundary& at, const Profiled& bytes) {
  if (!bytes.ok()) return {.level = at.level, .status = bytes.status, .reason = bytes.reason};
  return {.level = at.level, .bytes = {bytes.value, bytes.value, bytes.value}, .source = "hardware", .metrics = bytes.by->formula()};
}

}  // namespace

ProfilerMetrics metrics_of_gpu(const ProfilerMetrics& table, const std::string& gpu, int chip, std::vector<std::string>& remarks) {
  ProfilerMetrics own{table.tool, {}, table.convention};
  std::set<std::string> known, others;
  for (const auto& row : table.rows) {
    const bool is_own = fits(row, chip) && gpu.find(row.device) != gpu.npos;
    if (is_own) own.rows.push_back(row);
    (is_own ? known : others).insert(row.quantity);
  }
  for (const auto& quantity : others)
    if (!table.convention.empty() && !known.contains(quantity)) remarks.push_back(why_unknown(table, quantity, chip));
  return own;
}

Profiled profiled(const ProfilerMetrics& table, const std::string& quantity, const MetricValues& values, double seconds, int chip) {
  Profiled found;
  std::set<std::string> wanted;
  for (const auto& row : table.rows) {
    if (row.quantity != quantity || !fits(row, chip)) continue;
    std::set<std::string> missing;
    const double value = combined(row, values, seconds, missing);
    if (!missing.empty()) {
      if (wanted.empty()) wanted = missing;
    } else if (found.by != nullptr) {
      if (!row.part) hold_against(found, row, value);
    } else {
      found.value = value;
      found.by = &row;
      found.status = Status::ok;
    }
  }
  if (!found.ok()) found.reason = wanted.empty() ? why_unknown(table, quantity, chip) : "not collected: " + joined(wanted);
  return found;
}

std::map<std::string, Profiled> profiled_flops(const ProfilerMetrics& table, const MetricValues& values, double seconds, int chip) {
  std::map<std::string, Profiled> flops;
  for (const auto& row : table.rows) {
    if (!row.quantity.starts_with(flops_prefix) || !fits(row, chip)) continue;
    const std::string precision = row.quantity.substr(flops_prefix.size());
    if (!flops.contains(precision)) flops[precision] = profiled(table, row.quantity, values, seconds, chip);
  }
  return flops;
}

std::string main_precision(const std::map<std::string, Profiled>& flops) {
  std::string most = "-";
  double most_flops = 0;
  for (const auto& [precision, count] : flops)
    if (count.ok() && count.value > most_flops) {
      most = precision;
      most_flops = count.value;
    }
  return most;
}

int chip_of(const std::string& flavor) {
  constexpr std::string_view architecture = "sm_";
  const auto at = flavor.find(architecture);
  return at == flavor.npos ? 0 : std::atoi(flavor.c_str() + at + architecture.size());
}

std::optional<Traffic> profiled_traffic(const Measured& measured, std::span<const ProfilerMetrics> tables) {
  for (const auto& all : tables) {
    const auto values = measured.counts.find(all.tool);
    if (values == measured.counts.end()) continue;
    const int chip = chip_of(measured.of->flavor);
    const double seconds = measured.seconds.ok() ? measured.seconds.value : absent;
    Traffic traffic{.join = Join::same, .source = all.tool, .convention = all.convention};
    const ProfilerMetrics table = metrics_of_gpu(all, measured.node, chip, traffic.remarks);
    traffic.fma_mixes = profiled_fma_mixes(table, values->second, chip);
    const auto flops = profiled_flops(table, values->second, seconds, chip);
    add_flops(traffic, flops);
    refuse_partial_sum(traffic, table, measured, flops, chip);
    // Files from before a case told its GPUs have them in the flavor.
    const bool of_cpu = measured.of->gpus == 0 && !measured.of->flavor.starts_with("cuda");
    for (const auto& at : of_cpu ? level_boundaries() : gpu_level_boundaries()) {
      const Profiled bytes = profiled(table, std::string("bytes.") + at.boundary, values->second, seconds, chip);
      if (!bytes.ok() && at.level == std::string_view(gpu_system)) continue;             // few reports have the host's memory
      if (!bytes.ok() && of_cpu && at.boundary == std::string_view("L2-mem")) continue;  // of a CPU without an L3
      traffic.levels.push_back(level_of(at, bytes));
      if (bytes.ok()) add_remark(*bytes.by, traffic.remarks);
      traffic.disagreements.insert(traffic.disagreements.end(), bytes.disagreements.begin(), bytes.disagreements.end());
    }
    return traffic;
  }
  return std::nullopt;
}

}  // namespace plumbline
