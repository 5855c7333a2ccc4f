// The columns of what a counter's grade rests on.
#pragma once
#include <string>

#include "app/terminal/columns.hpp"
#include "model/scoring/score.hpp"

namespace plumbline::app {

Columns<FactorEffect> effect_columns();
Columns<Linearity> line_columns();
Columns<SeenFlow> flow_columns();
/// The columns of the evidence on a counter, all of it for programs.
Columns<CounterScore> evidence_columns();

/// A part in percent: "0.31 %", empty when absent, since a column says nothing rather than dashes.
std::string in_percent(double part);

}  // namespace plumbline::app
