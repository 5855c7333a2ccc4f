// A file without a single count: what to tell its reader, in one statement.
#pragma once
#include <optional>
#include <string>

#include "core/records.hpp"

namespace plumbline::app {

/// "nothing was counted: WHY. What holds all the same. What to do next"; nullopt where anything was counted.
std::optional<std::string> nothing_counted(const Results& results);

/// The end of that sentence, for a run that knows beforehand.
extern const char* const without_counts;

}  // namespace plumbline::app
