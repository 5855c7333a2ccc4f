// Each ceiling is held beside what its core could do at the clock that was measured with it.
#pragma once
#include <span>
#include <vector>

#include "model/ceilings/ceiling.hpp"
#include "model/ceilings/node_facts.hpp"

namespace plumbline {

/// Fills clock_hz, scope, limit, limit_basis and limit_source of each ceiling from the sample that it stands for; of a core that is in no
/// vendor's table the limit is inferred, or limit_reason says why not. A sample that is above its limit at the clock beside it is held to
/// as high a clock as it needs, up to 5 % higher and to the highest that its team was seen at: the boost had moved.
void hold_to_limits(std::vector<Ceiling>& ceilings, std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes);

/// The part of what its team's cores could do by their vendor's documents that a sample of arithmetic is, at the clock beside it; NaN where
/// that is not known.
double fraction_of_limit(const CeilingRow& sample, const CoreIdentity& core);

}  // namespace plumbline
