// The columns of cases on the roofline are written once: programs get all of them, every number beside a reason where it is missing, people
// those that tell where a case lies and what bounds it.
#pragma once
#include <span>
#include <string>

#include "app/results/show_cells.hpp"
#include "app/terminal/columns.hpp"

namespace plumbline::app {

Columns<ShownCase> shown_case_columns();

/// The cases, those of a kernel and node together, in aligned text, where remarks stand below those of which there is more to say, or in
/// Markdown, where they stand in the row. Empty where there are none.
std::string cases_text(std::span<const ShownCase> cases, Format format);

}  // namespace plumbline::app
