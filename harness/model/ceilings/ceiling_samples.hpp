// A ceiling is described by its samples before anything is fitted; all kinds of ceilings share this.
#pragma once
#include <span>
#include <vector>

#include "core/records.hpp"
#include "model/ceilings/ceiling.hpp"
#include "model/ceilings/form_choice.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {

/// The ceiling that a sample describes: name, precision, level, pattern, team, node, unit, method. It has no number yet.
Ceiling described(const CeilingRow& row);

/// Takes n, min, median, max and cv of the samples.
void take_spread(Ceiling& ceiling, const Spread& spread);

/// Gives each ceiling the contest that is its own, at the working set nearest to its samples': the form that stands for it, and the others.
void name_forms(std::vector<Ceiling>& ceilings, std::span<const FormContest> contests);

}  // namespace plumbline
