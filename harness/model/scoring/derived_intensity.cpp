#include "model/scoring/derived_intensity.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace plumbline {
namespace {

bool is_usable(const CaseScore& row, std::string_view quantity) {
  return row.convention == Convention::paper && row.quantity == quantity && row.was_measured() && row.measured > 0 && row.exact_lo > 0;
}

}  // namespace

std::vector<IntensityScore> derived_intensities(std::span<const CaseScore> rows) {
  std::map<std::pair<std::string, std::string>, const CaseScore*> flops;
  for (const auto& row : rows)
    if (is_usable(row, "paper.flops")) flops[{row.case_id, row.node}] = &row;
  std::vector<IntensityScore> scores;
  for (const auto& bytes : rows) {
    if (!is_usable(bytes, "paper.bytes")) continue;
    const auto found = flops.find({bytes.case_id, bytes.node});
    if (found == flops.end()) continue;
    IntensityScore score{.case_id = bytes.case_id, .node = bytes.node, .counter = bytes.counter};
    score.flops_per_byte = found->second->measured / bytes.measured;
    score.exact = found->second->exact_lo / bytes.exact_lo;
    score.ratio = score.flops_per_byte / score.exact;
    scores.push_back(std::move(score));
  }
  return scores;
}

std::vector<IntensitySummary> summarize(std::span<const IntensityScore> scores) {
  std::vector<IntensitySummary> summaries;
  for (const auto& score : scores) {
    auto one = std::find_if(summaries.begin(), summaries.end(), [&](const auto& s) { return s.counter == score.counter; });
    if (one == summaries.end()) one = summaries.insert(one, {score.counter, 0, score.ratio, 0, score.ratio});
    ++one->n;
    one->min = std::min(one->min, score.ratio);
    one->max = std::max(one->max, score.ratio);
    one->geometric_mean += std::log(score.ratio);
  }
  for (auto& one : summaries) one.geometric_mean = std::exp(one.geometric_mean / static_cast<double>(one.n));
  return summaries;
}

}  // namespace plumbline
