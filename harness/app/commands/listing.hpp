// The listings that `plumbline list` prints: rows for programs, and the same for people.
#pragma once
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"

namespace plumbline::app {

struct Listing {
  Json rows = Json::array();
  std::vector<std::string> notes = {};
  std::string text = {}, tables = {};  // aligned text with notes; tables in Markdown without

  /// Appends rows to those for programs, and their table in Markdown.
  template <class Row, class Rows>
  void add(const Columns<Row>& columns, const Rows& all) {
    for (const auto& row : all) rows.push_back(row_json<Row>(columns, row));
    if (const std::string table = markdown(columns, all); !table.empty()) tables += (tables.empty() ? "" : "\n") + table;
  }
};

/// Lists what campaigns' modes would measure on one core of this machine, on a GPU, and between ranks.
Listing list_ceilings();
Json listed_ceiling_schema();

}  // namespace plumbline::app
