// The columns that a program draws the other rooflines from: the time-based one and that of instructions.
#pragma once
#include "app/results/show_cells.hpp"
#include "app/terminal/columns.hpp"

namespace plumbline::app {

/// `time_roofline`, of cases that have time, FLOPs and a roof, and `instructions`, of those whose instructions were counted.
Columns<ShownCase> other_roofline_columns();

}  // namespace plumbline::app
