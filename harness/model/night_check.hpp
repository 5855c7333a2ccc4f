// A night held against the nights before it: which things became slower, with how many false alarms a night.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/bootstrap.hpp"
#include "model/observation.hpp"
#include "model/threshold.hpp"

namespace plumbline {

/// What a night says of one thing, in few numbers: what the index of a history keeps.
struct NightValue {
  double median = absent;           // in the unit
  double lo = absent, hi = absent;  // 95 % interval of the median within the night; absent for a single sample
  double scatter = absent;          // of one sample, of the logarithm
  std::size_t n = 0;
  double clock_hz = absent;
};
NightValue night_value(const Observation& observation);

/// One thing through the nights, as logarithms of its cost: seconds, or the inverse of a rate. Greater is slower.
struct CheckedSeries {
  SeriesKey key = {};
  std::string row_class = {}, unit = {};
  std::vector<double> before = {};  // the baseline's nights, in order
  double sample_scatter = absent;   // of one sample within a night, median over the nights
  double after = absent;            // the night that is held against them
  double after_half_width = 0;      // of its own interval
};

enum class NightFinding { ok, slower, faster, suspect, no_baseline };
std::string_view to_string(NightFinding finding);

struct CheckedNight {
  NightFinding finding = NightFinding::no_baseline;
  double slowdown = absent, lo = absent, hi = absent;  // times as long as the baseline's median, with its simultaneous interval
  double before = absent;                              // the baseline's median, in the unit
  double threshold = absent;
  std::size_t nights = 0;
};

struct CheckOptions {
  double false_alarms = 0.05;            // expected in a night in which nothing changed, over all rows
  std::optional<double> threshold = {};  // a part; without it the class's practical one, but at least the next
  double least_threshold = 0;
  bool calibrate = true;  // by the baseline's own nights: only where they come one after the other
};

struct CheckSummary {
  double probability_of_row = absent;  // false_alarms / rows: one-sided
  double tail_factor = 1;              // how much wider than Student's the intervals are, by what the baseline's own nights did
  std::size_t calibrated_by = 0;       // nights of the baseline, held against those before them
  std::map<std::string, double> smallest_detectable = {};  // a part, by class
};

struct Checked {
  std::vector<CheckedNight> rows = {};  // one for each series
  CheckSummary summary = {};
};

/// SLOWER where the whole interval lies beyond the threshold. The interval is that of a prediction: the scatter of a series' nights,
/// moderated by its class's (Smyth 2004), Student's t at false_alarms / rows (Bonferroni: the expected number of false
/// alarms, however the rows depend on each other), and widened where the baseline's own nights, each held against those before it, went
/// further out than Student's t has it (Weissman 1978).
Checked check_night(std::span<const CheckedSeries> series, const CheckOptions& options);

/// The logarithm of the cost of a value in `unit`, and back.
double log_cost(double value, const std::string& unit);
double value_of(double log_cost, const std::string& unit);

/// The value that is exceeded with probability `tail`, from the greatest of `sizes` (absolute values): Hill's index, Weissman's
/// extrapolation. Absent below 100 values.
double extreme_quantile(std::vector<double> sizes, double tail);

}  // namespace plumbline
