// The manual says more than the commands, which describe themselves: exit codes, environment, files. Each page is made of these.
#pragma once
#include <string>
#include <vector>

namespace plumbline::app {

struct ManualEntry {
  std::string name, meaning;
};

/// The codes that any command ends with.
std::vector<ManualEntry> exit_codes();

/// The variables that the program reads.
std::vector<ManualEntry> environment();

/// The places of the program's own files, relative to its folder.
std::vector<ManualEntry> files();

}  // namespace plumbline::app
