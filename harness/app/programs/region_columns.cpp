#include "app/programs/region_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace plumbline::app {
namespace {

using Row = PlacedRow;

/// A number that regions alone have; absent where nobody knows.
template <class Value>
auto of_marks(Value RegionMarks::*member) {
  return [member](const Row& row) { return row.region ? std::optional<Value>((*row.region).*member) : std::nullopt; };
}

std::string entries_text(const Row& row) { return row.region ? std::to_string(row.region->entries) : "-"; }

}  // namespace

Columns<Row> placed_region_columns() {
  // A region has been timed from mark to mark, and lies in no one file.
  const std::set<std::string> not_of_regions{"object", "samples", "share_lo", "share_hi", "seconds_lo", "seconds_hi"};
  Columns<Row> columns = placed_columns("region");
  std::erase_if(columns, [&](const auto& column) { return not_of_regions.contains(column.key) || column.heading.words == "in"; });
  const auto column = [&](const char* key) { return std::ranges::find(columns, key, &AnyColumn::key); };
  column("name")->meaning = "name by which the region was marked";
  column("name")->in_row("region", Align::left, text_of<Row>([](const Row& row) { return row.shown; }));
  column("share")->meaning = "part of the time of the native run from start to end";
  column("share")->in_row("of time", Align::right, text_of<Row>([](const Row& row) {
                            return std::isfinite(row.share.part) ? fmt::format("{:.1f} %", 100 * row.share.part) : "-";
                          }));
  column("seconds")->meaning = "time between its marks, where threads that were in it at once count once";
  column("cpu_seconds")->meaning = "CPU time of its threads between its marks";
  column("cpu_seconds")->in_row("CPU time", Align::right, text_of<Row>([](const Row& row) { return duration(row.cpu_seconds); }));
  column("cores")->meaning = "threads that were in it at once, the mean";
  column("imbalance")->meaning = "the CPU time of the thread that had most of it over the mean";
  Columns<Row> marks{
      Column<Row>("entries", "how often it was entered", of_marks(&RegionMarks::entries)).in_row("entries", Align::right, entries_text),
      {"ranks", "number of ranks that entered it", of_marks(&RegionMarks::ranks)},
      {"processes", "number of processes that entered it", of_marks(&RegionMarks::processes)},
      {"threads", "number of threads that entered it", of_marks(&RegionMarks::threads)},
      {"open", "whether some thread had not left it when its process ended", of_marks(&RegionMarks::open)}};
  columns.insert(std::next(column("name")), marks.begin(), marks.end());
  return columns;
}

}  // namespace plumbline::app
