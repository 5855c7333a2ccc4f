#include "model/night_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/spread.hpp"
#include "model/student.hpp"

namespace plumbline {
namespace {

constexpr double mad_efficiency =
    0.37;                         // so much of a normal sample tells its median absolute deviation (Rousseeuw and Croux, JASA 88, 1993)
constexpr int prior_freedom = 8;  // a class's scatter counts as much as eight more nights of the series
constexpr std::size_t least_for_scatter = 3, least_for_calibration = 5, enough_to_calibrate = 100;
constexpr double most_tail_factor = 3;  // a series that did change within the baseline is to widen others' intervals only so far
constexpr double least_scatter = 1e-4;  // of a clock that is read in ticks

/// A scatter and how many degrees of freedom it has.
struct Scale {
  double scatter = least_scatter;
  int freedom = prior_freedom;
};

Scale moderated(std::span<const double> nights, double of_class) {
  if (nights.size() < least_for_scatter) return {std::max(of_class, least_scatter), prior_freedom};
  const double own = scatter_of({nights.begin(), nights.end()});
  const int freedom = std::max(1, static_cast<int>(mad_efficiency * static_cast<double>(nights.size() - 1)));
  const double variance = (prior_freedom * of_class * of_class + freedom * own * own) / (prior_freedom + freedom);
  return {std::max(std::sqrt(variance), least_scatter), prior_freedom + freedom};
}

/// The error of predicting a night by the median of n before it, in scatters of a night.
double prediction_error(std::size_t n) { return std::sqrt(1 + std::numbers::pi / 2 / static_cast<double>(n)); }

/// Between nights, as the median over a class's series; where none has nights enough, what its samples scatter within a night.
std::map<std::string, double> class_scatters(std::span<const CheckedSeries> series) {
  std::map<std::string, std::vector<double>> between, within;
  for (const auto& one : series) {
    if (one.before.size() >= least_for_scatter) between[one.row_class].push_back(scatter_of(one.before));
    if (std::isfinite(one.sample_scatter)) within[one.row_class].push_back(one.sample_scatter);
  }
  std::map<std::string, double> scatters;
  for (const auto& one : series) {
    if (scatters.contains(one.row_class)) continue;
    const auto& known = between.contains(one.row_class) ? between[one.row_class] : within[one.row_class];
    const double scatter = median_of(known);
    // Without either: a third of what matters in practice.
    scatters[one.row_class] = std::isfinite(scatter) ? scatter : practical_threshold(one.row_class) / 3;
  }
  return scatters;
}

/// Every night of the baseline as a night to be checked, by those before it: distance over predicted error, over Student's quantile.
std::vector<double> past_distances(std::span<const CheckedSeries> series, std::map<std::string, double>& scatters, double tail) {
  std::vector<double> distances;
  std::map<int, double> quantiles;
  for (const auto& one : series)
    for (std::size_t night = least_for_calibration; night < one.before.size(); ++night) {
      const auto before = std::span(one.before).first(night);
      const Scale scale = moderated(before, scatters[one.row_class]);
      auto& quantile = quantiles[scale.freedom];
      if (quantile == 0) quantile = student_quantile(tail, scale.freedom);
      const double middle = median_of({before.begin(), before.end()});
      distances.push_back(std::abs(one.before[night] - middle) / (scale.scatter * prediction_error(night)) / quantile);
    }
  return distances;
}

double threshold_of(const std::string& row_class, const CheckOptions& options) {
  return options.threshold.value_or(std::max(practical_threshold(row_class), options.least_threshold));
}

NightFinding finding_of(const CheckedNight& night) {
  switch (verdict_of({night.slowdown, night.lo, night.hi}, night.threshold)) {
    case Verdict::slower:
      return NightFinding::slower;
    case Verdict::faster:
      return NightFinding::faster;
    case Verdict::same:
    case Verdict::ambiguous:
      break;
  }
  return night.slowdown > 1 + night.threshold ? NightFinding::suspect : NightFinding::ok;
}

}  // namespace

double log_cost(double value, const std::string& unit) { return less_is_better(unit) ? std::log(value) : -std::log(value); }
double value_of(double log_cost, const std::string& unit) { return std::exp(less_is_better(unit) ? log_cost : -log_cost); }

NightValue night_value(const Observation& observation) {
  NightValue value{.clock_hz = observation.clock_hz};
  std::vector<double> all, logs;
  for (const auto& session : observation.sessions) all.insert(all.end(), session.begin(), session.end());
  for (const double x : all) logs.push_back(std::log(x));
  value.n = all.size();
  value.median = median_of(all);
  if (all.size() < 2) return value;
  value.scatter = scatter_of(logs);
  const double half = student_quantile(0.025, static_cast<int>(std::min<std::size_t>(all.size() - 1, most_freedom))) * value.scatter *
                      std::sqrt(std::numbers::pi / 2 / static_cast<double>(all.size()));
  value.lo = value.median * std::exp(-half);
  value.hi = value.median * std::exp(half);
  return value;
}

std::string_view to_string(NightFinding finding) {
  switch (finding) {
    case NightFinding::ok:
      return "OK";
    case NightFinding::slower:
      return "SLOWER";
    case NightFinding::faster:
      return "FASTER";
    case NightFinding::suspect:
      return "SUSPECT";
    case NightFinding::no_baseline:
      break;
  }
  return "NO BASELINE";
}

double extreme_quantile(std::vector<double> sizes, double tail) {
  const std::size_t n = sizes.size();
  if (n < enough_to_calibrate) return absent;
  const std::size_t k = std::max<std::size_t>(10, n / 50);
  std::partial_sort(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(k + 1), sizes.end(), std::greater<>());
  if (!(sizes[k] > 0)) return absent;
  double index = 0;
  for (std::size_t i = 0; i < k; ++i) index += std::log(sizes[i] / sizes[k]) / static_cast<double>(k);
  return sizes[k] * std::pow(static_cast<double>(k) / static_cast<double>(n) / tail, index);
}

Checked check_night(std::span<const CheckedSeries> series, const CheckOptions& options) {
  Checked checked;
  CheckSummary& summary = checked.summary;
  const auto rows = std::count_if(series.begin(), series.end(), [](const auto& one) { return !one.before.empty(); });
  const double tail = options.false_alarms / static_cast<double>(std::max<std::ptrdiff_t>(1, rows));
  auto scatters = class_scatters(series);
  const auto past = options.calibrate ? past_distances(series, scatters, tail) : std::vector<double>();
  summary.probability_of_row = tail;
  summary.calibrated_by = past.size();
  if (const double extreme = extreme_quantile(past, 2 * tail); std::isfinite(extreme))  // two-sided distances
    summary.tail_factor = std::clamp(extreme, 1.0, most_tail_factor);
  std::map<std::string, std::vector<double>> half_widths;
  for (const auto& one : series) {
    CheckedNight& night = checked.rows.emplace_back();
    night.threshold = threshold_of(one.row_class, options);
    night.nights = one.before.size();
    if (one.before.empty()) continue;
    const double middle = median_of(one.before);
    const Scale scale = moderated(one.before, scatters[one.row_class]);
    const double predicted = summary.tail_factor * student_quantile(tail, scale.freedom) * scale.scatter * prediction_error(night.nights);
    const double half = std::hypot(predicted, one.after_half_width);
    half_widths[one.row_class].push_back(half);
    night.before = value_of(middle, one.unit);
    night.slowdown = std::exp(one.after - middle);
    night.lo = std::exp(one.after - middle - half);
    night.hi = std::exp(one.after - middle + half);
    night.finding = finding_of(night);
  }
  for (const auto& [row_class, widths] : half_widths)
    summary.smallest_detectable[row_class] =
        smallest_detectable(threshold_of(row_class, options), median_of(widths),
                            summary.tail_factor * student_quantile(tail, most_freedom + 1));
  return checked;
}

}  // namespace plumbline
