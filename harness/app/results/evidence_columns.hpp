// The evidence that a counter's grade rests on has its columns here.
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

/// Prints a part in percent, "0.31 %"; empty when absent, since a column says nothing rather than dashes.
std::string in_percent(double part);
/// Prints by how much a ratio exceeds 1: "0.31 %", or from 2 on the ratio itself, "x 2.0".
std::string excess_of(double ratio);

}  // namespace plumbline::app
