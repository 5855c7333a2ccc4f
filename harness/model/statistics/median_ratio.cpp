#include "model/statistics/median_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/statistics/random.hpp"
#include "model/statistics/spread.hpp"
#include "model/statistics/student.hpp"

namespace plumbline {
namespace {

// Set by simulation (tests/golden/node_turns.json): with these, turns that are correlated by 0.7 name a node no more often than stated.
constexpr double correlation_errors = 1.25, most_correlated = 0.8;

std::vector<double> all_of(const Sessions& sessions) {
  std::vector<double> all;
  for (const auto& session : sessions) all.insert(all.end(), session.begin(), session.end());
  return all;
}

void add_drawn(const std::vector<double>& from, Random& random, std::vector<double>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to.push_back(from[random.below(from.size())]);
}

double median_drawn(const Sessions& sessions, Random& random) {
  std::vector<double> drawn;
  if (sessions.size() == 1) {
    add_drawn(sessions.front(), random, drawn);
  } else {
    for (std::size_t i = 0; i < sessions.size(); ++i) add_drawn(sessions[random.below(sessions.size())], random, drawn);
  }
  return quantile(drawn, 0.5);
}

Interval resampled(const Sessions& before, const Sessions& after, double confidence, std::uint64_t seed, std::size_t resamples) {
  Random random(seed);
  std::vector<double> ratios;
  ratios.reserve(resamples);
  for (std::size_t i = 0; i < resamples; ++i) {
    const double below = median_drawn(before, random);
    ratios.push_back(median_drawn(after, random) / below);
  }
  return {quantile(ratios, (1 - confidence) / 2), quantile(ratios, (1 + confidence) / 2)};
}

/// The middle of logarithms with the variance of that middle, as many degrees of freedom as it has.
struct Middle {
  double log = absent, variance = absent;
  int freedom = 0;
};

Middle middle_of(const Sessions& sessions) {
  std::vector<double> logs;
  if (sessions.size() == 1)
    for (const double x : sessions.front()) logs.push_back(std::log(x));
  else  // sessions are what varies independently
    for (const auto& session : sessions) logs.push_back(std::log(median_of(session)));
  const double middle = median_of(logs);
  // A few that happen to agree scatter less than they vary: the standard deviation does not let itself be talked out of the others.
  const double scatter = std::fmax(scatter_of(logs), deviation_of(logs, middle));
  return {middle, std::numbers::pi / 2 * scatter * scatter / static_cast<double>(logs.size()), static_cast<int>(logs.size()) - 1};
}

/// The correlation of neighbours, an upper estimate of it: that of a few is estimated too low by about 1/n (Kendall, Biometrika 41, 1954)
/// and has a standard error of about 1/sqrt(n).
double neighbours_correlation(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size()), mean = mean_of(values);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  if (!(squares > 0)) return 0;
  return std::clamp(products / squares + 1 / n + correlation_errors / std::sqrt(n), 0.0, most_correlated);
}

/// The factor by which the variance of a mean is larger for a first-order autoregression than for n independent values.
double inflation_by(double correlation, std::size_t n) {
  double sum = 1;
  for (std::size_t lag = 1; lag < n; ++lag)
    sum += 2 * (1 - static_cast<double>(lag) / static_cast<double>(n)) * std::pow(correlation, static_cast<double>(lag));
  return sum;
}

Interval welch(const Sessions& before, const Sessions& after, double confidence) {
  const Middle a = middle_of(before), b = middle_of(after);
  const double variance = a.variance + b.variance, difference = b.log - a.log;
  if (variance == 0) return {std::exp(difference), std::exp(difference)};
  const double freedom = variance * variance / (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
  const int whole = std::max(1, static_cast<int>(std::min(freedom, 1.0 * most_freedom)));
  const double half = student_quantile((1 - confidence) / 2, whole) * std::sqrt(variance);
  return {std::exp(difference - half), std::exp(difference + half)};
}

}  // namespace

MedianRatio ratio_of_medians(const Sessions& before, const Sessions& after, double confidence, std::uint64_t seed, std::size_t resamples) {
  const auto a = all_of(before), b = all_of(after);
  MedianRatio found{.before = a.size(), .after = b.size()};
  if (a.empty() || b.empty()) return found;
  found.ratio = median_of(b) / median_of(a);
  // A side with one session does not tell what varies between sessions: samples of that session have to do, on both sides.
  const bool by_session = before.size() > 1 && after.size() > 1;
  const Sessions left = by_session ? before : Sessions{a}, right = by_session ? after : Sessions{b};
  const std::size_t units_a = by_session ? left.size() : a.size(), units_b = by_session ? right.size() : b.size();
  if (units_a < 2 || units_b < 2) return found;
  const bool many = units_a >= enough_to_resample && units_b >= enough_to_resample;
  found.interval = many ? resampled(left, right, confidence, seed, resamples) : welch(left, right, confidence);
  return found;
}

MedianRatio median_of_ratios(const std::vector<double>& ratios, double tail) {
  MedianRatio found{.before = ratios.size(), .after = ratios.size()};
  if (ratios.empty()) return found;
  const Middle middle = middle_of({ratios});
  found.ratio = std::exp(middle.log);
  if (ratios.size() < 2) return found;
  std::vector<double> logs;
  for (const double ratio : ratios) logs.push_back(std::log(ratio));
  const double inflation = inflation_by(neighbours_correlation(logs), ratios.size());
  const int freedom =
      std::clamp(static_cast<int>(std::lround(middle.freedom / std::sqrt(inflation))), std::min(2, middle.freedom), most_freedom);
  const double half = student_quantile(tail, freedom) * std::sqrt(inflation * middle.variance);
  found.interval = {std::exp(middle.log - half), std::exp(middle.log + half)};
  return found;
}

}  // namespace plumbline
