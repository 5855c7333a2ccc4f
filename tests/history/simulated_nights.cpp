#include "simulated_nights.hpp"

#include <algorithm>
#include <cmath>

#include "model/comparing/night_check.hpp"
#include "model/statistics/median_ratio.hpp"

namespace plumbline::simulated {

std::vector<Machine::Row> Machine::night() {
  drift_ = 0.8 * drift_ + 0.003 * normal_(random_);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < host_.rows; ++i) {
    const double own = (0.005 + 0.01 * static_cast<double>(i % 25) / 25) * (host_.freedom > 0 ? heavy_(random_) : normal_(random_));
    const bool disturbed = even_(random_) < host_.disturbed_part;
    const bool seen = even_(random_) < host_.seen;
    rows.push_back({drift_ + own + (disturbed ? std::log1p(host_.disturbed_by) : 0), disturbed && seen});
  }
  return rows;
}

namespace {

std::vector<CheckedSeries> series_of(const Host& host) {
  std::vector<CheckedSeries> series(host.rows);
  for (std::size_t i = 0; i < host.rows; ++i) {
    series[i].key = {std::to_string(i), "node"};
    series[i].row_class = i % 4 == 0 ? "compute" : i % 4 == 1 ? "mem" : "case";
    series[i].unit = "seconds";
    series[i].sample_scatter = 0.01;
  }
  return series;
}

/// Disturbed nights are no part of a baseline, as `check` has it.
void remember(std::vector<CheckedSeries>& series, const std::vector<Machine::Row>& night, std::size_t number) {
  for (std::size_t i = 0; i < series.size(); ++i)
    if (!night[i].seen_disturbed) series[i].before.push_back(night[i].cost), series[i].nights.push_back(number);
}

void trial(const Host& host, const Nights& asked, unsigned seed, Found& found) {
  Machine machine(host, seed);
  auto series = series_of(host);
  std::size_t number = 0;
  for (int night = 0; night < asked.before; ++night) remember(series, machine.night(), number++);
  const std::size_t slow = seed % host.rows;
  const auto is_slow = [&](std::size_t i) { return asked.what == Slow::node || (asked.what == Slow::row && i == slow); };
  bool seen = false;
  for (int night = 0; night < asked.slow_for; ++night) {
    auto rows = machine.night();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (is_slow(i)) rows[i].cost += std::log1p(asked.slowdown);
      series[i].after = rows[i].cost;
      series[i].after_disturbed = rows[i].seen_disturbed;
      series[i].after_excuse = 2 * (1 + host.disturbed_by);
    }
    const Checked checked = check_night(series, {});
    bool false_exit = false;
    const bool is_last = night + 1 == asked.slow_for;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const NightFinding finding = checked.rows[i].finding;
      if (finding == NightFinding::slower) (is_slow(i) ? seen : false_exit) = true;
      if (is_last && !is_slow(i)) found.suspect += finding == NightFinding::suspect;
      if (is_last) found.disturbed += finding == NightFinding::disturbed;
    }
    for (const auto& node : checked.whole_nodes)
      if (node.night.finding == NightFinding::slower) (asked.what == Slow::node ? seen : false_exit) = true;
    if (is_last) found.false_exits += false_exit;
    remember(series, rows, number++);
  }
  ++found.trials;
  found.found += seen;
}

}  // namespace

Found nights(const Host& host, const Nights& asked, unsigned first_seed, unsigned trials) {
  Found found;
  for (unsigned seed = first_seed; seed < first_seed + trials; ++seed) trial(host, asked, seed, found);
  return found;
}

double named(const Turns& asked, unsigned first_seed, unsigned trials) {
  std::size_t count = 0;
  for (unsigned seed = first_seed; seed < first_seed + trials; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> ratios;
    double noise = normal(random);
    const double own = std::sqrt(1 - asked.correlation * asked.correlation);
    for (std::size_t turn = 0; turn < asked.turns; ++turn) {
      ratios.push_back((1 + asked.slowdown) * std::exp(asked.noise * noise));
      noise = asked.correlation * noise + own * normal(random);
    }
    const MedianRatio found = median_of_ratios(ratios, asked.tail);
    count += verdict_of({found.ratio, found.interval.lo, found.interval.hi}, asked.threshold) == Verdict::slower;
  }
  return static_cast<double>(count) / trials;
}

}  // namespace plumbline::simulated
