#include "model/scoring/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/spread.hpp"

namespace plumbline {

void Summary::Moments::add(double ratio, double error) {
  ++n;
  logs += std::log(ratio);
  offsets += ratio - 1;
  squares += (ratio - 1) * (ratio - 1);
  errors += ratio * error * ratio * error;
  min = std::min(min, ratio);
  max = std::max(max, ratio);
}

void Summary::Moments::add(const Moments& other) {
  n += other.n;
  logs += other.logs;
  offsets += other.offsets;
  squares += other.squares;
  errors += other.errors;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

double Summary::Moments::bias() const { return n == 0 ? absent : std::exp(logs / static_cast<double>(n)); }

double Summary::Moments::cv() const {
  if (n < 2) return absent;
  const auto count = static_cast<double>(n);
  const double mean = offsets / count;
  const double variance = std::max(0.0, squares - count * mean * mean) / (count - 1);
  return std::sqrt(variance) / std::abs(1 + mean);
}

double Summary::Moments::cv_between_cases() const {
  const double all = cv(), own = bias();
  return n < 2 ? absent : std::sqrt(std::max(0.0, all * all - errors / static_cast<double>(n) / (own * own)));
}

void Summary::add(const Evidence& evidence, const Limits& limits) {
  zero_tests_ += evidence.zero != ZeroTest::no;
  zero_failures_ += evidence.zero == ZeroTest::failed;
  if (evidence.counted_nothing) nothings_.push_back(evidence.at);
  if (!evidence.tells()) return;
  all_.add(evidence.ratio, evidence.error);
  if (evidence.is_sharp()) sharp_.add(evidence.ratio, evidence.error);
  narrow_ += evidence.is_narrow();
  unsteady_ += evidence.is_narrow() && evidence.unsteady;
  constexpr double any = std::numeric_limits<double>::infinity();
  judged_.push_back({.at = evidence.at,
                     .sharp = evidence.is_sharp(),
                     .ratio = evidence.ratio,
                     .error = evidence.error,
                     .least = evidence.least() / (evidence.exact_hi * (1 + limits.worst)),
                     .most = evidence.exact_lo > 0 ? evidence.most() / (evidence.exact_lo * (1 - limits.worst)) : any});
}

void Summary::add(const Summary& other) {
  all_.add(other.all_);
  sharp_.add(other.sharp_);
  judged_.insert(judged_.end(), other.judged_.begin(), other.judged_.end());
  nothings_.insert(nothings_.end(), other.nothings_.begin(), other.nothings_.end());
  zero_tests_ += other.zero_tests_;
  zero_failures_ += other.zero_failures_;
  narrow_ += other.narrow_;
  unsteady_ += other.unsteady_;
}

std::vector<std::uint32_t> Summary::strays_of(double factor) const {
  std::vector<std::uint32_t> strays = nothings_;
  for (const auto& one : judged_)
    if (!one.bears(factor)) strays.push_back(one.at);
  return strays;
}

/// The factor is first that of the median case, which strays do not move, and then the mean of all cases that bear it.
CaseVerdict Summary::steady(const Limits& limits, std::size_t strays) const {
  std::vector<double> ratios;
  for (const auto& one : judged_)
    if (one.sharp) ratios.push_back(one.ratio);
  const double middle = quantile(ratios, 0.5);
  Moments kept;
  for (const auto& one : judged_)
    if (one.sharp && one.bears(middle)) kept.add(one.ratio, one.error);
  CaseVerdict found{.grade = 'D', .factor = kept.bias(), .strays = strays_of(kept.bias())};
  if (found.strays.size() > strays) return {.grade = 'D'};
  if (kept.n < rules::fewest_cases || kept.cv_between_cases() > limits.dispersion) return {.grade = 'D'};
  const bool right = found.strays.empty() && std::abs(found.factor - 1) <= limits.bias && strays_of(1).empty();
  found.grade = right ? 'A' : 'B';
  return found;
}

CaseVerdict Summary::verdict(const Limits& limits, std::size_t strays) const {
  const std::size_t allowed = std::max(strays, rules::strays_allowed(judged()));
  if (zero_failures_ > 0 || nothings_.size() > allowed) return {.grade = 'D'};
  if (sharp_.n >= rules::fewest_cases) return steady(limits, allowed);
  return {.grade = all_.n >= rules::fewest_cases && strays_of(1).size() > allowed ? 'D' : '-'};
}

bool Summary::bears(double factor, const Limits& limits) const {
  const CaseVerdict own = verdict(limits);
  return own.is_good() && std::abs(own.factor / factor - 1) <= limits.bias && strays_of(factor).size() <= rules::strays_allowed(judged());
}

Summary summarize(std::span<const Evidence> evidence, const Limits& limits) {
  Summary summary;
  for (const auto& one : evidence) summary.add(one, limits);
  return summary;
}

}  // namespace plumbline
