#include "core/text/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace plumbline {
namespace {

/// Reads a descriptor to its end; gives false with errno where that fails.
bool read_all(int descriptor, std::size_t longest, std::string& text) {
  constexpr std::size_t piece = 1U << 16;
  for (;;) {
    const std::size_t have = text.size();
    text.resize(have + piece);
    const ssize_t got = ::read(descriptor, text.data() + have, piece);
    text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (text.size() > longest) return errno = EFBIG, false;
  }
}

}  // namespace

std::optional<std::string> read_text_file(const std::filesystem::path& path, std::size_t longest) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return std::nullopt;
  std::optional<std::string> text(std::in_place);
  if (!read_all(descriptor, longest, *text)) text.reset();
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return text;
}

}  // namespace plumbline
