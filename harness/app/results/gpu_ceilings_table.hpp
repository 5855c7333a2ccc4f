// The command `plumbline ceilings` has a part on GPUs.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/results/ceiling_gpus.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline::app {

/// A table, in aligned text or in Markdown, for each GPU of each node with name, level, value, unit, spread, samples, clock, and part of
/// the limit at that clock; empty where there is none.
std::string gpu_ceilings_text(std::span<const Ceiling> ceilings, const GpuPlaces& places, Format format = Format::text);
/// Notes on how to read the table, and on what cannot be right.
std::vector<std::string> gpu_ceilings_notes(std::span<const Ceiling> ceilings);

}  // namespace plumbline::app
