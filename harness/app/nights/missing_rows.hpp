// A row is missing where a night was to measure it and did not: it is told until somebody accepts that it is gone.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/nights/history_series.hpp"

namespace plumbline::app {

struct MissingRow {
  SeriesKey key = {};
  std::string reason = {};
  std::int64_t last_unix_ns = 0;  // start of the last night that measured it; 0: none ever did, and this one failed
};

/// The rows that the checked night has not. A case that it tried is never among the retired ones.
struct MissingRows {
  std::vector<MissingRow> rows;
  std::set<std::string> retired;
};

/// Finds the rows that the checked night misses, held against all nights of the accepted levels in `series` that are of its campaign and
/// have anything in common with it. They are missed node by node; only what a campaign spreads over like nodes (placement = "distribute")
/// may be measured by any, but by no fewer than ever. What failed in the checked night is among them though none before it has it: a wrong
/// result is a finding of its own. Messages between nodes that nobody happened to pair are not missed: a node that is gone is, by its own
/// rows.
MissingRows find_missing(const Night& checked, const std::map<SeriesKey, Series>& series);

/// Whether a case's kernel is known here, for CPUs or GPUs as the case has it, and takes other parameters by now: no campaign can ask for
/// the case any more.
bool is_retired(const std::string& what);
/// Says that these cases are retired; there must be one.
std::string retired_note(const std::set<std::string>& retired);

/// Says "last measured 2026-11-21 01:00:03", in words also where it never was.
std::string last_measured(const MissingRow& row);

/// The rows that each campaign's last night misses and no later night of another one has. `nights` in order.
std::map<SeriesKey, MissingRow> left_off(std::span<const Night> nights, const std::map<SeriesKey, Series>& series);

}  // namespace plumbline::app
