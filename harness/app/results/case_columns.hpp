// Scores case by case, as counts, intensities, groups of cases and times, have their columns here, for people and for programs.
#pragma once
#include "app/terminal/columns.hpp"
#include "model/scoring/accuracy.hpp"
#include "model/scoring/derived_intensity.hpp"
#include "model/scoring/score_groups.hpp"
#include "model/statistics/time_agreement.hpp"

namespace plumbline::app {

Columns<CaseScore> case_columns();
Columns<GroupScore> group_columns();
Columns<IntensityScore> intensity_columns();
Columns<IntensitySummary> intensity_summary_columns();
Columns<TimeAgreement> agreement_columns();

/// A cell of a number with so many digits.
template <class Row>
auto in_digits(double Row::*number, int digits = 3) {
  return [number, digits](const Row& row) { return plain(row.*number, digits); };
}

/// The column of the convention that a score goes by.
template <class Row>
Column<Row> convention_column() {
  return {"convention", "flow: what crosses a boundary; paper: as the paper counts that the kernel is from", &Row::convention};
}

}  // namespace plumbline::app
