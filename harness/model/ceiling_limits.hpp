// Each ceiling beside what its core could do at the clock that was measured with it.
#pragma once
#include <span>
#include <vector>

#include "model/ceilings.hpp"

namespace plumbline {

/// Above this part of its limit a ceiling cannot be right: the clock or the count of work is wrong.
inline constexpr double most_of_limit = 1.02;

/// Fills clock_hz, scope, limit and limit_source of each ceiling from the sample that it stands for.
void hold_to_limits(std::vector<Ceiling>& ceilings, std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes);

}  // namespace plumbline
