// The program that is to be counted is found, and held against what the emulator can run.
#pragma once
#include <filesystem>
#include <string>

namespace plumbline {

/// Finds the program `name` as a shell would. Throws Error (user) of one line when it is not there, a directory, not executable, or a
/// launcher, behind which plumbline belongs; `way`: the option by which it is counted, for the message.
std::filesystem::path locate_program(const std::string& name, const std::string& way);

/// Finds a program for the emulator. Throws Error (user) of one line when the emulator cannot run it: not found, a directory, not
/// executable, not readable, set-uid, of another architecture or word size, a script whose interpreter is one of these, or a launcher,
/// behind which plumbline belongs.
std::filesystem::path find_program(const std::string& name);

/// Whether the word names a program that can be started here, as a shell would find it.
bool names_program(const std::string& word);
/// Finds a launcher as a shell would. Throws Error (user) of one line when it is not there or not executable.
std::filesystem::path find_launcher(const std::string& name);

}  // namespace plumbline
