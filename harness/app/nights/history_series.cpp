#include "app/nights/history_series.hpp"

#include <cmath>

namespace plumbline::app {

std::vector<std::size_t> Series::told_points() const {
  std::vector<std::size_t> told, all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    all.push_back(i);
    if (!points[i].value.disturbed) told.push_back(i);
  }
  return told.empty() ? all : told;
}

std::map<SeriesKey, Series> series_of(std::span<const Night> nights, const std::vector<AcceptedLevel>& levels) {
  std::map<SeriesKey, Series> all;
  for (const auto& night : nights)
    for (const auto& row : night.rows) {
      if (row.status != Status::ok || !std::isfinite(row.value.median)) continue;
      Series& series = all[row.key];
      if (series.points.empty()) {
        series.key = row.key;
        series.cluster = night.cluster;
        series.unit = row.unit;
        series.accepted = level_of(levels, row.key);
      }
      if (series.unit != row.unit) continue;
      series.row_class = row.row_class;
      series.points.push_back({&night, row.value});
      if (series.accepted != nullptr && night.started_unix_ns < series.accepted->from_unix_ns) series.first_accepted = series.points.size();
    }
  return all;
}

}  // namespace plumbline::app
