// Which program this is, to the byte.
#pragma once
#include <string>

namespace plumbline {

/// The linker's build id of the running program in hexadecimal: another one wherever any object in it is another. "unknown" without one.
std::string program_id();

}  // namespace plumbline
