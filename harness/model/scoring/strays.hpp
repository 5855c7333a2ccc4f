// Single cases may be far off, and some only look single.
#pragma once
#include <span>

#include "model/cases/factors.hpp"
#include "model/scoring/evidence.hpp"

namespace plumbline {

/// Whether the strays are most cases of some work, or of some value of a factor: then they are no accident.
bool have_a_cause(std::span<const std::uint32_t> strays, std::span<const Evidence> evidence, const FactorTable& factors);

}  // namespace plumbline
