// The options that this kernel was started with, as far as they change what can be measured.
#pragma once
#include <filesystem>
#include <string>

#include "machine/fact.hpp"

namespace plumbline {

/// The options in `command_line` that are on a list of options about speed, in their order, and how many others there are. The others are
/// nobody's business: among them may be addresses and passwords.
std::string published_kernel_options(const std::string& command_line);

/// The published options of this kernel, read from proc/cmdline below `root`.
Fact kernel_options(const std::filesystem::path& root = "/");

}  // namespace plumbline
