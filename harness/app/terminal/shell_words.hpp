// A command is printed as one would type it into a shell.
#pragma once
#include <string>
#include <vector>

namespace plumbline::app {

/// A word quoted where a shell would cut or change it, or it breaks the line.
std::string shell_word(const std::string& word);

/// Words quoted where a shell would cut or change them, and none that breaks the line.
std::string command_line(const std::vector<std::string>& words);

}  // namespace plumbline::app
