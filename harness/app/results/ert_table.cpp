#include "app/results/ert_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "ert/upper_case.hpp"

namespace plumbline::app {
namespace {

using TeamPlace = std::tuple<std::string, std::int64_t, std::int64_t>;  // node, ranks, threads

std::string percent_of(const ErtRate& rate) { return std::isfinite(rate.percent()) ? fmt::format("{:.0f} %", rate.percent()) : ""; }

std::vector<std::string> levels_of(const std::vector<const ErtRow*>& rows) {
  std::vector<std::string> names;
  for (const ErtRow* row : rows)
    for (const auto& [level, rate] : row->levels)
      if (std::find(names.begin(), names.end(), level) == names.end()) names.push_back(level);
  return names;
}

Table table_of(const std::vector<const ErtRow*>& rows) {
  const std::vector<std::string> levels = levels_of(rows);
  std::vector<Heading> columns{{"compiler", Align::left}, {"GFLOP/s"}, {"of asm"}};
  for (const auto& level : levels) {
    columns.push_back({level + " GB/s"});
    columns.push_back({"of asm"});
  }
  Table table(columns);
  std::string group;
  for (const ErtRow* row : rows) {
    const std::string heading = upper_case(row->precision) + " " + row->kind;
    if (heading != group) table.add_line(heading);
    group = heading;
    std::vector<std::string> cells{"  " + row->flavor, plain(row->flops.value, 4), percent_of(row->flops)};
    for (const auto& level : levels) {
      const auto found = std::find_if(row->levels.begin(), row->levels.end(), [&](const auto& l) { return l.first == level; });
      const ErtRate rate = found == row->levels.end() ? ErtRate{} : found->second;
      cells.push_back(plain(rate.value, 4));
      cells.push_back(percent_of(rate));
    }
    table.add(cells);
  }
  return table;
}

Json rate_json(const ErtRate& rate, const std::string& unit) {
  const bool ok = rate.status == Status::ok, held = std::isfinite(rate.ceiling);
  Json json{{unit, number(rate.value)},
            {"k", ok ? Json(rate.k) : Json(nullptr)},
            {"working_set_bytes", number(rate.working_set_bytes)},
            {"status", std::string(to_string(rate.status))},
            {"reason", text_or_null(rate.reason)}};
  const Status status = !held ? Status::unavailable : rate.status;
  json["ceiling"] = {{"name", text_or_null(rate.ceiling_name)},
                     {unit, number(rate.ceiling)},
                     {"percent", number(rate.percent())},
                     {"status", std::string(to_string(status))},
                     {"reason", text_or_null(!held ? "no such ceiling was measured with this team" : rate.reason)}};
  return json;
}

}  // namespace

std::string ert_table_text(std::span<const ErtRow> rows) {
  std::map<TeamPlace, std::vector<const ErtRow*>> places;
  for (const ErtRow& row : rows) places[{row.node, row.ranks, row.threads}].push_back(&row);
  std::string text;
  for (const auto& [place, members] : places) {
    const auto& [node, ranks, threads] = place;
    text += fmt::format("\n{}: ERT's loop by compiler, {} rank{} of {} thread{}\n\n{}", node, ranks, ranks == 1 ? "" : "s", threads,
                        threads == 1 ? "" : "s", table_of(members).text());
  }
  return text;
}

Json ert_table_json(std::span<const ErtRow> rows) {
  Json all = Json::array();
  for (const ErtRow& row : rows) {
    Json json{{"kind", row.kind}, {"precision", row.precision}, {"flavor", row.flavor},  {"is_max", row.is_max},
              {"node", row.node}, {"ranks", row.ranks},         {"threads", row.threads}};
    json["arithmetic"] = rate_json(row.flops, "gflops");
    json["levels"] = Json::object();
    for (const auto& [level, rate] : row.levels) json["levels"][level] = rate_json(rate, "gbs");
    all.push_back(std::move(json));
  }
  return all;
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
