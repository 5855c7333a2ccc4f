#include "app/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "core/error.hpp"

namespace plumbline::app {
namespace {

bool written(const std::string& text, std::FILE* stream) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
}

Error no_output() {
  return io_error(fmt::format("cannot write to standard output: {}", errno == 0 ? "an earlier part was refused" : std::strerror(errno)));
}

}  // namespace

void print(const std::string& text) {
  if (!written(text, stdout)) throw no_output();
}

bool say(const std::string& text) { return written(text, stderr); }

void flush_output() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || std::cout.bad()) throw no_output();
}

void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // Opened the wrong way round: for reading what is written to. The lowest free number is this one, as those below are taken.
    open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

}  // namespace plumbline::app
