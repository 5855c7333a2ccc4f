#include "core/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace plumbline {
int create_own_file(const std::filesystem::path& path, int mode) {
  constexpr int tries = 3;  // others may make one meanwhile
  for (int i = 0; i < tries; ++i) {
    int descriptor = -1;
    do descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
    struct stat facts {};
    const bool is_mine = ::lstat(path.c_str(), &facts) == 0 && facts.st_uid == ::geteuid() && !S_ISDIR(facts.st_mode);
    if (is_mine) ::unlink(path.c_str());
    errno = EEXIST;
    if (!is_mine) return -1;
  }
  return -1;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));  // a short write: the next one says why
  }
  return true;
}

bool write_own_file(const std::filesystem::path& path, std::string_view text) {
  const std::string draft = path.string() + ".partial";
  const int descriptor = create_own_file(draft);
  if (descriptor < 0) return false;
  bool whole = write_all(descriptor, text);
  int error = errno;
  if (::close(descriptor) != 0 && whole) whole = false, error = errno;
  if (whole && std::rename(draft.c_str(), path.c_str()) == 0) return true;
  if (whole) error = errno;
  ::unlink(draft.c_str());
  errno = error;
  return false;
}

}  // namespace plumbline
