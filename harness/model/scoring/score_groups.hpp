// A counter is looked at over groups of cases: those of one level and precision, or those that differ in the order of a series alone.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/scoring/accuracy.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {

/// The property that a case's id tells: kernel, precision, team, flavor, compiler, level, isa, or the value of a parameter; nullopt where
/// it tells none.
std::optional<std::string> property_of(std::string_view case_id, std::string_view key);

/// The score of one counter over the cases that agree in some properties. Kwack et al. 2018 draw, for series that differ in their order
/// alone, cv (figure 2), measured (3) and mean (5).
struct GroupScore {
  std::vector<std::pair<std::string, std::string>> group = {};  // property, value
  std::string node = {}, counter = {}, quantity = {};
  Convention convention = Convention::flow;
  Spread ratio = {};  // of measured / exact, where there is something to count
  double mean = absent, geometric_mean = absent;
  Spread measured = {};  // of zero tests too
  std::size_t zero_tests = 0, zero_failures = 0;
};

/// Groups the rows that have a ratio or are zero tests, in the order in which they are met. A case that lacks one of the properties is in
/// none.
std::vector<GroupScore> group_scores(std::span<const CaseScore> rows, const std::vector<std::string>& keys);

}  // namespace plumbline
