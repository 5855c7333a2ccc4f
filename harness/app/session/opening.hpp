// The beginning of a run: what its user should know, the teams, the journal.
#pragma once
#include "app/session/run_context.hpp"

namespace plumbline::app {

/// Tells, on rank 0, what was found of the output and the campaign, and what can be counted here.
void tell_notes(RunContext& run);

/// Notes, on rank 0, what earlier sessions gave up, as failures of this one.
void note_given_up(RunContext& run);

/// Opens the teams, collectively. They come into being by all ranks of the node together; later only their members speak to each other.
void open_teams(RunContext& run);

/// Opens this node's journal, collectively; from then on a hang is recorded. What the plan skipped is kept in it.
void open_journal(RunContext& run);

}  // namespace plumbline::app
