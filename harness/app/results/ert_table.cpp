#include "app/results/ert_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "ert/upper_case.hpp"

namespace plumbline::app {
namespace {

using TeamPlace = std::tuple<std::string, std::int64_t, std::int64_t>;  // node, ranks, threads

std::string percent_of(const ErtRate& rate) { return std::isfinite(rate.percent()) ? fmt::format("{:.0f} %", rate.percent()) : ""; }

std::vector<std::string> level_names(const std::vector<ErtRow>& rows) {
  std::vector<std::string> names;
  for (const ErtRow& row : rows)
    for (const auto& [level, rate] : row.levels)
      if (std::find(names.begin(), names.end(), level) == names.end()) names.push_back(level);
  return names;
}

ErtRate rate_at(const ErtRow& row, const std::string& level) {
  const auto found = std::find_if(row.levels.begin(), row.levels.end(), [&](const auto& one) { return one.first == level; });
  return found == row.levels.end() ? ErtRate{} : found->second;
}

/// Adds a rate, and beside it how much of the ceiling it is.
void add_rate(Columns<ErtRow>& columns, const std::string& heading, std::function<ErtRate(const ErtRow&)> rate) {
  columns.push_back({Heading{heading}, [rate](const ErtRow& row) { return plain(rate(row).value, 4); }});
  columns.push_back({Heading{"of asm"}, [rate](const ErtRow& row) { return percent_of(rate(row)); }});
}

/// The columns that people see of rows that have these levels.
Columns<ErtRow> compiler_columns(const std::vector<std::string>& levels) {
  const auto line = text_of<ErtRow>([](const ErtRow& row) { return upper_case(row.precision) + " " + row.kind; });
  auto columns = chosen(ert_columns(), {{"precision"}, {"kind"}, {"flavor"}});
  columns[0].above("precision", line);
  columns[1].above("kind", line);
  columns[2].in_row("compiler", Align::left, text_of<ErtRow>([](const ErtRow& row) { return "  " + row.flavor; }));
  add_rate(columns, "GFLOP/s", &ErtRow::flops);
  for (const auto& level : levels) add_rate(columns, level + " GB/s", [level](const ErtRow& row) { return rate_at(row, level); });
  return columns;
}

bool is_held(const ErtRate& rate) { return std::isfinite(rate.ceiling); }

/// The ceiling that a rate is held against; `unit` is the key of numbers.
Columns<ErtRate> held_columns(const std::string& unit) {
  using Row = ErtRate;
  return {{"name", "name of the ceiling", [](const Row& rate) { return OrNull{rate.ceiling_name}; }},
          {unit, "rate of the ceiling", &Row::ceiling},
          {"percent", "the rate, in percent of the ceiling", &Row::percent},
          {"status", "ok, or in a word why nothing is held against it",
           [](const Row& rate) { return is_held(rate) ? rate.status : Status::unavailable; }},
          {"reason", "why nothing is held against it",
           [](const Row& rate) { return OrNull{is_held(rate) ? rate.reason : "no such ceiling was measured with this team"}; }}};
}

Columns<ErtRate> ert_rate_columns(const std::string& unit) {
  using Row = ErtRate;
  return {{unit, "the best sample", &Row::value},
          {"k", "FLOPs an element", [](const Row& rate) { return rate.status == Status::ok ? std::optional(rate.k) : std::nullopt; }},
          {"working_set_bytes", "working set of the whole team", &Row::working_set_bytes},
          {"status", "ok, or in a word why the rate is not there", &Row::status},
          {"reason", "why the rate is not there", [](const Row& rate) { return OrNull{rate.reason}; }},
          object_column<Row>("ceiling", "ceiling that the rate is held against", held_columns(unit), std::identity())};
}

}  // namespace

std::string ert_table_text(std::span<const ErtRow> rows, Format format) {
  std::map<TeamPlace, std::vector<ErtRow>> places;
  for (const ErtRow& row : rows) places[{row.node, row.ranks, row.threads}].push_back(row);
  std::string text;
  for (const auto& [place, members] : places) {
    const auto& [node, ranks, threads] = place;
    const auto columns = compiler_columns(level_names(members));
    text += fmt::format("\n{}: ERT's loop by compiler, {} rank{} of {} thread{}\n\n{}", node, ranks, ranks == 1 ? "" : "s", threads,
                        threads == 1 ? "" : "s", format == Format::markdown ? markdown(columns, members) : aligned(columns, members));
  }
  return text;
}

Columns<ErtRow> ert_columns() {
  using Row = ErtRow;
  return {{"kind", "vector FMA, vector add, scalar FMA or scalar add", &Row::kind},
          {"precision", "number format of its arithmetic, as fp64", &Row::precision},
          {"flavor", "how the loop was compiled", &Row::flavor},
          {"is_max", "whether this is the best of the kind's flavors, number by number", &Row::is_max},
          {"node", "node that it was measured on", &Row::node},
          {"ranks", "ranks of the team", &Row::ranks},
          {"threads", "threads of each rank", &Row::threads},
          object_column<Row>("arithmetic", "its rate of arithmetic", ert_rate_columns("gflops"), &Row::flops),
          named_rows_column<Row>("levels", "its rate of memory, by level", ert_rate_columns("gbs"), &Row::levels)};
}

std::vector<std::string> ert_table_notes(std::span<const ErtRow> rows) {
  if (rows.empty()) return {};
  std::vector<std::string> notes{
      "ERT's loop by compiler (Kwack et al. 2018, Table I): the best samples; GB/s with fewest FLOPs an element, a load and a store of "
      "each; "
      "of asm: of what ert/peak reaches with that arithmetic at that ISA, and ert/stream's update at that level by the widest ISA, in the "
      "same run"};
  if (std::all_of(rows.begin(), rows.end(), [](const ErtRow& row) { return row.levels.empty(); }))
    notes.emplace_back("ERT's loop by compiler: the team's loads were not swept ([ceilings]), so its levels of memory are not known");
  std::set<std::string> reasons;
  for (const ErtRow& row : rows) {
    if (row.is_max) continue;
    if (row.flops.status != Status::ok) {
      reasons.insert(fmt::format("{}: {}", row.flavor, row.flops.reason));
      continue;
    }
    for (const auto& [level, rate] : row.levels)
      if (rate.status != Status::ok) reasons.insert(fmt::format("{}: {}", level, rate.reason));
  }
  notes.insert(notes.end(), reasons.begin(), reasons.end());
  return notes;
}

}  // namespace plumbline::app
