#include "model/ceilings/gpu_ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/gpu_device.hpp"
#include "model/ceilings/ceiling_samples.hpp"
#include "model/ceilings/gpu_limits.hpp"
#include "model/ceilings/levels.hpp"

namespace plumbline {
namespace {

constexpr const char* stated = "stated";

using Rows = std::vector<const CeilingRow*>;

bool is_usable(const CeilingRow& row) { return row.status == Status::ok && std::isfinite(row.value) && row.value > 0; }
bool less_is_better(const CeilingRow& row) { return row.unit == "seconds"; }

std::vector<double> values_of(const Rows& rows) {
  std::vector<double> values;
  for (const auto* row : rows)
    if (is_usable(*row)) values.push_back(row->value);
  return values;
}

const CeilingRow* best_of(const Rows& rows) {
  const CeilingRow* best = nullptr;
  for (const auto* row : rows)
    if (is_usable(*row) && (best == nullptr || (less_is_better(*row) ? row->value < best->value : row->value > best->value))) best = row;
  return best;
}

bool is_by_size(const CeilingLevel& level) { return level == CeilingKind::gemm; }

void take_limit(Ceiling& ceiling, const CeilingRow& row) {
  const auto which = gpu_of_method(ceiling.method);
  if (!which) return;
  const std::string& pattern = is_by_size(row.level) ? "fma" : row.pattern;
  const auto limit =
      ceiling.unit == "GFLOP/s" && (row.level == CeilingKind::compute || row.level == CeilingKind::sustained || is_by_size(row.level))
          ? gpu_arithmetic_limit(*which, ceiling.precision, pattern)
      : ceiling.unit == "GB/s" ? gpu_bandwidth_limit(*which, ceiling.level.word())
                               : std::nullopt;
  if (!limit) return;
  ceiling.limit = limit->per_clock * which->multiprocessors * ceiling.clock_hz * 1e-9;
  ceiling.limit_source = limit->source;
  ceiling.limit_basis = LimitBasis::vendor;
}

/// Fits the best of the samples. No data are read that a store overwrites, so that no traffic is hidden in a rate.
Ceiling fit_best(const Rows& rows, const CeilingLevel& level) {
  Ceiling ceiling = described(*rows.front());
  ceiling.level = level;
  ceiling.scope = rows.front()->scope;
  take_spread(ceiling, spread_of(values_of(rows)));
  const CeilingRow* const best = best_of(rows);
  if (best == nullptr) {
    ceiling.status = rows.front()->status == Status::ok ? Status::failed : rows.front()->status;
    ceiling.reason = "no sample succeeded: " + how_and_why(*rows.front());
    return ceiling;
  }
  ceiling.value = best->value;
  ceiling.method = best->method;
  ceiling.clock_hz = best->clock_hz;
  ceiling.power_watts = best->power_watts;
  ceiling.sample_seconds = best->sample_seconds;
  ceiling.size_bytes = ceiling.samples_bytes = best->working_set_bytes;
  if (ceiling.unit == "GB/s") ceiling.traffic_gbs = ceiling.value;
  take_limit(ceiling, *best);
  return ceiling;
}

using BySize = std::map<double, Rows>;  // by working set

/// The one with the best median of those that are chosen; nullptr where none of them has a sample.
template <class IsChosen>
const Rows* best_median(const BySize& sweep, IsChosen is_chosen) {
  const Rows* best = nullptr;
  double known = absent;
  for (const auto& [bytes, rows] : sweep) {
    if (!is_chosen(bytes) || values_of(rows).empty()) continue;
    const double here = spread_of(values_of(rows)).median;
    if (best == nullptr || (less_is_better(*rows.front()) ? here < known : here > known)) best = &rows, known = here;
  }
  return best;
}

/// The best size is the ceiling; where there are several, each has a row beside it.
void fit_sizes(const Rows& samples, std::vector<Ceiling>& ceilings) {
  BySize sizes;
  for (const auto* row : samples) sizes[row->working_set_bytes].push_back(row);
  const Rows* const best = best_median(sizes, [](double) { return true; });
  ceilings.push_back(fit_best(best == nullptr ? sizes.rbegin()->second : *best, CeilingKind::compute));
  if (sizes.size() == 1) return;
  for (const auto& [bytes, rows] : sizes) {
    Ceiling& one = ceilings.emplace_back(fit_best(rows, CeilingKind::gemm));
    one.name += ", " + one.pattern;
  }
}

// --------------------------------------------------------------------------------------------------------------- sweeps

std::vector<CurvePoint> curve_of(const BySize& sweep) {
  std::set<std::pair<std::string, std::int32_t>> rounds;
  for (const auto& [bytes, rows] : sweep)
    for (const auto* row : rows) rounds.insert({row->session, row->round});
  std::vector<CurvePoint> curve;
  for (const auto& [bytes, rows] : sweep) {
    CurvePoint point{bytes, {}};
    for (const auto& round : rounds) {
      const auto found = std::find_if(rows.begin(), rows.end(),
                                      [&](const auto* row) { return std::pair(row->session, row->round) == round && is_usable(*row); });
      point.samples.push_back(found == rows.end() ? absent : (*found)->value);
    }
    curve.push_back(std::move(point));
  }
  return curve;
}

/// Working sets that are well inside a level: beyond one, cached parts of a working set still help; below, not all of it fits.
struct Window {
  std::string level;
  double above = 0, up_to = HUGE_VAL;
  const MemoryLevel* found = nullptr;
};
constexpr double inside = 0.8, beyond = 3;

/// The windows of loads past L1: the first plateau is L2's, the last one memory's.
std::vector<Window> windows_past_l1(const FoundLevels& found) {
  if (found.levels.size() < 2) return {};
  const MemoryLevel &l2 = found.levels.front(), &last = found.levels[found.levels.size() - 2];
  return {{"L2", 0, inside * l2.size_bytes, &l2}, {"mem", beyond * last.size_bytes, HUGE_VAL, &found.levels.back()}};
}
std::vector<Window> windows_of_l1(const FoundLevels& found) {
  if (found.levels.size() < 2) return {};
  return {{"L1", 0, inside * found.levels.front().size_bytes, &found.levels.front()}};
}

/// A chase goes through the L1 of one multiprocessor, of which the sweep of them all says how large it is.
std::vector<Window> windows_of_chase(const FoundLevels& own, const FoundLevels& past_l1, const CeilingRow& any) {
  std::vector<Window> windows = windows_of_l1(own);
  const auto which = gpu_of_method(any.method);
  if (windows.empty() || !which || which->multiprocessors == 0) return {};
  const double l1_bytes = own.levels.front().size_bytes / which->multiprocessors;
  windows.front().up_to = inside * l1_bytes;
  for (Window window : windows_past_l1(past_l1)) {
    window.above = std::max(window.above, beyond * l1_bytes);
    windows.push_back(window);
  }
  return windows;
}

std::string why_undecided(const FoundLevels& found, std::size_t points) {
  if (!found.reason.empty()) return found.reason;
  return "one plateau in " + std::to_string(points) + " working sets: no step tells levels apart";
}

Ceiling missing(const CeilingRow& any, const std::string& level, const std::string& reason) {
  Ceiling ceiling = described(any);
  ceiling.level = level;
  ceiling.name = gpu_word(any.device) + " " + level + " " + (any.pattern == gpu_load_own ? gpu_load : any.pattern);
  ceiling.scope = any.scope;
  ceiling.status = Status::unavailable;
  ceiling.reason = reason;
  return ceiling;
}

/// The working set with the best median in the window; of memory in the last octave.
Ceiling fit_window(const BySize& sweep, const Window& window) {
  const CeilingRow& any = *sweep.begin()->second.front();
  double above = window.above;
  if (window.level == "mem") above = std::max(above, sweep.rbegin()->first / 2 * 0.98);
  const Rows* const best = best_median(sweep, [&](double bytes) { return bytes > above && bytes <= window.up_to; });
  if (best == nullptr) return missing(any, window.level, "no working set well inside it was measured");
  Ceiling ceiling = fit_best(*best, window.level);
  ceiling.name = missing(any, window.level, "").name;
  if (window.level != "mem") {
    ceiling.size_bytes = window.found->size_bytes;
    ceiling.size_lo_bytes = window.found->size_lo;
    ceiling.size_hi_bytes = window.found->size_hi;
  }
  ceiling.confidence = window.found->confidence;
  return ceiling;
}

void fit_sweep(const BySize& sweep, const std::vector<Window>& windows, const std::vector<std::string>& levels, const std::string& reason,
               std::vector<Ceiling>& ceilings) {
  for (const auto& window : windows) ceilings.push_back(fit_window(sweep, window));
  if (windows.empty())
    for (const auto& level : levels) ceilings.push_back(missing(*sweep.begin()->second.front(), level, reason));
}

/// The number of a core's smallest caches that the sweep's smallest working set holds: no level is looked for below that.
std::int64_t smallest_caches(const BySize& sweep) {
  constexpr double core_cache = 14 * 1024;
  return static_cast<std::int64_t>(sweep.begin()->first / core_cache) + 1;
}

void fit_sweeps(const std::map<std::string, BySize>& sweeps, std::vector<Ceiling>& ceilings) {
  const auto levels_of = [&](const char* pattern) {
    const auto curve = sweeps.find(pattern);
    return curve == sweeps.end() ? find_levels({}, {}) : find_levels(curve_of(curve->second), {}, smallest_caches(curve->second));
  };
  const FoundLevels own = levels_of(gpu_load_own), all = levels_of(gpu_load);
  for (const auto& [pattern, sweep] : sweeps)
    if (pattern == gpu_load_own)
      fit_sweep(sweep, windows_of_l1(own), {"L1"}, why_undecided(own, sweep.size()), ceilings);
    else if (pattern == gpu_chase)
      fit_sweep(sweep, windows_of_chase(own, all, *sweep.begin()->second.front()), {"L1", "L2", "mem"}, why_undecided(own, sweep.size()),
                ceilings);
    else
      fit_sweep(sweep, windows_past_l1(all), {"L2", "mem"}, why_undecided(all, sweep.size()), ceilings);
}

}  // namespace

CeilingLevel ceiling_level(const CeilingRow& row) {
  const bool by_kernel = row.level == CeilingKind::host_dev && row.pattern.starts_with("kernel_pinned");
  return by_kernel ? CeilingLevel(gpu_system) : row.level;
}

bool is_gpu_sample(const CeilingRow& row) { return row.scope == gpu_scope && row.pattern != stated; }

std::vector<Ceiling> fit_gpu_ceilings(std::span<const CeilingRow> samples) {
  std::vector<std::pair<std::string, std::string>> order;  // node and name, of first appearance
  std::map<std::pair<std::string, std::string>, Rows> by_name;
  std::map<std::pair<std::string, int>, std::map<std::string, BySize>> sweeps;  // by node and GPU, then pattern
  for (const auto& row : samples) {
    if (!is_gpu_sample(row)) continue;
    if (row.level == CeilingKind::sweep) {
      sweeps[{row.node, row.device}][row.pattern][row.working_set_bytes].push_back(&row);
      continue;
    }
    auto& rows = by_name[{row.node, row.name}];
    if (rows.empty()) order.emplace_back(row.node, row.name);
    rows.push_back(&row);
  }
  std::vector<Ceiling> ceilings;
  for (const auto& key : order)
    if (const Rows& rows = by_name[key]; is_by_size(rows.front()->level))
      fit_sizes(rows, ceilings);
    else
      ceilings.push_back(fit_best(rows, ceiling_level(*rows.front())));
  for (const auto& [of_gpu, patterns] : sweeps) fit_sweeps(patterns, ceilings);
  return ceilings;
}

}  // namespace plumbline
