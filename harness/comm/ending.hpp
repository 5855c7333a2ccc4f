// All ranks end a run with one exit code, because launchers combine differing codes into a meaningless one.
#pragma once
#include <string>
#include <vector>

#include "core/error.hpp"

namespace plumbline {

/// The ending that all ranks agreed on.
struct Ending {
  Exit code = Exit::ok;
  std::vector<std::string> messages;  // at rank 0: what ranks had to say, each once, in rank order
};

/// The weight of a code: the larger wins. A run that stopped early can still tell about wrong results when it is resumed, so 75 stands
/// above them; what the user wrote wrong stands above all.
int severity(Exit code);
/// The code of a severity(), its inverse.
Exit exit_of_severity(int severity);
Exit worse(Exit a, Exit b);

}  // namespace plumbline
