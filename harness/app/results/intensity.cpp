#include "app/results/intensity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <set>
#include <tuple>

#include "app/here/profiler_metrics.hpp"
#include "app/results/result_file.hpp"
#include "app/results/stored_results.hpp"
#include "core/quantity_parts.hpp"
#include "machine/build_record.hpp"
#include "model/placement/chosen_counts.hpp"
#include "model/scoring/accuracy.hpp"

namespace plumbline::app {
namespace {

/// The grade of a counter that nothing could decide on, and of one that nobody scored.
constexpr const char* undecided = "-";

/// The area of a level's bytes: "bytes.L1-L2" for level L2.
std::string area_at(const std::string& level, const CaseRow& row) {
  for (const auto& at : row.gpus > 0 ? gpu_level_boundaries() : level_boundaries())
    if (level == at.level) return std::string("bytes.") + at.boundary;
  return {};
}

/// Whether a grade is worse than another: trusted comes before calibrated before limited before rejected; undecided last.
bool is_worse(char one, char other) { return other != '-' && (one == '-' || one > other); }

/// The set's counters that see the level's bytes, and the worst grade among them.
void take_chosen(const CounterSet& set, const std::string& area, IntensityRow& row) {
  char worst = 'A';
  for (const auto& chosen : set.counters) {
    if (parts_seen(chosen.counter.quantities, area).empty()) continue;
    row.counter += (row.counter.empty() ? "" : " + ") + chosen.counter.name;
    if (is_worse(chosen.grade, worst)) worst = chosen.grade;
  }
  if (!row.counter.empty()) row.grade = std::string(1, worst);
}

/// Takes the counter of a row by the set; else another profiler's metrics, which have no grade; else the emulator's counter of that
/// boundary.
void take_counter(const LevelIntensity& at, const CaseRow& of, const CounterSet* set, IntensityRow& row) {
  if (at.source.empty() || at.source == "model") return;
  const std::string area = area_at(at.level, of);
  if (set != nullptr) return take_chosen(*set, area, row);
  row.counter = at.metrics.empty() ? at.source + "." + area : at.metrics;
  row.grade = undecided;
}

/// The first reason for which a number of the row is absent.
void explain(const RooflinePlacement& p, const LevelIntensity* at, IntensityRow& row) {
  const auto refuse = [&](Status status, const std::string& reason) {
    row.status = status;
    row.reason = reason;
  };
  if (p.status != Status::ok) return refuse(p.status, p.reason);
  if (at == nullptr) return refuse(Status::unavailable, "nobody counted bytes of this case");
  if (at->status != Status::ok) return refuse(at->status, at->reason);
  if (!std::isfinite(at->ai_hi)) return refuse(Status::unavailable, "no traffic across this boundary cannot be ruled out");
  if (p.bound_status != Status::ok) return refuse(p.bound_status, p.bound_reason);
  for (const double number : {row.flops, row.bytes, row.ai, row.ai_lo, row.ai_hi, row.gflops, row.percent_of_roof})
    if (!std::isfinite(number)) return refuse(Status::unavailable, "a number is absent");
}

IntensityRow row_of(const RooflinePlacement& p, const LevelIntensity* at, const CounterSet* set) {
  IntensityRow row;
  row.case_id = case_of(p.of->id);
  row.phase = phase_of(p.of->id);
  row.node = p.node;
  row.flops = p.flops;
  row.gflops = p.gflops;
  row.bound = p.bound;
  row.percent_of_roof = p.percent_of_roof;
  row.join = to_string(p.join);
  if (at != nullptr) {
    row.level = at->level;
    row.bytes = at->bytes;
    row.ai = at->ai;
    row.ai_lo = at->ai_lo;
    row.ai_hi = at->ai_hi;
    take_counter(*at, *p.of, set, row);
  }
  explain(p, at, row);
  return row;
}

/// Adds the grades of the emulator's counters of whole boundaries that rows go by, and of no others.
void add_grades(const Measurements& measurements, std::vector<IntensityRow>& rows) {
  std::set<std::string> used;
  for (const auto& row : rows)
    if (row.grade == undecided) used.insert(row.counter);
  std::vector<Counter> counters;
  for (const auto& counter : known_counters())
    if (counter.convention == Convention::flow && used.contains(counter.name)) counters.push_back(counter);
  if (counters.empty()) return;
  std::map<std::string, std::string> grades;
  for (const auto& scored : score(measurements, counters).counters) grades[scored.counter] = std::string(1, scored.grade);
  for (auto& row : rows)
    if (const auto found = grades.find(row.counter); found != grades.end()) row.grade = found->second;
}

/// Whether two numbers are so far apart as no rounding is.
bool differ(double one, double other) {
  if (std::isnan(one) || std::isnan(other)) return std::isnan(one) != std::isnan(other);
  return std::abs(one - other) > 1e-9 * std::max(std::abs(one), std::abs(other));
}

struct Compared {
  const char* name;
  double IntensityRow::*member;
};
constexpr Compared compared[] = {{"flops", &IntensityRow::flops},
                                 {"bytes", &IntensityRow::bytes},
                                 {"ai", &IntensityRow::ai},
                                 {"ai_lo", &IntensityRow::ai_lo},
                                 {"ai_hi", &IntensityRow::ai_hi},
                                 {"gflops", &IntensityRow::gflops},
                                 {"percent_of_roof", &IntensityRow::percent_of_roof}};

/// The difference in words, "ai 0.1 there, 0.2 here"; empty where they are the same.
std::string difference(const IntensityRow& there, const IntensityRow& here) {
  for (const auto& one : compared)
    if (differ(there.*one.member, here.*one.member))
      return fmt::format("{} {:.4g} there, {:.4g} here", one.name, there.*one.member, here.*one.member);
  if (there.bound != here.bound) return fmt::format("bound '{}' there, '{}' here", there.bound, here.bound);
  if (there.counter != here.counter) return fmt::format("counter '{}' there, '{}' here", there.counter, here.counter);
  if (there.join != here.join) return fmt::format("join '{}' there, '{}' here", there.join, here.join);
  if (there.status != here.status) return fmt::format("status {} there, {} here", to_string(there.status), to_string(here.status));
  return {};
}

}  // namespace

std::string derived_by() { return fmt::format("plumbline {} ({})", build_record::version, build_record::git_commit.substr(0, 12)); }

std::vector<IntensityRow> intensity_rows(std::span<const RooflinePlacement> placements, const Measurements& measurements,
                                         const CounterSet* set) {
  std::vector<IntensityRow> rows;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const RooflinePlacement& p = placements[i];
    const bool by_set = set != nullptr && (p.join == Join::transferred || traffic_by(*set, measurements.cases[i]));
    for (const auto& level : p.levels) rows.push_back(row_of(p, &level, by_set ? set : nullptr));
    if (p.levels.empty()) rows.push_back(row_of(p, nullptr, nullptr));
  }
  return rows;
}

Intensities derived_intensities(const Results& results) {
  Intensities derived{.derived_by = derived_by()};
  try {
    std::vector<std::string> notes;
    const auto ceilings = fit_ceilings(results.ceilings, node_facts(results, notes));
    const Measurements measurements = measurements_of(results);
    const auto set = chosen_counters(results, "");
    const CounterSet* const by = set ? &*set : nullptr;
    derived.rows = intensity_rows(place(measurements, ceilings, by, profiler_metrics_for(results)), measurements, by);
    add_grades(measurements, derived.rows);
  } catch (const std::exception& error) {  // whatever it is, what was measured is written
    derived.rows.clear();
    derived.reason = error.what();
  }
  return derived;
}

std::optional<std::string> difference_from_file(const std::string& file, std::span<const IntensityRow> rows) {
  const auto stored = load_derived(file);
  if (!stored || !stored->reason.empty()) return std::nullopt;
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  const auto key_of = [](const IntensityRow& row) { return Key{row.case_id, row.node, row.phase, row.level}; };
  std::map<Key, const IntensityRow*> there;
  for (const auto& row : stored->rows) there[key_of(row)] = &row;
  std::size_t different = 0;
  std::string first;
  for (const auto& row : rows) {
    const auto found = there.find(key_of(row));
    const std::string what = found == there.end() ? "not there" : difference(*found->second, row);
    if (what.empty()) continue;
    if (++different == 1) first = fmt::format("{}{}{}: {}", row.case_id, row.level.empty() ? "" : " ", row.level, what);
  }
  if (different == 0) return std::nullopt;
  return fmt::format("{} of {} rows differ from the file's /intensity, which {} derived; what is shown is derived now by {}. The first: {}",
                     different, rows.size(), stored->derived_by, derived_by(), first);
}

}  // namespace plumbline::app
