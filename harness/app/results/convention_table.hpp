// Another convention of counting than ours has its numbers shown beside the scores of the counters.
#pragma once
#include <span>
#include <string>

#include "app/terminal/columns.hpp"
#include "model/placement/by_convention.hpp"

namespace plumbline::app {

Columns<ConventionRow> convention_row_columns();

/// The formulas with how far each is from the truth over all cases, as text; empty where there is none.
std::string convention_text(std::span<const ConventionRow> rows);

}  // namespace plumbline::app
