#include "app/results/mpi_ceilings_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "app/terminal/table.hpp"

namespace plumbline::app {
namespace {

/// Rates, times and sizes stand in one column.
std::string in_its_unit(const Ceiling& ceiling, double value) {
  if (!std::isfinite(value)) return "-";
  if (ceiling.unit == "seconds") return duration(value);
  if (ceiling.unit == "bytes") return size_in_bytes(value);
  return plain(value, 4) + " " + ceiling.unit;
}

/// The cell of a ceiling's name: that of one that is a size says what it is the size of.
std::string name_cell(const Ceiling& c) {
  constexpr std::string_view half = "half bandwidth";
  return c.name.ends_with(half) ? c.name.substr(0, c.name.size() - half.size()) + "message size for half the bandwidth" : c.name;
}

void add_row(Table& table, const Ceiling& c) {
  table.add({name_cell(c), in_its_unit(c, c.value), in_its_unit(c, c.min), in_its_unit(c, c.median), in_its_unit(c, c.max),
             std::isfinite(c.cv) ? fmt::format("{:.1f} %", 100 * c.cv) : "-", std::to_string(c.n),
             c.unit == "bytes" || !std::isfinite(c.size_bytes) ? "" : size_in_bytes(c.size_bytes), c.status == Status::ok ? c.method : ""});
  if (c.status != Status::ok) table.add_line(wrapped(fmt::format("{}: {}", to_string(c.status), c.reason), 118, "    "));
}

}  // namespace

std::string mpi_ceilings_text(std::span<const Ceiling> ceilings) {
  std::map<std::string, Table> nodes;
  for (const auto& ceiling : ceilings) {
    if (ceiling.level != CeilingKind::mpi) continue;
    const auto [table, added] = nodes.try_emplace(
        ceiling.node,
        std::vector<Heading>{
            {"messages", Align::left}, {"best"}, {"min"}, {"median"}, {"max"}, {"CV"}, {"n"}, {"message size"}, {"between", Align::left}});
    add_row(table->second, ceiling);
  }
  std::string text;
  for (const auto& [node, table] : nodes) text += fmt::format("\n{}: messages between two ranks\n\n{}", node, table.text());
  return text;
}

}  // namespace plumbline::app
