// The program that runs is known to the byte by its build id.
#pragma once
#include <string>

namespace plumbline {

/// The linker's build id of the running program in hexadecimal, which differs wherever any object in it differs. "unknown" without one.
std::string program_id();

}  // namespace plumbline
