// The rows of the document plumbline-profile/1 have columns in common, whoever counted: of their kind and of levels of memory.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"

namespace plumbline::app {

using Count = std::optional<std::uint64_t>;  // a number that is whole; absent: not known

std::string plain_or_dash(std::optional<double> value);
std::string size_or_dash(std::optional<double> value);
/// Prints a part of a whole as "94.4 %"; "-" where one of them is not known or the whole is nothing.
std::string share_or_dash(std::optional<double> part, std::optional<double> whole);
/// FLOPs, bytes and counts are whole.
Count whole(std::optional<double> value);
/// Shortens a name of more than 40 characters: it loses its middle where it ends with an offset ("symbol+0x1a0"), which tells functions of
/// a stripped file apart, else its end.
std::string shortened(const std::string& name);

/// The traffic across a level's boundary towards the core.
struct LevelBytes {
  std::string boundary;
  Count bytes = {};
  std::optional<double> intensity = {};
};
Columns<LevelBytes> level_columns();

template <class Row>
Column<Row> kind_column(const std::string& kind) {
  return {"kind", "kind of thing that the row is of", Json{{"const", kind}}, [kind](const Row&) { return Json(kind); }};
}

/// The column of the levels; `get` gives pairs of a level's name and its traffic.
template <class Row, class Get>
Column<Row> levels_column(Get get) {
  return named_rows_column<Row>("levels", "by level of memory the traffic across its boundary towards the core", level_columns(), get);
}

/// The column of FLOPs by precision; `get` gives pairs of a precision and its FLOPs.
template <class Row, class Get>
Column<Row> precisions_column(Get get) {
  return {"flops_by_precision", "by precision the floating-point operations, an fma being two", by_name(type_schema<Count>()),
          [get](const Row& row) {
            Json flops = Json::object();
            for (const auto& [precision, count] : get(row)) flops[precision] = json_value(count);
            return flops;
          }};
}

/// `file`: where it goes; `caches`: in words, empty where none were simulated.
std::string profile_document(const std::string& file, const Json& rows, const std::vector<std::string>& notes,
                             const std::vector<std::string>& command, const std::string& caches);
/// `kinds`: the schemas of all kinds of rows.
Json profile_document_schema(const Json& kinds);

}  // namespace plumbline::app
