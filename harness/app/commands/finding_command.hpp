// A command of the user's hears of findings: a ticket, a mail, a node to drain.
#pragma once
#include <string>
#include <string_view>

#include "app/commands/command.hpp"

namespace plumbline::app {

struct FindingCommand {
  std::string line;  // for sh; empty: nobody is told
  double patience_seconds = 60;
};

/// Adds the options --on-finding and --on-finding-seconds.
void add_finding_options(CLI::App& command, FindingCommand& options);

/// Runs the command with `document` on its standard input; what it prints goes to standard error, beside the verdict. No verdict changes
/// for what it does: that it failed, or was ended because its patience was over, is said on standard error. All that it started ends with
/// it (but for what has a session of its own: setsid), and with this program, where that is told to stop meanwhile.
void tell(const FindingCommand& command, std::string_view document);

}  // namespace plumbline::app
