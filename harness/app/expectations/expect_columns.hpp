// Judged expectations as a table: the columns are written once, for people and for programs.
#pragma once
#include <span>
#include <string>

#include "app/expectations/verdict.hpp"
#include "app/terminal/columns.hpp"

namespace plumbline::app {

Columns<JudgedExpectation> expect_columns();

/// The table in aligned text, where statement and reason stand below each, or in Markdown, where they stand in the row; papers together.
std::string expectations_text(std::span<const JudgedExpectation> judged, Format format);

/// One line: how many are confirmed, how many differ, how many cannot be measured.
std::string expectations_summary(std::span<const JudgedExpectation> judged);

/// Notes that say what the words of the table mean, of those that are there.
std::vector<std::string> expectations_notes(std::span<const JudgedExpectation> judged);

}  // namespace plumbline::app
