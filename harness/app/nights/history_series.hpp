// The nights of a history are turned round into series: of each thing its values through the nights.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/nights/accepted_levels.hpp"
#include "app/nights/history_index.hpp"

namespace plumbline::app {

struct SeriesPoint {
  const Night* night = nullptr;  // borrowed from the history
  NightValue value = {};
};

struct Series {
  SeriesKey key = {};
  std::string cluster = {};                 // of all its nights
  std::string row_class = {}, unit = {};    // of the last night
  std::vector<SeriesPoint> points = {};     // in order; nights without a value have none
  const AcceptedLevel* accepted = nullptr;  // borrowed
  std::size_t first_accepted = 0;           // the points from here on are of the accepted level

  /// The points that were not disturbed: what others did is no measure. Where all were, all.
  std::vector<std::size_t> told_points() const;
  std::span<const SeriesPoint> of_accepted_level() const { return std::span(points).subspan(first_accepted); }
};

/// The series of one cluster's nights. Nights in which a thing has another unit are left out.
std::map<SeriesKey, Series> series_of(std::span<const Night> nights, const std::vector<AcceptedLevel>& levels);

}  // namespace plumbline::app
