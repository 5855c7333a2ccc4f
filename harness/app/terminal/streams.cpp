#include "app/terminal/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "core/error.hpp"

namespace plumbline::app {
namespace {

/// A message quotes what the user wrote, which may be a word of megabytes: of such a one its beginning is told.
std::string without_endless_words(const std::string& message) {
  constexpr std::size_t endless = 4096, told = 80;  // as long as a path may be
  std::string text;
  for (std::size_t from = 0; from < message.size();) {
    const std::size_t to = std::min(message.find_first_of(" \n", from), message.size());
    std::size_t kept = to - from;
    if (kept > endless)
      for (kept = told; kept > 0 && (static_cast<unsigned char>(message[from + kept]) & 0xC0U) == 0x80;) --kept;  // no part of a letter
    text.append(message, from, kept).append(kept < to - from ? "..." : "");
    if (to < message.size()) text += message[to];
    from = to + 1;
  }
  return text;
}

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

bool say(const std::string& text) { return written(without_endless_words(text), stderr); }

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
