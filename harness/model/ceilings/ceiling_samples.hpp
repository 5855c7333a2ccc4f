// A ceiling as its samples describe it, before anything is fitted: shared by all kinds of ceilings.
#pragma once
#include <span>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/ceiling.hpp"
#include "model/ceilings/form_choice.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {

/// What a sample is of: name, precision, level, pattern, team, node, unit, method. No number yet.
Ceiling described(const CeilingRow& row);

/// n, min, median, max and cv of the samples.
void take_spread(Ceiling& ceiling, const Spread& spread);

/// Gives each ceiling the contest that is its own, at the working set nearest to its samples': the form that stands for it, and the others.
void name_forms(std::vector<Ceiling>& ceilings, std::span<const FormContest> contests);

}  // namespace plumbline
