// The derived table /intensity tells readers without this program where every case lies at every level, and the grade of the counter behind
// it.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "core/counter_set.hpp"
#include "core/records.hpp"
#include "model/cases/measured.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline::app {

/// The mark of the table: "plumbline 0.9.0 (1a2b3c4d)".
std::string derived_by();

/// Derives the table from what was measured, as `show` and `score` judge it; a judgement that fails is no error: the table is then empty,
/// with the reason.
Intensities derived_intensities(const Results& results);

/// The rows, one for each level of each placement. They have no grades, which need a score. `placements` are of the measured cases, in
/// their order.
std::vector<IntensityRow> intensity_rows(std::span<const RooflinePlacement> placements, const Measurements& measurements,
                                         const CounterSet* set);

/// Says in a sentence where the table that lies in the file is another than `rows`, of the cases that `rows` has; nullopt where it is none,
/// and in files without one. Grades are not compared.
std::optional<std::string> difference_from_file(const std::string& file, std::span<const IntensityRow> rows);

}  // namespace plumbline::app
