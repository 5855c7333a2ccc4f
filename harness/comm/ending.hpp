// How a run ends: all ranks leave with one exit code, because launchers combine differing codes into a meaningless one.
#pragma once
#include <string>
#include <vector>

#include "core/error.hpp"

namespace plumbline {

/// What all ranks agreed on.
struct Ending {
  Exit code = Exit::ok;
  std::vector<std::string> messages;  // at rank 0: what ranks had to say, each once, in rank order
};

/// How much a code matters: the larger wins. A run that stopped early can still tell about wrong results when it is resumed,
/// so 75 stands above them; what the user wrote wrong stands above all.
int severity(Exit code);
/// The inverse of severity().
Exit exit_of_severity(int severity);
Exit worse(Exit a, Exit b);

}  // namespace plumbline
