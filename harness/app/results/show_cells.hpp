// The words for a case's place on the roofline, as `plumbline show` prints them for people.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gpu/theoretical_occupancy.hpp"
#include "model/placement/displacement.hpp"
#include "model/placement/occupancy_roof.hpp"
#include "model/placement/roofline.hpp"
#include "model/scoring/counter_conditions.hpp"

namespace plumbline::app {

/// A case is shown in its place, with the conditions in which a GPU's counters counted it and its place by another counter, where asked
/// for.
struct ShownCase {
  RooflinePlacement at;
  std::optional<CounterConditions> conditions = {};
  std::optional<Displacement> displaced = {};
  std::optional<OccupancyRoof> occupancy_roof = {};                // of cases that a GPU's counters counted
  std::optional<TheoreticalOccupancy> theoretical_occupancy = {};  // of cases that were timed on a GPU
};

/// FLOP/byte; beyond 1000 a level carries next to nothing, and "none" where it carries nothing. "~" is the middle of a model's interval,
/// ">" the end of an open one.
std::string intensity_cell(const RooflinePlacement& placement, const std::string& level);
/// The word for who counted the bytes, with the convention where it is another one than ours: "ncu (paper)".
std::string bytes_source_text(const RooflinePlacement& placement);
/// The ceiling that bounds it, with "~" where another could; "-" for none.
std::string bound_cell(const RooflinePlacement& placement);
std::string percent_of_roof_cell(const RooflinePlacement& placement);
/// The case without its kernel, which a line above the group says.
std::string case_cell(const CaseRow& row);

/// Remarks on a case: why it is not there, its mix of FMAs, what the bound does not say of it, how it was counted, and its displacement.
std::vector<std::string> case_remarks(const ShownCase& shown);

}  // namespace plumbline::app
