#include "store/session_hold.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "core/error.hpp"
#include "core/host_name.hpp"
#include "store/journal.hpp"

namespace plumbline {
namespace {

constexpr const char* name = ".held";  // readers of the folder pass over names that begin with a dot

/// The holder, "process 4711 on n1", as its holder wrote it; empty where it says anything else.
std::string holder_of(int file) {
  std::array<char, 128> bytes{};
  const ssize_t got = ::pread(file, bytes.data(), bytes.size(), 0);
  const std::string text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == ' ' || c == '.' || c == '-' || c == '_'; };
  return text.starts_with("process ") && std::all_of(text.begin(), text.end(), is_plain) ? text : "";
}

/// A process that was killed may take a moment to let go.
bool locked(int file) {
  for (int tries = 20;; --tries) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    if (tries == 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

/// The one who held it before may have removed it meanwhile.
bool is_still_there(int file, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

std::string this_process() { return fmt::format("process {} on {}", ::getpid(), host_name()); }

}  // namespace

SessionHold::SessionHold(const std::filesystem::path& store) : file_(journal_directory(store) / name) {
  constexpr int tries = 10;
  for (int i = 0; i < tries; ++i) {
    const bool is_new = ::mkdir(file_.parent_path().c_str(), 0777) == 0, made = is_new || errno == EEXIST;
    if (is_new) static_cast<void>(sync_directory(folder_of(file_.parent_path())));  // journals find the folder there, and do not
    if (made) lock_ = open_file(file_, O_RDWR | O_CREAT | O_NOFOLLOW);
    if (made && !lock_ && errno == ENOENT) continue;  // another one, who is ready, removed the folder
    if (!made || !lock_) throw io_error(fmt::format("journal '{}' cannot be written: {}", file_.string(), errno_advice(errno)));
    if (!locked(lock_.number())) {
      const std::string holder = holder_of(lock_.number());
      throw io_error(fmt::format("result file '{}' is being written by another plumbline{}; wait for its end, or give another name with -o",
                                 store.string(), holder.empty() ? "" : fmt::format(" ({})", holder)));
    }
    if (!is_still_there(lock_.number(), file_)) continue;
    static_cast<void>(::ftruncate(lock_.number(), 0) == 0 && write_all(lock_.number(), this_process()));
    return;
  }
  throw io_error(fmt::format("journal folder '{}' is removed again and again; give another name with -o", file_.parent_path().string()));
}

SessionHold::~SessionHold() {
  ::unlink(file_.c_str());
  lock_.close();  // before the folder: of an open file NFS keeps one under another name
  ::rmdir(file_.parent_path().c_str());
}

std::optional<std::string> holder_in(const std::filesystem::path& folder) {
  const FileDescriptor file = open_file(folder / name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  // Shared, so that those who ask do not find one another; who wants to hold it tries again.
  if (!file || ::flock(file.number(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) return std::nullopt;
  const std::string holder = holder_of(file.number());
  return holder.empty() ? "another plumbline" : holder;
}

bool tells_of_unfinished_run(const std::filesystem::path& folder) {
  std::error_code unreadable;
  if (!std::filesystem::is_directory(folder, unreadable)) return false;
  bool is_held_once = false;
  for (std::filesystem::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end; entry.increment(unreadable)) {
    if (!is_hold(entry->path())) return true;
    is_held_once = true;
  }
  return !is_held_once || holder_in(folder).has_value();
}

bool is_hold(const std::filesystem::path& file) { return file.filename() == name; }

}  // namespace plumbline
