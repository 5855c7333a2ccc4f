#include "model/projecting/projection_record.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double coverage = 0.9;
/// Scales are alike enough to share a quantile: none is less than this.
constexpr double least_scale = 0.3;
constexpr double part_of_disagreement = 0.5, most_of_disagreement = 0.35;
/// Samples that others disturbed spread more than the best of them, which ceilings are.
constexpr double most_of_spread = 0.1;
/// Pairs within one CPU model say nothing of others, CPUs nothing of GPUs, and parts nothing of whole applications: these are never
/// learned from together.
std::string_view family_of(std::string_view kind) {
  for (const std::string_view family : {std::string_view("machine"), std::string_view("gpu"), ranks_family})
    if (kind.starts_with(family)) return family;
  return "";
}

std::string_view family_word(std::string_view kind) {
  const std::string_view family = family_of(kind);
  return family == "machine" ? "between CPU models" : family == "gpu" ? "of GPUs" : family.empty() ? "within a CPU model" : "all";
}

bool is_large_enough(const RecordClass& one) {
  std::set<std::string> kernels;
  for (const auto* row : one.rows) kernels.insert(row->kernel);
  return one.rows.size() >= pairs_of_class && kernels.size() >= kernels_of_class;
}

}  // namespace

RecordClass class_of(std::span<const RecordRow> record, const std::string& kind, const std::string& bound_class, const MayUse& may_use) {
  RecordClass narrow{.name = bound_class}, wide{.name = kind}, all{.name = std::string(family_word(kind))};
  for (const auto& row : record) {
    if (!may_use(row) || family_of(row.kind) != family_of(kind)) continue;
    all.rows.push_back(&row);
    if (row.kind == kind) wide.rows.push_back(&row);
    if (row.bound_class == bound_class) narrow.rows.push_back(&row);
  }
  if (family_of(kind) != ranks_family) return all;
  if (is_large_enough(narrow)) return narrow;
  return is_large_enough(wide) ? wide : all;
}

double expected_scale(double spread, const ByMethod& seconds) {
  std::vector<double> logs;
  for (const Method method : {Method::bandwidth, Method::efficiency, Method::overlap})
    if (seconds[index_of(method)] > 0 && std::isfinite(seconds[index_of(method)])) logs.push_back(std::log(seconds[index_of(method)]));
  const auto [least, most] = std::ranges::minmax_element(logs);
  const double apart = logs.size() < 2 ? 0 : *most - *least;
  return std::hypot(least_scale, std::min(spread, most_of_spread), std::min(part_of_disagreement * apart, most_of_disagreement));
}

double middle_seconds(const ByMethod& seconds) {
  std::vector<double> told;
  for (const Method method : {Method::roofline, Method::efficiency, Method::overlap})
    if (const double one = seconds[index_of(method)]; one > 0 && std::isfinite(one)) told.push_back(one);
  return told.empty() ? absent : median_of(told);
}

double conformal_quantile(std::vector<double> scores) {
  const auto rank = static_cast<std::size_t>(std::ceil(coverage * static_cast<double>(scores.size() + 1)));
  if (rank > scores.size()) return absent;
  std::ranges::nth_element(scores, scores.begin() + static_cast<std::ptrdiff_t>(rank - 1));
  return scores[rank - 1];
}

double error_quantile(const RecordClass& of, Method method) {
  std::vector<double> scores;
  for (const auto* row : of.rows) {
    const double error = std::abs(row->log_error[index_of(method)]);
    if (std::isfinite(error) && row->scale > 0) scores.push_back(error / row->scale);
  }
  return conformal_quantile(std::move(scores));
}

double plain_error_quantile(const RecordClass& of, Method method) {
  std::vector<double> errors;
  for (const auto* row : of.rows)
    if (const double error = std::abs(row->log_error[index_of(method)]); std::isfinite(error)) errors.push_back(error);
  return conformal_quantile(std::move(errors));
}

}  // namespace plumbline
