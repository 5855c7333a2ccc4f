// The command `plumbline ceilings` shows Table I of Kwack et al. 2018: ERT's loop by compiler, beside the ceilings.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/terminal/columns.hpp"
#include "model/ceilings/ert_table.hpp"

namespace plumbline::app {

/// A heading and a table for each node and team, in Markdown or aligned text. Empty when there are no rows.
std::string ert_table_text(std::span<const ErtRow> rows, Format format);

/// The columns of the rows, for programs; rates, and the ceilings they are held against, have status and reason of their own.
Columns<ErtRow> ert_columns();

/// Notes that a reader of the table must know; none without rows.
std::vector<std::string> ert_table_notes(std::span<const ErtRow> rows);

}  // namespace plumbline::app
