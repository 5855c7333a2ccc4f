// The GPUs' part of `plumbline ceilings`.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/ceilings.hpp"

namespace plumbline::app {

/// A table for each node with name, level, value, unit, spread, samples, clock, and part of the limit at that clock; empty where there is
/// none.
std::string gpu_ceilings_text(std::span<const Ceiling> ceilings);
/// How to read it, and what cannot be right.
std::vector<std::string> gpu_ceilings_notes(std::span<const Ceiling> ceilings);

}  // namespace plumbline::app
