// The command plumbline history prune DIR lets old nights go, but for those that something refers to.
#pragma once
#include "app/commands/command.hpp"

namespace plumbline::app {

/// Adds the command below `history`.
CLI::App* add_history_prune(CLI::App& history, Action& chosen);

}  // namespace plumbline::app
