#include "model/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace plumbline {

void Summary::Moments::add(double ratio) {
  ++n;
  logs += std::log(ratio);
  offsets += ratio - 1;
  squares += (ratio - 1) * (ratio - 1);
  min = std::min(min, ratio);
  max = std::max(max, ratio);
}

void Summary::Moments::add(const Moments& other) {
  n += other.n;
  logs += other.logs;
  offsets += other.offsets;
  squares += other.squares;
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

void Summary::add(const Evidence& evidence, const Limits& limits) {
  zero_tests_ += evidence.zero != ZeroTest::no;
  zero_failures_ += evidence.zero == ZeroTest::failed;
  nothings_ += evidence.counted_nothing;
  if (!evidence.tells()) return;
  all_.add(evidence.ratio);
  if (evidence.is_sharp()) {
    sharp_.add(evidence.ratio);
    return;
  }
  if (evidence.unsteady) return;
  least_factor_ = std::max(least_factor_, evidence.measured / (evidence.exact_hi * (1 + limits.worst)));
  if (evidence.exact_lo > 0) most_factor_ = std::min(most_factor_, evidence.measured / (evidence.exact_lo * (1 - limits.worst)));
}

void Summary::add(const Summary& other) {
  all_.add(other.all_);
  sharp_.add(other.sharp_);
  least_factor_ = std::max(least_factor_, other.least_factor_);
  most_factor_ = std::min(most_factor_, other.most_factor_);
  zero_tests_ += other.zero_tests_;
  zero_failures_ += other.zero_failures_;
  nothings_ += other.nothings_;
}

bool Summary::is_steady(const Limits& limits) const {
  const double b = sharp_.bias();
  return sharp_.n >= fewest_cases && sharp_.cv() <= limits.dispersion && sharp_.max / b - 1 <= limits.worst &&
         1 - sharp_.min / b <= limits.worst && least_factor_ <= b && b <= most_factor_;
}

bool Summary::is_trusted(const Limits& limits) const {
  return is_steady(limits) && std::abs(sharp_.bias() - 1) <= limits.bias && sharp_.max - 1 <= limits.worst &&
         1 - sharp_.min <= limits.worst && least_factor_ <= 1 && 1 <= most_factor_;
}

char Summary::grade(const Limits& limits) const {
  if (fails()) return 'D';
  if (is_trusted(limits)) return 'A';
  if (is_steady(limits)) return 'B';
  const bool outside = least_factor_ > 1 || most_factor_ < 1;
  return sharp_.n >= fewest_cases || (outside && all_.n >= fewest_cases) ? 'D' : '-';
}

Summary summarize(std::span<const Evidence> evidence, const Limits& limits) {
  Summary summary;
  for (const auto& one : evidence) summary.add(one, limits);
  return summary;
}

}  // namespace plumbline
