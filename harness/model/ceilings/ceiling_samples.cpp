#include "model/ceilings/ceiling_samples.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {

Ceiling described(const CeilingRow& row) {
  return {.name = name_without_form(row),
          .precision = row.precision,
          .level = row.level,
          .pattern = row.pattern,
          .ranks = row.ranks,
          .threads = row.threads,
          .node = row.node,
          .unit = row.unit,
          .method = row.method,
          .scope = row.scope == gpu_scope ? row.scope : "",
          .form = row.form,
          .device = row.device,
          .samples_form = row.form};  // of a CPU's it is that of the best sample (model/ceilings/ceiling_limits.hpp)
}

void take_spread(Ceiling& ceiling, const Spread& spread) {
  ceiling.n = spread.n;
  ceiling.min = spread.min;
  ceiling.median = spread.median;
  ceiling.max = spread.max;
  ceiling.cv = spread.cv;
}

namespace {

bool is_about(const FormContest& contest, const Ceiling& ceiling) {
  return contest.node == ceiling.node && contest.pattern == ceiling.pattern && contest.precision == ceiling.precision &&
         contest.unit == ceiling.unit && contest.ranks == ceiling.ranks && contest.threads == ceiling.threads &&
         (std::isfinite(contest.working_set_bytes) ? std::isfinite(ceiling.samples_bytes) && std::isfinite(ceiling.confidence)
                                                   : contest.name == ceiling.name && ceiling.is_compute());
}

/// The distance between a contest's working set and a ceiling's, in octaves; 0 for arithmetic.
double apart(const FormContest& contest, const Ceiling& ceiling) {
  if (!std::isfinite(contest.working_set_bytes)) return 0;
  return std::abs(std::log2(contest.working_set_bytes / ceiling.samples_bytes));
}

/// A contest a working set: a candidate has the form that stands for the ceiling, or for the plan's own loop it is the first.
void name_form(Ceiling& ceiling, const FormContest& contest) {
  if (ceiling.samples_form.empty()) ceiling.form = contest.candidates.front().form;
  for (const auto& one : contest.candidates)
    if (one.form == ceiling.form)
      ceiling.contest_rate = one.rate;
    else if (std::isfinite(one.rate))
      ceiling.runners_up.push_back(one);
  std::stable_sort(ceiling.runners_up.begin(), ceiling.runners_up.end(),
                   [](const FormRate& a, const FormRate& b) { return a.rate > b.rate; });
}

}  // namespace

void name_forms(std::vector<Ceiling>& ceilings, std::span<const FormContest> contests) {
  for (auto& ceiling : ceilings) {
    if (ceiling.status != Status::ok) continue;
    const FormContest* nearest = nullptr;
    for (const auto& contest : contests)
      if (is_about(contest, ceiling) && (nearest == nullptr || apart(contest, ceiling) < apart(*nearest, ceiling))) nearest = &contest;
    if (nearest != nullptr) name_form(ceiling, *nearest);
  }
}

}  // namespace plumbline
