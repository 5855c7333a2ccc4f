// The columns of ceilings are written once: programs get all of them, people those that tell something of the kind of ceiling.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/results/ceiling_gpus.hpp"
#include "app/terminal/columns.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline::app {

/// The table that a ceiling is shown in: rates of arithmetic, of memory, its latency, points of ERT's sweep over FLOPs an element; a GPU's;
/// messages between ranks.
enum class CeilingTable { compute, memory, latency, points, gpu, messages };
CeilingTable table_of(const Ceiling& ceiling);

Columns<Ceiling> ceiling_columns(const GpuPlaces& places = {});

/// The ceilings that belong in this table, in aligned text, where the reason stands below one that is not there, or in Markdown, where it
/// stands in the row. Empty where none belong.
std::string ceilings_text(CeilingTable table, std::span<const Ceiling> ceilings, Format format = Format::text);

/// A note on a contest of loops: "; compiled v4 1.04 x bumped v4", as the contest saw both, which is not at the working set of
/// the ceiling. (Where it chose the plan's own loop `method` does not name it.)
std::string before_others(const Ceiling& ceiling);

}  // namespace plumbline::app
