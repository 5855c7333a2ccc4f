// What the nights before measured and a night did not: told until somebody accepts that it is gone.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/history_series.hpp"

namespace plumbline::app {

struct MissingRow {
  SeriesKey key = {};
  std::string reason = {};
  std::int64_t last_unix_ns = 0;  // start of the last night that measured it
};

/// Held against all nights of the accepted levels in `series` that are of the checked one's campaign and have anything in common with it.
/// Node by node; only what a campaign spreads over like nodes (placement = "distribute") may be measured by any, but by no fewer than ever.
/// Messages between nodes that nobody happened to pair are not missed: a node that is gone is, by its own rows.
std::vector<MissingRow> find_missing(const Night& checked, const std::map<SeriesKey, Series>& series);

}  // namespace plumbline::app
