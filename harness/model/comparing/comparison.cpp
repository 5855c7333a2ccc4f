#include "model/comparing/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "core/flavor.hpp"
#include "core/fnv.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

constexpr double confidence = 0.95, spreads_of_threshold = 3;

/// The observations of one side that share a name: on one node, or on several like ones.
using Members = std::vector<const Observation*>;

struct Pair {
  std::string what, node;
  Members before, after;
};

std::string nodes_of(const Members& members) {
  std::string text;
  for (const auto* one : members) text += (text.empty() ? "" : ", ") + one->key.node;
  return text;
}

Members find(const std::vector<Observation>& sorted, const std::string& what) {
  Members found;
  for (auto at =
           std::lower_bound(sorted.begin(), sorted.end(), what, [](const Observation&o, const std::string&w) { return o.key.what < w; });
       at != sorted.end() && at->key.what == what; ++at)
    found.push_back(&*at);
  return found;
}

std::string machine_of(const Side& side, const std::string& node) {
  const auto found = side.machines.find(node);
  return found == side.machines.end() ? "" : found->second;
}

/// Groups members by kind of machine.
std::map<std::string, Members> by_machine(const Side& side, const Members& members) {
  std::map<std::string, Members> kinds;
  for (const auto* one : members) kinds[machine_of(side, one->key.node)].push_back(one);
  return kinds;
}

/// Pairs what is left on either side, kind by kind; an unknown kind is like no other.
void pair_like_nodes(const std::string& what, const Side& before, const Side& after, Members left, Members right,
                     std::vector<Pair>& pairs) {
  auto kinds_left = by_machine(before, left), kinds_right = by_machine(after, right);
  for (auto& [kind, members] : kinds_left) {
    const auto other = kind.empty() ? kinds_right.end() : kinds_right.find(kind);
    if (other == kinds_right.end()) continue;
    pairs.push_back(
        {what, nodes_of(members) + " -> " + nodes_of(other->second), std::exchange(members, {}), std::exchange(other->second, {})});
  }
  for (auto& [kind, members] : kinds_left)
    for (const auto* one : members) pairs.push_back({what, one->key.node, {one}, {}});
  for (auto& [kind, members] : kinds_right)
    for (const auto* one : members) pairs.push_back({what, one->key.node, {}, {one}});
}

std::vector<Pair> paired(const Side& before, const Side& after) {
  std::set<std::string> names;
  for (const auto* side : {&before, &after})
    for (const auto& one : side->observations) names.insert(one.key.what);
  std::vector<Pair> pairs;
  for (const auto& what : names) {
    Members left = find(before.observations, what), right = find(after.observations, what), alone;
    for (const auto* one : left) {
      const auto same = std::find_if(right.begin(), right.end(), [&](const auto* other) { return other->key.node == one->key.node; });
      if (same == right.end()) {
        alone.push_back(one);
        continue;
      }
      pairs.push_back({what, one->key.node, {one}, {*same}});
      right.erase(same);
    }
    pair_like_nodes(what, before, after, std::move(alone), std::move(right), pairs);
  }
  return pairs;
}

// ------------------------------------------------------------------------------------------------- what cannot be compared

std::string in_words_or_unknown(const std::string& machine) { return machine.empty() ? "of unknown kind" : machine; }

/// A case's id without its flavor: ids end in /TEAM/FLAVOR.
std::string without_flavor(const std::string& what) { return what.substr(0, what.rfind('/')); }

/// Says why a name that one side has is not on the other.
std::string why_missing(const Observation& one, const Side& here, const Side& there, const char* where) {
  const auto same = find(there.observations, one.key.what);
  if (!same.empty() && !one.is_link())
    return "other machine: " + in_words_or_unknown(machine_of(here, one.key.node)) + "; " + where + " has it on " + nodes_of(same) + ", " +
           in_words_or_unknown(machine_of(there, same.front()->key.node));
  if (!one.key.is_ceiling())
    for (const auto& other : there.observations)
      if (!other.key.is_ceiling() && without_flavor(other.key.what) == without_flavor(one.key.what))
        return std::string("other flavor: ") + where + " has " + other.key.what.substr(other.key.what.rfind('/') + 1);
  return std::string("missing: not in ") + where;
}

void refuse(Compared& row, Status status, std::string reason) {
  row.status = status;
  row.reason = std::move(reason);
}

Sessions sessions_of(const Members& members) {
  Sessions sessions;
  for (const auto* one : members) sessions.insert(sessions.end(), one->sessions.begin(), one->sessions.end());
  return sessions;
}

double median_over(const Sessions& sessions) {
  std::vector<double> all;
  for (const auto& session : sessions) all.insert(all.end(), session.begin(), session.end());
  return median_of(std::move(all));
}

double clock_of(const Members& members) {
  std::vector<double> clocks;
  for (const auto* one : members)
    if (std::isfinite(one->clock_hz)) clocks.push_back(one->clock_hz);
  return median_of(std::move(clocks));
}

bool was_disturbed(const Members& members) {
  return !members.empty() && std::all_of(members.begin(), members.end(), [](const auto* one) { return one->disturbed; });
}

/// The first member that cannot be compared; nullptr where every one can.
const Observation* first_without_samples(const Members& members) {
  const auto found = std::find_if(members.begin(), members.end(), [](const auto* one) { return one->status != Status::ok; });
  return found == members.end() ? nullptr : *found;
}

/// Whether either side's ceiling is the best of several loops, and not of the same one.
bool chose_otherwise(const Pair& pair) {
  const auto &before = pair.before.front()->form, &after = pair.after.front()->form;
  return !before.empty() && !after.empty() && before != after;
}

/// A contest decides between ISAs too, not between compilers.
bool is_other_code(const Pair& pair) {
  const auto &before = pair.before.front()->flavor, &after = pair.after.front()->flavor;
  const FlavorName one = split_flavor(before), other = split_flavor(after);
  return before != after && !(chose_otherwise(pair) && one.compiler == other.compiler && one.level == other.level);
}

/// The best that is attainable is one thing, whichever loop attains it.
std::string form_explanation(const Pair& pair) {
  if (!chose_otherwise(pair)) return {};
  return "the best loop is another: " + pair.before.front()->form + " -> " + pair.after.front()->form;
}

Compared described(const Pair& pair, const Side& before, const Side& after) {
  const Observation& any = pair.before.empty() ? *pair.after.front() : *pair.before.front();
  Compared row{.key = {pair.what, pair.node}, .row_class = any.row_class, .unit = any.unit};
  row.clock_before_hz = clock_of(pair.before);
  row.clock_after_hz = clock_of(pair.after);
  row.disturbed_before = was_disturbed(pair.before), row.disturbed_after = was_disturbed(pair.after);
  if (pair.after.empty()) {
    refuse(row, Status::unavailable, why_missing(any, before, after, "the second file"));
  } else if (pair.before.empty()) {
    refuse(row, Status::unavailable, why_missing(any, after, before, "the first file"));
  } else if (const auto* lacking = first_without_samples(pair.before)) {
    refuse(row, lacking->status, "in the first file: " + lacking->reason);
  } else if (const auto* wanting = first_without_samples(pair.after)) {
    refuse(row, wanting->status, "in the second file: " + wanting->reason);
  } else if (is_other_code(pair)) {
    refuse(row, Status::unavailable, "other flavor: " + pair.before.front()->flavor + " -> " + pair.after.front()->flavor);
  } else if (pair.before.front()->unit != pair.after.front()->unit) {
    refuse(row, Status::unavailable, "other unit: " + pair.before.front()->unit + " -> " + pair.after.front()->unit);
  }
  return row;
}

void measure(Compared& row, const Pair& pair) {
  const Sessions before = sessions_of(pair.before), after = sessions_of(pair.after);
  row.before = median_over(before);
  row.after = median_over(after);
  const bool time = less_is_better(row.unit);
  const MedianRatio found = ratio_of_medians(time ? before : after, time ? after : before, confidence, fnv1a(row.key.what + row.key.node));
  row.n_before = time ? found.before : found.after;
  row.n_after = time ? found.after : found.before;
  row.judged = {found.ratio, found.interval.lo, found.interval.hi};
  if (!std::isfinite(found.interval.lo)) refuse(row, Status::unavailable, "one sample has no interval: measure more repetitions or rounds");
}

// --------------------------------------------------------------------------------------------------------------------- classes

/// The spread of a row: how far sessions scatter about each other, or where there is one only, its samples; of the logarithm.
double spread_of_row(const Pair& pair) {
  std::vector<double> spreads;
  for (const auto* side : {&pair.before, &pair.after}) {
    const Sessions sessions = sessions_of(*side);
    std::vector<double> logs;
    if (sessions.size() > 1) {
      for (const auto& session : sessions) logs.push_back(std::log(median_of(session)));
    } else {
      for (const double x : sessions.front()) logs.push_back(std::log(x));
    }
    if (logs.size() > 1) spreads.push_back(scatter_of(logs));
  }
  return spreads.empty() ? absent : *std::max_element(spreads.begin(), spreads.end());
}

std::string disturbance_explanation(const Compared& row) {
  if (!row.disturbed_before && !row.disturbed_after) return {};
  const std::string sides = row.disturbed_before && row.disturbed_after ? "on both sides" : row.disturbed_before ? "before" : "after";
  return "every sample " + sides + " was disturbed, so that it took too long there";
}

struct ClassRows {
  std::vector<double> spreads, half_widths;
};

ClassSummary summary_of(const std::string& row_class, const ClassRows& rows, std::optional<double> threshold) {
  ClassSummary summary{.row_class = row_class, .rows = rows.half_widths.size(), .spread = median_of(rows.spreads)};
  const double seen = std::isfinite(summary.spread) ? spreads_of_threshold * summary.spread : 0;
  summary.threshold = threshold.value_or(std::max(practical_threshold(row_class), seen));
  summary.smallest_detectable = smallest_detectable(summary.threshold, median_of(rows.half_widths));
  return summary;
}

}  // namespace

std::string clock_explanation(double before_hz, double after_hz, double slowdown) {
  constexpr double agree = 0.02;
  if (!std::isfinite(before_hz) || !std::isfinite(after_hz) || std::abs(after_hz / before_hz - 1) <= agree) return {};
  char text[160];
  const double by_clock = before_hz / after_hz;  // what it would do to arithmetic
  const bool alone = slowdown >= 0 && std::abs(std::log(slowdown / by_clock)) < std::max(agree, 0.25 * std::abs(std::log(by_clock)));
  std::snprintf(text, sizeof text, "clock %.2f -> %.2f GHz (%+.1f %%)%s", 1e-9 * before_hz, 1e-9 * after_hz,
                100 * (after_hz / before_hz - 1), alone ? ", which alone explains it" : "");
  return text;
}

Comparison compare(const Side& before, const Side& after, std::optional<double> threshold) {
  Comparison comparison;
  std::map<std::string, ClassRows> classes;
  for (const auto& pair : paired(before, after)) {
    Compared row = described(pair, before, after);
    if (row.status == Status::ok) measure(row, pair);
    if (row.status == Status::ok) {
      row.explanation = form_explanation(pair);
      auto& of_class = classes[row.row_class];
      if (const double spread = spread_of_row(pair); std::isfinite(spread)) of_class.spreads.push_back(spread);
      of_class.half_widths.push_back(std::log(row.judged.hi / row.judged.lo) / 2);
      comparison.sessions_before = std::max(comparison.sessions_before, sessions_of(pair.before).size());
      comparison.sessions_after = std::max(comparison.sessions_after, sessions_of(pair.after).size());
    }
    comparison.rows.push_back(std::move(row));
  }
  for (const auto& [row_class, rows] : classes) comparison.classes.push_back(summary_of(row_class, rows, threshold));
  for (auto& row : comparison.rows) {
    if (row.status != Status::ok) continue;
    const auto of_class =
        std::find_if(comparison.classes.begin(), comparison.classes.end(), [&](const auto& c) { return c.row_class == row.row_class; });
    row.threshold = of_class->threshold;
    row.verdict = verdict_of(row.judged, row.threshold);
    const double matters = threshold.value_or(practical_threshold(row.row_class));  // what scatters widely is not the same for that
    if (row.verdict == Verdict::same && verdict_of(row.judged, matters) != Verdict::same) row.verdict = Verdict::ambiguous;
    if ((row.verdict == Verdict::faster && row.disturbed_before) || (row.verdict == Verdict::slower && row.disturbed_after))
      row.verdict = Verdict::ambiguous;
    for (const auto& more : {clock_explanation(row.clock_before_hz, row.clock_after_hz, row.judged.slowdown), disturbance_explanation(row)})
      row.explanation += (row.explanation.empty() || more.empty() ? "" : "; ") + more;
  }
  return comparison;
}

}  // namespace plumbline
