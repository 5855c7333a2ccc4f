// The standard streams may be full, closed, or read by nobody any more.
#pragma once
#include <string>

namespace plumbline::app {

/// Prints to standard output. Throws Error (I/O) when that fails (a full disk behind a redirection).
void print(const std::string& text);

/// Prints to standard error, cutting words of megabytes short. Gives false when that fails: nobody can be told, so the exit code has to.
bool say(const std::string& text);

/// Writes what others (CLI11, Google Benchmark) left in the buffers of standard output. Throws Error (I/O) when that fails.
void flush_output();

/// Takes the numbers of standard streams that were closed (2>&-), so that no file of ours gets them and the stream's words with it. Writing
/// to them goes on failing, and a program that is started finds them closed.
void keep_closed_streams_closed();

}  // namespace plumbline::app
