// A file may have not a single count: then its reader is told in one statement.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline::app {

/// The statement: "nothing was counted: WHY. What there is all the same. What to do next"; nullopt where anything was counted.
std::optional<std::string> nothing_counted(const Results& results);

/// The notes on counts from which no empty region's could be subtracted, each with the number of its cases.
std::vector<std::string> notes_on_empty_regions(const Results& results);

/// The last two sentences of that statement, for a run that knows beforehand which of these it will have.
std::string without_counts(bool times, bool ceilings, bool model);

}  // namespace plumbline::app
