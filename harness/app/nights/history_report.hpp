// The nights of a folder tell of each case, ceiling and link: its level, its limits, when the level changed; and the report has several
// forms.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/nights/history_series.hpp"
#include "app/nights/missing_rows.hpp"
#include "app/terminal/table.hpp"
#include "model/statistics/change_points.hpp"
#include "model/statistics/control_chart.hpp"

namespace plumbline::app {

struct LevelChange {
  std::size_t first = 0, last_before = 0;  // points
  ChangePoint found = {};
  MedianRatio slowdown = {};  // over the level before
  bool accepted = false;
};

/// The states of a series: it is steady, or its last nights are otherwise.
enum class SeriesState {
  steady,
  creeps_up,  // the time, of a rate its inverse: a moving average does
  creeps_down,
  slow_last_night,  // beyond the control limits
  fast_last_night,
  disturbed_last_night,
  few_nights,  // of the present level: it has no limits
  left_off     // the campaign's last night misses it
};
/// The state in words: "steady", "creeps up".
std::string to_string(SeriesState state);

/// A series with its charts.
struct Charted {
  const Series* of = nullptr;            // borrowed from the report's clusters
  std::vector<std::size_t> points = {};  // of the series, those that were not disturbed; where all were, all
  std::vector<double> costs = {};        // theirs
  std::vector<LevelChange> changes = {};
  std::size_t level_begins = 0;  // the cost that the present level begins with
  ControlChart chart = {};       // of the present level
  std::optional<MissingRow> left_off = {};

  bool last_is_outside() const;
  std::size_t level_nights() const { return costs.size() - level_begins; }
  std::size_t disturbed() const;  // nights that are no measure
  SeriesState state() const;
};

/// The nights of one cluster, and what was accepted of them.
struct ClusterNights {
  std::vector<Night> nights = {};
  std::vector<AcceptedLevel> levels = {};
  std::map<SeriesKey, Series> series = {};
};

struct HistoryWish {
  std::string what = {}, node = {}, cluster = {};  // globs; empty: all
  double false_changes = 0.05;                     // expected in all
};

struct HistoryReport {
  std::string folder = {};
  std::map<std::string, ClusterNights> clusters = {};  // by name
  std::vector<Charted> charted = {};                   // those that are wanted, by cluster and node
  std::size_t nights = 0;
  std::vector<std::string> notes = {};
};

/// Makes the report. Throws Error (user) where `folder` is none, or nothing in it is what is wanted.
HistoryReport report_history(const std::string& folder, const HistoryWish& wish);

Json history_json_rows(const HistoryReport& report);
std::string history_document(const HistoryReport& report);
/// The JSON Schema of that document.
Json history_schema();
std::string history_text(const HistoryReport& report);
std::string history_markdown(const HistoryReport& report);

}  // namespace plumbline::app
