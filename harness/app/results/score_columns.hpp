// A counter's score has its columns here, for people and for programs.
#pragma once
#include <string>

#include "app/terminal/columns.hpp"
#include "model/scoring/score.hpp"

namespace plumbline::app {

Columns<CounterScore> counter_columns();

/// The zero tests that were passed: "32 of 32"; empty where there are none.
std::string zeros_of(const CounterScore& score);
/// The grade's letter, or "static" for what measured nothing.
std::string grade_of(const CounterScore& score);

}  // namespace plumbline::app
