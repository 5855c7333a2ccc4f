// A file may have not a single count: then its reader is told in one statement.
#pragma once
#include <optional>
#include <string>

#include "core/records.hpp"

namespace plumbline::app {

/// The statement: "nothing was counted: WHY. What holds all the same. What to do next"; nullopt where anything was counted.
std::optional<std::string> nothing_counted(const Results& results);

/// The end of that sentence, for a run that knows beforehand.
extern const char* const without_counts;

}  // namespace plumbline::app
