#include "model/ceilings/staircase.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumbline {
namespace {

constexpr std::size_t of_byte = 0, of_load = 1;

constexpr double cells_an_octave = 12;
/// A plateau is flat over this many octaves.
constexpr double window = 0.5;
/// The slope (log2 of cost an octave) up to which a curve is flat. A load's rises within a level too, where the translation of its address
/// misses.
constexpr std::array<double, 2> flat{0.25, 0.5};
/// A step between levels costs a byte this many times more, or a load, or a byte and a load together (log2). A miss in a TLB makes a
/// load up to twice as dear and a byte up to 1.4 times, but not both at their most.
constexpr double byte_alone = 0.72, load_alone = 1.05, together = 1.3;
/// The rises (log2) of a byte and a load that confirm a step. Between caches both rise by much more than this; only the step to memory may
/// show in one curve alone: a core can stream from memory as from the last cache, and neighbours can push a chase out of it.
constexpr std::array<double, 2> confirmed{0.2, 0.45};
/// A load that costs so much more (log2) misses no TLB but a cache, whatever a byte does: from some third caches a core streams nearly as
/// from the second.
constexpr double surely_load = 1.5;
/// The rises (log2) that make a step where only one curve was measured: there is nothing to confirm it.
constexpr double byte_only = 0.55, load_only = 1.0;
/// The part of a step's rise at which the cheaper plateau ends. Caches that are not quite LRU end softly.
constexpr double leaves = 0.4;
/// The last plateau is one if it is at least this long (octaves): a disturbance at the end of a sweep looks like another level.
constexpr double last_plateau = 0.75;

using TwoCosts = std::array<double, 2>;

struct Plateau {
  double from = 0, to = 0;  // log2 bytes
  TwoCosts cost = {0, 0};
  double width() const { return to - from; }
};

struct Curves {
  const CostCurve& byte;
  const CostCurve& load;

  const CostCurve& operator[](std::size_t which) const { return which == of_byte ? byte : load; }
  double from() const {
    return byte.empty() ? load.size.front() : load.empty() ? byte.size.front() : std::min(byte.size.front(), load.size.front());
  }
  double to() const {
    return byte.empty() ? load.size.back() : load.empty() ? byte.size.back() : std::max(byte.size.back(), load.size.back());
  }
  TwoCosts at(double size) const { return {byte.empty() ? 0 : byte.at(size), load.empty() ? 0 : load.at(size)}; }
  TwoCosts rise(double from, double to) const {
    const TwoCosts a = at(from), b = at(to);
    return {b[0] - a[0], b[1] - a[1]};
  }
};

TwoCosts operator-(const TwoCosts& a, const TwoCosts& b) { return {a[0] - b[0], a[1] - b[1]}; }

/// The strength of a rise over what makes a level: at least 1.
double strength(const TwoCosts& rise, const Curves& curves) {
  if (curves.load.empty()) return rise[of_byte] / byte_only;
  if (curves.byte.empty()) return rise[of_load] / load_only;
  return std::max({rise[of_byte] / byte_alone, rise[of_load] / load_alone, (rise[of_byte] + rise[of_load]) / together});
}

bool is_flat(const Curves& curves, double size) {
  const double from = std::max(curves.from(), size - window / 2), to = std::min(curves.to(), size + window / 2);
  const TwoCosts rise = curves.rise(from, to);
  return rise[of_byte] <= flat[of_byte] * (to - from) && rise[of_load] <= flat[of_load] * (to - from);
}

Plateau plateau_of(const Curves& curves, double from, double to) {
  const TwoCosts middle = curves.at((from + to) / 2);  // the median of what never falls
  return {from, to, middle};
}

/// A slow rise through a level's whole reach can be flat everywhere and still lead to the next level: then it is cut where it is steepest.
void cut(const Curves& curves, double from, double to, std::vector<Plateau>& into) {
  if (strength(curves.rise(from, to), curves) < 1 || to - from < 3 * window) {
    into.push_back(plateau_of(curves, from, to));
    return;
  }
  double steepest = from + window, most = -1;
  for (double at = from + window; at <= to - window; at += 1 / cells_an_octave) {
    const double rise = strength(curves.rise(at - window / 2, at + window / 2), curves);
    if (rise > most) most = rise, steepest = at;
  }
  cut(curves, from, steepest, into);
  cut(curves, steepest, to, into);
}

std::vector<Plateau> flat_parts(const Curves& curves) {
  std::vector<Plateau> parts;
  const double step = 1 / cells_an_octave, end = curves.to();
  double from = HUGE_VAL, to = 0;
  for (double size = curves.from(); size <= end + step / 2; size += step) {
    const double at = std::min(size, end);
    if (is_flat(curves, at)) {
      from = std::min(from, at);
      to = at;
      continue;
    }
    if (from <= to) cut(curves, from, to, parts);
    from = HUGE_VAL;
  }
  if (from <= to) cut(curves, from, to, parts);
  return parts;
}

Plateau joined(const Plateau& a, const Plateau& b) {
  const double wa = a.width() + window / 2, wb = b.width() + window / 2;
  Plateau both{a.from, b.to, {}};
  for (const std::size_t i : {of_byte, of_load}) both.cost[i] = (wa * a.cost[i] + wb * b.cost[i]) / (wa + wb);
  return both;
}

void join(std::vector<Plateau>& parts, std::size_t first) {
  parts[first] = joined(parts[first], parts[first + 1]);
  parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(first) + 1);
}

/// Drops the parts that belong to no level, because loads become dear first and bytes later. A cache that others use too keeps what is
/// touched often: where a byte costs nearly what it cost before and still rises behind, and a load nearly what it costs in the last part,
/// by more than translation makes it cost, the cache holds a stream and no longer a chase.
void drop_between(std::vector<Plateau>& parts, const Curves& curves) {
  const TwoCosts end = curves.at(curves.to());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const TwoCosts rise = parts[i].cost - parts[i - 1].cost;
    const TwoCosts last = i + 1 < parts.size() ? parts.back().cost : end;
    const bool holds_streams = rise[of_byte] < confirmed[of_byte] && end[of_byte] - parts[i].cost[of_byte] >= byte_alone;
    const bool holds_no_chase = rise[of_load] >= load_alone && last[of_load] - parts[i].cost[of_load] < load_alone;
    if (!holds_streams || !holds_no_chase) continue;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
    --i;
  }
}

/// A last cache holds on to a part of working sets of several times its size: a byte's cost still rises where the sweep ends, and nothing
/// beyond the cache is flat. Where a load has come to rest there, and both cost as much more as another level does, that is memory. Where
/// both cost so much more that it takes more than translation and a disturbance, there is another level, at rest or not, and what was
/// measured last counts as memory.
void add_restless_memory(std::vector<Plateau>& parts, const Curves& curves) {
  const double end = curves.to(), from = end - 2 * last_plateau;
  const Plateau last = parts.back();
  const TwoCosts rise = curves.at(end) - last.cost;
  const bool at_rest = curves.load.at(end) - curves.load.at(from) <= flat[of_load] * (end - from);
  const double levels = at_rest ? 1 : 2;
  if (last.to < from && rise[of_byte] >= levels * byte_alone && rise[of_load] >= levels * load_alone)
    parts.push_back({from, end, curves.at(end)});
}

/// Strength of the step behind a part: below 1 where it leads to no other level.
double strength_behind(const std::vector<Plateau>& parts, std::size_t i, const Curves& curves) {
  const TwoCosts rise = parts[i + 1].cost - parts[i].cost;
  const double alone = strength(rise, curves);
  const bool one_curve = curves.byte.empty() || curves.load.empty(), last = i + 2 == parts.size();
  const bool is_confirmed =
      one_curve || rise[of_load] >= surely_load || (rise[of_byte] >= confirmed[of_byte] && rise[of_load] >= confirmed[of_load]);
  const bool long_last = last && curves.to() - parts.back().from >= 2 * last_plateau;
  return is_confirmed || long_last ? alone : std::min(0.99, 0.1 * alone);
}

void join_what_is_no_level(std::vector<Plateau>& parts, const Curves& curves) {
  while (parts.size() > 1) {
    std::size_t weakest = 0;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      if (const double s = strength_behind(parts, i, curves); s < least) least = s, weakest = i;
    if (least >= 1) return;
    join(parts, weakest);
  }
}

double end_of(const Plateau& plateau, const TwoCosts& rise, const Curves& curves) {
  std::array<double, 2> ends{-1, -1};
  constexpr TwoCosts tells{0.4, 0.6};  // a smaller rise says nothing of where
  for (const std::size_t i : {of_byte, of_load})
    if (rise[i] >= tells[i]) ends[i] = curves[i].reaches(plateau.cost[i] + leaves * rise[i]);
  const double lo = std::min(ends[0], ends[1]), hi = std::max(ends[0], ends[1]);
  return lo > 0 && hi - lo < 0.4 ? (lo + hi) / 2 : hi;
}

}  // namespace

double CostCurve::at(double log_size) const {
  const auto after = std::lower_bound(size.begin(), size.end(), log_size);
  if (after == size.begin()) return cost.front();
  if (after == size.end()) return cost.back();
  const auto i = static_cast<std::size_t>(after - size.begin());
  return cost[i - 1] + (cost[i] - cost[i - 1]) * (log_size - size[i - 1]) / (size[i] - size[i - 1]);
}

double CostCurve::reaches(double value) const {
  const auto after = std::lower_bound(cost.begin(), cost.end(), value);
  if (after == cost.begin()) return size.front();
  if (after == cost.end()) return size.back();
  const auto i = static_cast<std::size_t>(after - cost.begin());
  return size[i - 1] + (size[i] - size[i - 1]) * (value - cost[i - 1]) / (cost[i] - cost[i - 1]);
}

CostCurve lower_envelope(std::vector<std::pair<double, double>> size_and_cost) {
  std::sort(size_and_cost.begin(), size_and_cost.end());
  CostCurve curve;
  for (const auto& [size, cost] : size_and_cost)
    if (curve.empty() || size > curve.size.back()) {  // sorted: the cheapest of a size comes first
      curve.size.push_back(size);
      curve.cost.push_back(cost);
    }
  for (std::size_t i = curve.cost.size(); i-- > 1;) curve.cost[i - 1] = std::min(curve.cost[i - 1], curve.cost[i]);
  return curve;
}

std::vector<CostStep> find_steps(const CostCurve& byte, const CostCurve& load, double least_size) {
  if (byte.empty() && load.empty()) return {};
  const Curves curves{byte, load};
  std::vector<Plateau> parts = flat_parts(curves);
  if (parts.size() > 1 && curves.to() - parts.back().from < last_plateau) parts.pop_back();
  if (!byte.empty() && !load.empty() && !parts.empty()) {
    drop_between(parts, curves);
    add_restless_memory(parts, curves);
  }
  join_what_is_no_level(parts, curves);
  while (parts.size() > 1 && end_of(parts[0], parts[1].cost - parts[0].cost, curves) < least_size) {
    join(parts, 0);
    join_what_is_no_level(parts, curves);
  }
  std::vector<CostStep> steps;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const TwoCosts rise = parts[i + 1].cost - parts[i].cost;
    steps.push_back({end_of(parts[i], rise, curves), rise});
  }
  return steps;
}

}  // namespace plumbline
