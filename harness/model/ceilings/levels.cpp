#include "model/ceilings/levels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "model/ceilings/staircase.hpp"

namespace plumbline {
namespace {

constexpr double KiB = 1024, MiB = 1024 * KiB;

/// The smallest first cache of a core, and the working set from which on a sweep has surely seen memory.
constexpr double least_cache = 14 * KiB, surely_memory = 64 * MiB;
/// A curve tells levels apart with this many points an octave and no gap of more octaves.
constexpr double least_density = 1.7, largest_gap = 1.05;
constexpr int resamples = 100;
/// The confidence that a curve alone is worth: nothing confirms or contradicts it.
constexpr double alone = 0.8;
/// The distance (log2 bytes) within which two resamples mean the same level.
constexpr double same_size = 0.415;

/// Samples that are there, as log2 costs, by round.
struct Costs {
  double size = 0;             // log2 bytes
  std::vector<double> rounds;  // NaN where there is none
  bool any() const {
    return std::any_of(rounds.begin(), rounds.end(), [](double x) { return std::isfinite(x); });
  }
};

enum class CurveKind { rate, duration };

std::vector<Costs> costs_of(std::span<const CurvePoint> points, CurveKind kind) {
  std::vector<Costs> all;
  for (const auto& point : points) {
    Costs costs{std::log2(point.bytes), {}};
    for (const double x : point.samples)
      costs.rounds.push_back(x > 0 && std::isfinite(x) ? (kind == CurveKind::rate ? -std::log2(x) : std::log2(x)) : absent);
    if (point.bytes > 0 && costs.any()) all.push_back(std::move(costs));
  }
  std::sort(all.begin(), all.end(), [](const Costs& a, const Costs& b) { return a.size < b.size; });
  return all;
}

bool is_dense(const std::vector<Costs>& points) {
  if (points.size() < 4) return false;
  double gap = 0;
  for (std::size_t i = 1; i < points.size(); ++i) gap = std::max(gap, points[i].size - points[i - 1].size);
  return gap <= largest_gap && static_cast<double>(points.size() - 1) >= least_density * (points.back().size - points.front().size);
}

CostCurve best_of(const std::vector<Costs>& points) {
  std::vector<std::pair<double, double>> best;
  for (const auto& point : points)
    for (const double cost : point.rounds)
      if (std::isfinite(cost)) best.emplace_back(point.size, cost);
  return lower_envelope(std::move(best));
}

/// Resamples a curve as if it were measured again: rounds drawn with replacement, and a few points left out, of a single round more.
CostCurve resampled(const std::vector<Costs>& points, std::mt19937_64& random) {
  std::size_t rounds = 0;
  for (const auto& point : points) rounds = std::max(rounds, point.rounds.size());
  std::vector<std::size_t> drawn(rounds);
  for (auto& round : drawn) round = random() % rounds;
  const std::uint64_t left_out_of_100 = rounds > 1 ? 10 : 20;
  std::vector<std::pair<double, double>> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool at_an_end = i == 0 || i + 1 == points.size();
    if (random() % 100 < left_out_of_100 && !at_an_end) continue;
    for (const std::size_t round : drawn)
      if (round < points[i].rounds.size() && std::isfinite(points[i].rounds[round]))
        kept.emplace_back(points[i].size, points[i].rounds[round]);
  }
  return lower_envelope(std::move(kept));
}

/// Steps of many resamples.
std::vector<std::vector<CostStep>> measured_again(const std::vector<Costs>& load, const std::vector<Costs>& chase, double least_size) {
  std::mt19937_64 random(1);
  std::vector<std::vector<CostStep>> all;
  for (int i = 0; i < resamples; ++i) {
    const CostCurve byte = resampled(load, random), dependent = resampled(chase, random);
    all.push_back(find_steps(byte, dependent, least_size));
  }
  return all;
}

/// The size nearest to a step's in another set of steps, log2; NaN when there is none.
double nearest_to(const CostStep& step, const std::vector<CostStep>& others) {
  double nearest = absent;
  for (const auto& other : others)
    if (std::abs(other.size - step.size) <= same_size && !(std::abs(nearest - step.size) <= std::abs(other.size - step.size)))
      nearest = other.size;
  return nearest;
}

MemoryLevel level_of(const CostStep& step, std::size_t number, const std::vector<std::vector<CostStep>>& again) {
  MemoryLevel level{.name = "L" + std::to_string(number), .size_bytes = std::exp2(step.size)};
  std::vector<double> sizes;
  for (const auto& steps : again)
    if (const double size = nearest_to(step, steps); std::isfinite(size)) sizes.push_back(size);
  level.confidence = static_cast<double>(sizes.size()) / static_cast<double>(again.size());
  sizes.push_back(step.size);
  std::sort(sizes.begin(), sizes.end());
  level.size_lo = std::min(level.size_bytes, std::exp2(sizes[sizes.size() / 20]));
  level.size_hi = std::max(level.size_bytes, std::exp2(sizes[sizes.size() - 1 - sizes.size() / 20]));
  return level;
}

MemoryLevel memory_of(std::size_t steps, double largest, const std::vector<std::vector<CostStep>>& again) {
  const auto agree = std::count_if(again.begin(), again.end(), [&](const auto& other) { return other.size() == steps; });
  MemoryLevel memory{.name = "mem", .confidence = static_cast<double>(agree) / static_cast<double>(again.size())};
  if (largest >= surely_memory) return memory;
  memory.status = Status::unavailable;
  memory.reason = "the largest working set measured, " + in_words(largest) + ", may be inside a cache";
  return memory;
}

FoundLevels undecided(const std::string& reason) { return {.levels = {}, .status = Status::unavailable, .reason = reason}; }

std::string range_of(std::span<const CurvePoint> points) {
  if (points.empty()) return "none";
  const auto [first, last] =
      std::minmax_element(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) { return a.bytes < b.bytes; });
  return std::to_string(points.size()) + " from " + in_words(first->bytes) + " to " + in_words(last->bytes);
}

/// The misfit of plateaus between `ends` (log2 bytes) to the curve: mean square of what is left, near the ends left out.
double misfit(const CostCurve& curve, const std::vector<double>& ends) {
  constexpr double near = 0.35, step = 1.0 / 12;
  double squares = 0, first = curve.size.front();
  std::size_t all = 0;
  for (std::size_t plateau = 0; plateau <= ends.size(); ++plateau) {
    const double last = plateau < ends.size() ? ends[plateau] : curve.size.back() + near;
    std::vector<double> costs;
    for (double size = first + (plateau == 0 ? 0 : near); size <= std::min(last - near, curve.size.back()); size += step)
      costs.push_back(curve.at(size));
    double mean = 0;
    for (const double cost : costs) mean += cost / static_cast<double>(costs.size());
    for (const double cost : costs) squares += (cost - mean) * (cost - mean);
    all += costs.size();
    first = last;
  }
  return all == 0 ? HUGE_VAL : squares / static_cast<double>(all);
}

}  // namespace

std::string in_words(double bytes) {
  if (bytes < MiB) return std::to_string(std::llround(bytes / KiB)) + " KiB";
  return std::to_string(std::llround(bytes / MiB)) + " MiB";
}

FoundLevels find_levels(std::span<const CurvePoint> load_gbs, std::span<const CurvePoint> chase_seconds, std::int64_t workers) {
  std::vector<Costs> load = costs_of(load_gbs, CurveKind::rate), chase = costs_of(chase_seconds, CurveKind::duration);
  if (!is_dense(load)) load.clear();
  if (!is_dense(chase)) chase.clear();
  if (load.empty() && chase.empty())
    return undecided("levels show in a sweep of at least two points an octave, of loads or of dependent loads; measured were " +
                     range_of(load_gbs) + " (load) and " + range_of(chase_seconds) + " (chase)");
  const CostCurve byte = best_of(load), dependent = best_of(chase);
  const double smallest =
      std::exp2(std::min(byte.empty() ? HUGE_VAL : byte.size.front(), dependent.empty() ? HUGE_VAL : dependent.size.front()));
  const double largest = std::exp2(std::max(byte.empty() ? 0 : byte.size.back(), dependent.empty() ? 0 : dependent.size.back()));
  if (smallest > least_cache * static_cast<double>(workers))
    return undecided("the smallest working set measured, " + in_words(smallest) + ", may be larger than a first cache");
  const double least_size = std::log2(least_cache * static_cast<double>(workers));
  const std::vector<CostStep> steps = find_steps(byte, dependent, least_size);
  if (steps.empty())
    return undecided("no step between " + in_words(smallest) + " and " + in_words(largest) + ": all in one level, or too disturbed");
  const auto again = measured_again(load, chase, least_size);
  FoundLevels found;
  for (std::size_t i = 0; i < steps.size(); ++i) found.levels.push_back(level_of(steps[i], i + 1, again));
  found.levels.push_back(memory_of(steps.size(), largest, again));
  if (load.empty() || chase.empty())
    for (auto& level : found.levels) level.confidence *= alone;
  return found;
}

std::vector<double> team_sizes(const FoundLevels& found, std::int64_t found_with, std::span<const CurvePoint> load_gbs,
                               std::int64_t workers) {
  std::vector<double> single;
  for (const auto& level : found.levels)
    if (std::isfinite(level.size_bytes)) single.push_back(level.size_bytes);
  const std::int64_t times = std::max<std::int64_t>(1, workers / found_with);
  std::vector<double> usual(single.size(), static_cast<double>(times));
  if (usual.size() > 1) usual.back() = 1;
  const auto sized = [&](const std::vector<double>& factors) {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < single.size(); ++i) sizes.push_back(single[i] * factors[i]);
    return sizes;
  };
  const std::vector<Costs> load = costs_of(load_gbs, CurveKind::rate);
  if (times == 1 || single.size() < 2 || !is_dense(load)) return sized(usual);

  const CostCurve curve = best_of(load);
  const auto misfit_of = [&](const std::vector<double>& factors) {
    std::vector<double> ends = sized(factors);
    for (auto& end : ends) end = std::log2(end);
    return std::is_sorted(ends.begin(), ends.end()) ? misfit(curve, ends) : HUGE_VAL;
  };
  constexpr double clearly = 0.8;
  std::vector<double> best = usual, factors = usual;
  double least = clearly * misfit_of(usual);
  const std::function<void(std::size_t)> vary = [&](std::size_t level) {  // a core has its first cache for itself
    if (level == factors.size()) {
      if (const double m = misfit_of(factors); m < least) least = m, best = factors;
      return;
    }
    for (std::int64_t factor = 1; factor <= static_cast<std::int64_t>(factors[level - 1]); ++factor)
      if (times % factor == 0) factors[level] = static_cast<double>(factor), vary(level + 1);
  };
  vary(1);
  return sized(best);
}

}  // namespace plumbline
