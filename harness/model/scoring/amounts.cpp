#include "model/scoring/amounts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace plumbline {
namespace {

/// The part of the cases that have some amounts, summed up.
struct Part {
  Summary summary = {};
  std::vector<Evidence> evidence = {};
  std::set<std::uint32_t> kernels = {};  // of the sharp ones

  void add(const Evidence& one, const FactorTable& factors, const Limits& limits) {
    summary.add(one, limits);
    evidence.push_back(one);
    if (one.is_sharp()) kernels.insert(factors.value(one.at, Factor::kernel));
  }
  bool is_trusted(const Limits& limits) const {
    return summary.verdict(limits).grade == 'A' && summary.sharp() >= rules::trusted_cases && kernels.size() >= rules::trusted_kernels;
  }
};

/// An offset is one where the rest is a straight line.
bool is_straight(const Linearity& line, const Limits& limits) {
  if (!std::isfinite(line.intercept) || line.residual > limits.dispersion || !(line.slope > 0)) return false;
  return (line.intercept_lo > 0 || line.intercept_hi < 0) && line.worst <= limits.worst;
}

Linearity line_of(const std::vector<Evidence>& evidence, OffsetPer per) {
  std::vector<Point> points;
  for (const auto& one : evidence)
    if (one.is_sharp()) points.push_back(point_of(one, offsets_in(per, one.ranks, one.threads)));
  return fit_line(std::move(points), "");
}

/// A zero test that shows the offset, to a share of it.
bool shows(const Calibration& by, const Evidence& zero) {
  constexpr double share = 0.1;
  const double offset = by.offset * offsets_in(by.per, zero.ranks, zero.threads);
  return std::abs(zero.measured - offset) <= share * std::abs(offset) + zero.exact_hi + zero.zero_bound;
}

/// The misfit of the line: what it leaves of the counts that tell and of the zero tests, which are an offset and nothing else.
double misfit_of(const Linearity& line, OffsetPer per, const std::vector<Evidence>& evidence) {
  double squares = 0;
  std::size_t n = 0;
  for (const auto& one : evidence) {
    if (!one.is_sharp() && one.zero == ZeroTest::no) continue;
    const Point point = point_of(one, offsets_in(per, one.ranks, one.threads));
    const double left = point.measured / (line.intercept + line.slope * point.exact) - 1;
    squares += left * left;
    ++n;
  }
  return std::sqrt(squares / static_cast<double>(n));
}

/// The amount beyond which the offset's interval, and the scatter of counts that hold it, leave no more open, and no case is farther off,
/// than a trusted counter may be.
double sure_beyond(const Calibration& by, const Linearity& line, const std::vector<Evidence>& evidence, const Limits& limits) {
  constexpr double scatters = 3;
  const double open = ((by.offset_hi - by.offset_lo) / 2 + scatters * line.residual * std::abs(by.offset)) * by.factor;
  double from = 0;
  for (const auto& one : evidence) {
    from = std::max(from, open * offsets_in(by.per, one.ranks, one.threads) / limits.worst);
    if (!one.tells() || one.unsteady) continue;
    const auto after = calibrated(one, by);
    if (!after || std::abs(after->ratio - 1) > limits.worst) from = std::max(from, one.exact_hi);
  }
  return from;
}

std::optional<GoodAmounts> good_from(const Calibration& by, const Linearity& line, const std::vector<Evidence>& evidence,
                                     const FactorTable& factors, const Limits& limits) {
  const auto shows_another = [&](const Evidence& one) { return one.zero != ZeroTest::no && !shows(by, one); };
  if (std::any_of(evidence.begin(), evidence.end(), shows_another)) return std::nullopt;
  const double from = sure_beyond(by, line, evidence, limits);
  Part part;
  for (const auto& one : evidence)
    if (one.tells() && one.exact_lo > from)
      if (const auto after = calibrated(one, by)) part.add(*after, factors, limits);
  if (!part.is_trusted(limits)) return std::nullopt;
  return GoodAmounts{.from = from, .ratio_lo = part.summary.min(), .ratio_hi = part.summary.max(), .cases = part.summary.cases()};
}

/// Kernels of the sharp cases.
std::size_t kernels_in(const std::vector<Evidence>& evidence, const FactorTable& factors) {
  std::set<std::uint32_t> kernels;
  for (const auto& one : evidence)
    if (one.is_sharp()) kernels.insert(factors.value(one.at, Factor::kernel));
  return kernels.size();
}

Offset with_line(const Linearity& line, OffsetPer per, const std::vector<Evidence>& evidence, const FactorTable& factors,
                 const Limits& limits) {
  Offset offset{.line = line, .misfit = misfit_of(line, per, evidence), .by = by_offset(line, evidence, limits, per)};
  const bool is_of_one_kernel = kernels_in(evidence, factors) < 2;  // which may do something else at some size
  if (offset.by.verdict == OffsetVerdict::calibrated && is_of_one_kernel) offset.by.verdict = OffsetVerdict::too_uncertain;
  if (offset.by.verdict == OffsetVerdict::calibrated) return offset;
  offset.from = good_from(offset.by.calibration, line, evidence, factors, limits);
  if (!offset.from) return offset;
  offset.by.calibration.ratio_lo = offset.from->ratio_lo;
  offset.by.calibration.ratio_hi = offset.from->ratio_hi;
  return offset;
}

/// Whether all of them would do without any one kernel.
bool is_shown_without_any_kernel(OffsetPer per, const std::vector<Evidence>& evidence, const FactorTable& factors, const Limits& limits) {
  std::set<std::uint32_t> kernels;
  for (const auto& one : evidence)
    if (one.is_sharp()) kernels.insert(factors.value(one.at, Factor::kernel));
  return kernels.size() > 1 && std::all_of(kernels.begin(), kernels.end(), [&](std::uint32_t left_out) {
           std::vector<Evidence> others;
           for (const auto& one : evidence)
             if (factors.value(one.at, Factor::kernel) != left_out) others.push_back(one);
           const Linearity line = line_of(others, per);
           return is_straight(line, limits) && with_line(line, per, evidence, factors, limits).is_enough();
         });
}

bool are_alike(OffsetPer a, OffsetPer b, const std::vector<Evidence>& evidence) {
  return std::all_of(evidence.begin(), evidence.end(),
                     [&](const Evidence& one) { return offsets_in(a, one.ranks, one.threads) == offsets_in(b, one.ranks, one.threads); });
}

}  // namespace

double cap_of(const std::vector<Evidence>& evidence, const FactorTable& factors, const Limits& limits) {
  double least = absent;
  for (std::uint32_t team = 0; team < factors.values(Factor::team); ++team) {
    std::vector<Point> points;  // what stops lies below even the least that the model allows, so wide intervals tell too
    for (const auto& one : evidence)
      if (one.tells() && !one.unsteady && factors.value(one.at, Factor::team) == team) points.push_back(point_of(one));
    least = std::fmin(least, saturation_of(std::move(points), limits.dispersion));
  }
  return least;
}

std::optional<GoodAmounts> good_below(double cap, const std::vector<Evidence>& evidence, const FactorTable& factors, const Limits& limits) {
  const double up_to = cap * (1 - limits.worst);
  Part part;
  for (const auto& one : evidence)
    if (one.exact_hi <= up_to) part.add(one, factors, limits);
  if (!part.is_trusted(limits)) return std::nullopt;
  const Interval possible = possible_of(part.evidence, limits);
  return GoodAmounts{.up_to = up_to, .ratio_lo = possible.lo, .ratio_hi = possible.hi, .cases = part.summary.cases()};
}

std::optional<Offset> offset_of(const std::vector<Evidence>& evidence, const FactorTable& factors, const Limits& limits) {
  constexpr double clearly = 0.7;
  std::vector<Offset> found;
  for (const OffsetPer per : {OffsetPer::team, OffsetPer::rank, OffsetPer::thread}) {
    const auto is_told = [&](const Offset& other) { return are_alike(per, other.by.calibration.per, evidence); };
    if (std::any_of(found.begin(), found.end(), is_told)) continue;
    const Linearity line = line_of(evidence, per);
    if (is_straight(line, limits)) found.push_back(with_line(line, per, evidence, factors, limits));
  }
  if (found.empty()) return std::nullopt;
  const auto is_better = [&](const Offset& one, const Offset& other) {
    return one.is_enough() != other.is_enough() ? one.is_enough() : one.misfit < clearly * other.misfit;
  };
  Offset best = found.front();
  for (const Offset& one : found)
    if (is_better(one, best)) best = one;
  const bool is_told_apart = std::all_of(found.begin(), found.end(), [&](const Offset& other) {
    return other.by.calibration.per == best.by.calibration.per || is_better(best, other);
  });
  best.is_confirmed = best.is_enough() && is_told_apart && is_shown_without_any_kernel(best.by.calibration.per, evidence, factors, limits);
  return best;
}

}  // namespace plumbline
