#include "model/statistics/linearity.hpp"

#include <algorithm>
#include <cmath>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

/// Amounts that differ by less than this part are one amount: the slope between them would be that of their noise.
constexpr double same_amount = 1e-6;
/// Amounts that all lie within this factor show no line.
constexpr double least_range = 1.5;
/// Through two amounts goes a line whatever was counted.
constexpr std::size_t fewest_amounts = 3;

/// Spread evenly over x, ends included; equal amounts are made equal.
std::vector<Point> thinned(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.exact < b.exact || (a.exact == b.exact && a.measured < b.measured); });
  std::vector<Point> some;
  const std::size_t kept = std::min(points.size(), fit_points);
  for (std::size_t i = 0; i < kept; ++i) some.push_back(points[i * (points.size() - 1) / (kept - 1)]);
  for (std::size_t i = 1; i < some.size(); ++i) {
    Point& p = some[i];
    const double before = some[i - 1].exact;
    if (p.exact <= before * (1 + same_amount)) p = {before, p.measured * (before / p.exact)};
  }
  return some;
}

/// The number of different amounts of points, which are in their order.
std::size_t amounts_in(const std::vector<Point>& sorted) {
  std::size_t amounts = sorted.empty() ? 0 : 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) amounts += sorted[i].exact != sorted[i - 1].exact;
  return amounts;
}

}  // namespace

MedianLine theil_sen(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> slopes;
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (x[i] != x[j]) slopes.push_back((y[i] - y[j]) / (x[i] - x[j]));
  if (slopes.empty()) return {};
  std::sort(slopes.begin(), slopes.end());
  MedianLine line{.slope = (slopes[(slopes.size() - 1) / 2] + slopes[slopes.size() / 2]) / 2};
  line.intercept = median_of(y) - line.slope * median_of(x);
  // Sen (1968), without the correction for ties: those only narrow the interval.
  const auto m = static_cast<double>(n);
  const double reach = 1.959963984540054 * std::sqrt(m * (m - 1) * (2 * m + 5) / 18);
  const auto pairs = static_cast<double>(slopes.size());
  const auto slope_at = [&](double rank) { return slopes[static_cast<std::size_t>(std::clamp(rank, 0.0, pairs - 1))]; };
  line.slope_lo = slope_at(std::round((pairs - reach) / 2) - 1);
  line.slope_hi = slope_at(std::round((pairs + reach) / 2));
  return line;
}

Linearity fit_line(std::vector<Point> points, std::string regime) {
  Linearity fit{.regime = std::move(regime), .n = points.size()};
  if (points.size() < 4) return fit;
  const std::vector<Point> all = points;
  points = thinned(std::move(points));
  if (points.back().exact < least_range * points.front().exact || amounts_in(points) < fewest_amounts) return fit;
  std::vector<double> inverse, ratio, log_x, log_y;
  for (const auto& p : points) {
    inverse.push_back(1 / p.exact);
    ratio.push_back(p.measured / p.exact);
    log_x.push_back(std::log(p.exact));
    log_y.push_back(std::log(p.measured));
  }
  const MedianLine line = theil_sen(inverse, ratio);
  if (!(line.intercept > 0)) return fit;  // what counts less the more there is follows no such line
  fit.slope = line.intercept;
  fit.intercept = line.slope;
  fit.intercept_lo = line.slope_lo;
  fit.intercept_hi = line.slope_hi;
  fit.log_log_slope = theil_sen(log_x, log_y).slope;
  std::vector<double> residuals;
  for (const auto& p : points) residuals.push_back(p.measured / (fit.intercept + fit.slope * p.exact));
  fit.residual = scatter_of(residuals);
  fit.worst = 0;
  for (const auto& p : all) fit.worst = std::max(fit.worst, std::abs(p.measured / (fit.intercept + fit.slope * p.exact) - 1));
  return fit;
}

double saturation_of(std::vector<Point> points, double dispersion) {
  constexpr double clearly = 1.1, range = 1.5;
  constexpr std::size_t fewest = 3;
  if (points.empty()) return absent;
  std::vector<double> counts;
  for (const auto& p : points) counts.push_back(p.measured);
  const double most = *std::max_element(counts.begin(), counts.end());
  std::erase_if(points, [&](const Point& p) { return p.exact <= clearly * most; });
  if (points.size() < fewest) return absent;
  counts.clear();
  for (const auto& p : points) counts.push_back(p.measured);
  const auto by_exact = [](const Point& a, const Point& b) { return a.exact < b.exact; };
  const auto [least, largest] = std::minmax_element(points.begin(), points.end(), by_exact);
  const double cap = median_of(counts);
  return largest->exact >= range * least->exact && scatter_of(counts) <= 2 * dispersion * cap ? cap : absent;
}

}  // namespace plumbline
