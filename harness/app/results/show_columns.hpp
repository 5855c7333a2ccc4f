// The columns of cases on the roofline are written once: programs get all of them, every number beside a reason where it is missing, people
// those that tell where a case lies and what bounds it.
#pragma once
#include <span>
#include <string>

#include "app/results/show_cells.hpp"
#include "app/terminal/columns.hpp"

namespace plumbline::app {

Columns<ShownCase> shown_case_columns();

/// The cases in aligned text, with remarks below those of which there is more to say.
std::string cases_text(std::span<const ShownCase> cases);

}  // namespace plumbline::app
