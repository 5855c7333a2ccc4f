// The file named by -o is written when the work is done. A regular file is replaced as a whole, behind the links that lead to it; a device,
// a FIFO or an open descriptor (/dev/stdout, a shell's >(...)) is written to as it is.
#pragma once
#include <filesystem>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::app {

/// Makes sure that the output can be written, before hours are spent on what goes into it. Throws Error: user where it is a folder or a
/// result file, I/O where nothing can be written.
void require_writable(const std::filesystem::path& output);

/// Writes the output. Throws Error (I/O; user where it is a result file); a regular file is then as it was.
void write_output(const std::filesystem::path& output, std::string_view text);

/// Writes what comes beside a finding, which a file that cannot be written must not hide: why not is said on standard error.
Exit write_or_tell(const std::filesystem::path& output, std::string_view text);

}  // namespace plumbline::app
