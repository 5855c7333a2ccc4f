// The findings of `plumbline check` have several forms: a table, JSON, JUnit XML, Markdown.
#pragma once
#include <string>
#include <vector>

#include "app/nights/missing_rows.hpp"
#include "app/terminal/table.hpp"

namespace plumbline::app {

struct CheckRow {
  SeriesKey key = {};
  std::string row_class = {}, unit = {};
  NightValue after = {};
  double clock_before_hz = absent;
  CheckedNight night = {};
  std::string explanation = {};  // of the clock
  std::string accepted = {};     // since when and why this level is right; empty where nobody said so
  Status status = Status::ok;    // of the night's own measurement
  std::string reason = {};
};

struct CheckReport {
  std::string file = {}, baseline = {};
  std::string cluster = {};      // empty: unknown
  double false_alarms = absent;  // expected a night
  std::int64_t started_unix_ns = 0;
  std::size_t nights = 0;
  std::vector<CheckRow> rows = {};
  CheckSummary summary = {};
  std::vector<WrongResult> wrong = {};
  std::vector<MissingRow> missing = {};
  bool missing_allowed = false;  // told, but no failure
  std::vector<std::string> notes = {};
};

/// Fills rows and summary.
void check_rows(CheckReport& report, const Night& checked, const std::map<SeriesKey, Series>& series,
                const std::vector<AcceptedLevel>& levels, const CheckOptions& options);

/// The number of rows with that finding.
std::size_t count_of(const CheckReport& report, NightFinding finding);
/// The number of rows that are held against an earlier night.
std::size_t held_of(const CheckReport& report);
/// The number of findings in words: "1 slower, 0 suspect, ...".
std::string counts_text(const CheckReport& report);
/// The changes that can be detected, in words: "mem 5.3 %, compute 3.1 %"; empty where nothing is held against anything.
std::string detectable_text(const CheckReport& report);

/// The evidence of a row in words: "12.3 us -> 14.9 us, +20.9 % (+15.1 % to +27.0 %), 14 nights, clock 3.10 -> 3.10 GHz".
std::string evidence(const CheckRow& row);

Json check_json_rows(const CheckReport& report);
std::string check_document(const CheckReport& report);
/// The JSON Schema of that document.
Json check_schema();
std::string check_text(const CheckReport& report);
std::string junit(const CheckReport& report);
std::string markdown(const CheckReport& report);

}  // namespace plumbline::app
