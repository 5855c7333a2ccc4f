#include "model/scoring/counted_case.hpp"

#include <algorithm>
#include <cmath>

#include "model/cases/weighted_sum.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

/// Counts are integers kept as doubles, divided by the number of sweeps: this is far below one operation in any of them.
constexpr double rounding = 1e-12;

/// The counts that a zero test allows: this part of what the case does of the same kind (operations of all precisions; bytes between
/// registers and L1), but no less than a handful of operations, or than the lines that a sweep's surroundings touch.
constexpr double zero_share_flops = 0.001, zero_share_bytes = 0.01, zero_flops_a_rank = 16;

/// A count is as good as nothing below this part of what there is; or below this larger part, when a zero test would allow it.
constexpr double nothing_part = 0.001, allowed_nothing_part = 0.02;

/// The lower quartile of the repetitions' sizes: what a counter sees where there is nothing shows in nearly all of them, an interrupt in
/// few.
double size_in_most(const std::vector<double>& repetitions, double value) {
  if (repetitions.empty()) return std::abs(value);
  std::vector<double> sizes;
  for (const double x : repetitions) sizes.push_back(std::abs(x));
  return quantile(sizes, 0.25);
}

/// Adds a term's repetitions, weighted, to those of the terms before it.
void add_repetitions(std::vector<double>& sums, const std::vector<double>& more, double weight, bool first) {
  if (first) sums.assign(more.size(), 0);
  sums.resize(std::min(sums.size(), more.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += weight * more[i];
}

void divide_repetitions(std::vector<double>& sums, const std::vector<double>& by) {
  sums.resize(std::min(sums.size(), by.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= by[i];
}

/// The total of a precision, "flops.fp16" of "flops.fp16.add" and of itself; nothing for what has no precision.
std::string precision_total(const std::string& quantity) {
  const std::string total = quantity.substr(0, quantity.find('.', quantity.find('.') + 1));
  return quantity.starts_with("flops.") && total != "flops.tensor" ? total : std::string();
}

/// The other groups' medians over the first one's: the one that is farthest off.
double joint_over_first(const Reported& count) {
  double worst = absent;
  for (std::size_t g = 1; g < count.groups.size(); ++g) {
    const double ratio = group_over_first(count, g);
    if (std::isfinite(ratio) && (!std::isfinite(worst) || std::abs(ratio - 1) > std::abs(worst - 1))) worst = ratio;
  }
  return worst;
}

}  // namespace

bool claims_references(const Counter& counter) {
  return std::any_of(counter.quantities.begin(), counter.quantities.end(), [](const auto& q) { return q.starts_with("bytes.reg-L1"); });
}

Formula::Formula(const Counter& counter, const Columns& columns) : counter_(counter), columns_(columns) {
  for (const auto& event : events_of(counter)) events_.push_back(columns.event(counter.backend, event));
  for (const auto& quantity : counter.quantities) {
    quantities_.push_back(columns.quantity(quantity));
    precisions_.push_back(columns.quantity(precision_total(quantity)));
  }
  if (counter.kind == Kind::bytes) {
    references_ = {columns.quantity(Columns::written_references), columns.quantity("bytes.reg-L1")};
  } else {
    for (const auto& name : columns.quantities_below("flops."))
      if (name.find('.', std::string("flops.").size()) == std::string::npos) activity_.push_back(columns.quantity(name));
  }
}

Bounds Formula::expected(std::size_t at) const {
  Bounds sum{0, 0};
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    const Bounds part = expected_of(at, q);
    sum = {sum.lo + part.lo, sum.hi + part.hi};
  }
  return sum;
}

/// Whether a case on a GPU may count halves that no model names. The compiler moves constants into registers by an FMA of half zeros (HFMA2
/// R, -RZ, RZ, constant), in kernels of any precision: a right counter sees two operations of halves for each thread that does. So the
/// halves are no zero to test against, where a model names none (counters/sass/sass.cpp leaves the same instructions out).
bool Formula::may_move_by_halves(std::size_t at, const std::string& quantity) const {
  const std::string precision = precision_total(quantity);
  if (!columns_.on_gpu(at) || (precision != "flops.fp16" && precision != "flops.bf16")) return false;
  return !std::isfinite(columns_.bounds(at, columns_.quantity("flops.fp16")).lo) &&
         !std::isfinite(columns_.bounds(at, columns_.quantity("flops.bf16")).lo);
}

/// A model that speaks of FLOPs names all precisions that occur: one that it does not name is nothing.
Bounds Formula::expected_of(std::size_t at, std::size_t q) const {
  const Bounds stated = columns_.bounds(at, quantities_[q]);
  if (may_move_by_halves(at, counter_.quantities[q])) return stated;
  if (std::isfinite(stated.lo) || precision_total(counter_.quantities[q]).empty()) return stated;
  const bool names_precision = std::isfinite(columns_.bounds(at, precisions_[q]).lo);
  const bool speaks_of_flops =  // the activity of a counter of FLOPs is that of all precisions
      std::any_of(activity_.begin(), activity_.end(), [&](std::size_t total) { return std::isfinite(columns_.bounds(at, total).lo); });
  return speaks_of_flops && !names_precision ? Bounds{0, 0} : stated;
}

bool Formula::lacks_truth(std::size_t at) const {
  return claims_references(counter_) && !std::isfinite(expected(at).hi) &&
         std::isfinite(columns_.bounds(at, columns_.quantity(Columns::written_references)).hi);
}

bool Formula::was_tried(std::size_t at) const {
  return std::all_of(events_.begin(), events_.end(), [&](std::size_t event) {
    const Reported* count = columns_.count(at, event);
    return count != nullptr && count->status != Status::skipped;
  });
}

double Formula::activity(std::size_t at) const {
  for (const std::size_t quantity : references_)
    if (const Bounds part = columns_.bounds(at, quantity); std::isfinite(part.hi)) return part.hi;
  double sum = 0;
  for (const std::size_t quantity : activity_) {
    const Bounds part = columns_.bounds(at, quantity);
    if (std::isfinite(part.hi)) sum += part.hi;
  }
  return sum;
}

Reported Formula::combined(const Measured& measured, std::size_t at, std::vector<double>& repetitions, double& joint) const {
  std::vector<const Reported*> counts;
  for (const std::size_t event : events_) counts.push_back(columns_.count(at, event));
  const Reported sum = weighted_sum(counter_, measured, counts);
  if (!std::isfinite(sum.value)) return sum;
  for (std::size_t t = 0; t < counter_.terms.size(); ++t) {
    if (!counts[t]->groups.empty()) add_repetitions(repetitions, counts[t]->groups.front().repetitions, counter_.terms[t].weight, t == 0);
    const double other = joint_over_first(*counts[t]);
    if (std::isfinite(other) && (!std::isfinite(joint) || std::abs(other - 1) > std::abs(joint - 1))) joint = other;
  }
  if (auto longest = longest_times(counter_, counts); !longest.empty())
    repetitions = std::move(longest);
  else if (!counter_.over.empty() && !counts.back()->groups.empty())
    divide_repetitions(repetitions, counts.back()->groups.front().repetitions);
  return sum;
}

/// Fills zero and zero_bound, where the model says that there is nothing beyond slack.
void Formula::hold_zero_test(CaseScore& row, const CaseRow& of, std::size_t at, const std::vector<double>& repetitions) const {
  if (row.exact_lo > 0 || row.exact_hi > (counter_.kind == Kind::bytes ? slack_bytes(of) : 0)) return;
  row.zero_bound =
      row.exact ? 0 : std::max(zero_floor(of), activity(at) * (counter_.kind == Kind::bytes ? zero_share_bytes : zero_share_flops));
  const bool passes = size_in_most(repetitions, row.measured) <= row.exact_hi + row.zero_bound;
  row.zero = passes ? ZeroTest::passed : ZeroTest::failed;
}

double Formula::zero_floor(const CaseRow& of) const {
  if (counter_.kind == Kind::time) return rules::lone_launch_seconds;
  return counter_.kind == Kind::bytes ? slack_bytes(of) : zero_flops_a_rank * static_cast<double>(of.ranks);
}

/// Whether a count is as good as nothing. A count below zero tells that only where more is missing than the surroundings of a sweep can
/// take away.
bool Formula::as_good_as_nothing(double count, const CaseScore& row, const CaseRow& of) const {
  if (row.zero != ZeroTest::no || row.exact_lo <= 0) return false;
  if (count < 0) return row.exact_lo - count > zero_floor(of);
  return count < nothing_part * row.exact_lo || (count <= zero_floor(of) && count < allowed_nothing_part * row.exact_lo);
}

/// Fills ratio (and status and reason where there can be none) from measured and exact.
void Formula::judge(CaseScore& row, const Reported& value) const {
  const double margin = rounding * row.exact_hi;
  if (value.status == Status::negative) {  // about nothing where there is nothing is right; else there is no ratio
    row.status = row.zero == ZeroTest::passed ? Status::ok : Status::negative;
    row.ratio = row.zero == ZeroTest::passed ? 1 : absent;
    row.measured = row.zero == ZeroTest::no ? absent : value.value;
    row.reason = value.reason;
  } else if (row.measured >= row.exact_lo - margin && row.measured <= row.exact_hi + margin) {
    row.ratio = 1;
  } else if (row.zero == ZeroTest::passed && row.exact_hi == 0) {
    row.ratio = 1;
    row.reason = "nothing, within the bound of a zero test";
  } else if (row.measured == 0 || row.exact_hi == 0) {
    row.status = Status::failed;
    row.reason = row.measured == 0 ? "counted nothing where there is something" : "counted something where there is nothing";
  } else {
    row.ratio = row.measured / (row.measured < row.exact_lo ? row.exact_lo : row.exact_hi);
    if (row.exact) row.reason = "differs from the arithmetic, which is exact";
  }
}

CaseScore Formula::score(const Measured& measured, std::size_t at, Bounds exact, Evidence& evidence) const {
  CaseScore row{.case_id = measured.of->id,
                .node = measured.node,
                .counter = counter_.name,
                .quantity = {},
                .convention = counter_.convention,
                .exact_lo = exact.lo,
                .exact_hi = exact.hi,
                .exact = counter_.exact};
  std::vector<double> repetitions;
  const Reported value = combined(measured, at, repetitions, evidence.joint);
  row.measured = value.value;
  row.status = value.status;
  row.reason = value.reason;
  if (!std::isfinite(value.value)) return row;
  hold_zero_test(row, *measured.of, at, repetitions);
  judge(row, value);
  judge_repetitions(repetitions, limits_of(counter_.kind), zero_floor(*measured.of), evidence);
  row.scatter = evidence.scatter;
  row.joint = evidence.joint;
  evidence.at = static_cast<std::uint32_t>(at);
  evidence.measured = value.value;
  evidence.ratio = row.ratio;
  evidence.exact_lo = row.exact_lo;
  evidence.exact_hi = row.exact_hi;
  evidence.borne = limits_of(counter_.kind).worst;
  evidence.zero = row.zero;
  evidence.zero_bound = row.zero_bound;
  evidence.ranks = static_cast<std::uint32_t>(measured.of->ranks);
  evidence.threads = static_cast<std::uint32_t>(working_threads(*measured.of));
  evidence.counted_nothing = as_good_as_nothing(value.value, row, *measured.of);
  evidence.negative = value.status == Status::negative;
  return row;
}

}  // namespace plumbline
