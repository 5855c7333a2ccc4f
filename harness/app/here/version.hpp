// The option --version says the version, what is compiled in, and what is usable on this machine.
#pragma once
#include <string>

namespace plumbline::app {

std::string version_text();

}  // namespace plumbline::app
