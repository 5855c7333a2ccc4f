#include "store/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace plumbline {
namespace {

struct Advice {
  int error;
  std::string_view text;
};

constexpr Advice advices[] = {
    {ENOSPC, "free space on that file system, or choose another"},
    {EDQUOT, "the quota is used up: free space, or choose another file system"},
    {EFBIG, "the file size limit is reached: raise it (ulimit -f), or choose another place"},
    {EACCES, "give yourself permission there, or choose another place"},
    {EPERM, "give yourself permission there, or choose another place"},
    {EROFS, "the file system is read-only: choose another place"},
    {ENOENT, "create the folder first, or correct the name"},
    {ENOTDIR, "a part of the path is a file, not a folder: correct the name"},
    {EISDIR, "that is a folder: give the name of a file"},
    {ESTALE, "the folder was removed or unmounted while in use: bring it back, then run again with --resume"},
    {ELOOP, "a symbolic link has that name, and what it leads to is not written to: remove it"},
    {EEXIST, "it is another user's: have it removed, or choose another folder"},
    {ENAMETOOLONG, "choose a shorter name"},
};

Error unreadable(const std::filesystem::path& path, std::string_view what, int error) {
  const std::string_view advice = error == ENOENT   ? "correct the name"
                                  : error == EACCES ? "ask its owner for permission"
                                                    : "check the path";
  return user_error(fmt::format("{} '{}' cannot be opened: {}; {}", what, path.string(), std::strerror(error), advice));
}

/// A symbolic link that this user made, or the administrator.
bool is_trusted_link(const std::filesystem::path& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode) && (facts.st_uid == ::geteuid() || facts.st_uid == 0);
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    close();
    number_ = other.release();
  }
  return *this;
}

FileDescriptor::~FileDescriptor() { close(); }

bool FileDescriptor::close() {
  if (number_ < 0) return true;
  return ::close(release()) == 0 || errno == EINTR;  // on Linux the descriptor is gone in either case
}

int FileDescriptor::release() { return std::exchange(number_, -1); }

FileDescriptor open_file(const std::filesystem::path& path, int flags, int mode) {
  int number = -1;
  do number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (number < 0 && errno == EINTR);
  return FileDescriptor(number);
}

bool sync_file(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS; }

bool sync_directory(const std::filesystem::path& directory) {
  const FileDescriptor handle = open_file(directory, O_RDONLY | O_DIRECTORY);
  return handle && sync_file(handle.number());
}

std::string read_bytes(const std::filesystem::path& path, std::string_view what) {
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);  // else a FIFO that nobody writes to would hold it for ever
  struct stat facts {};
  if (!file || ::fstat(file.number(), &facts) != 0) throw unreadable(path, what, errno);
  if (S_ISDIR(facts.st_mode)) throw unreadable(path, what, EISDIR);
  if (!S_ISREG(facts.st_mode))
    throw user_error(fmt::format("{} '{}' is no file but a device or a FIFO; give the name of a file", what, path.string()));
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.number(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error(fmt::format("{} '{}' cannot be read: {}", what, path.string(), errno_advice(errno)));
    if (got == 0) break;  // it shrank meanwhile
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int most = 40;  // the kernel's own limit
  std::error_code none;
  for (int i = 0; i < most && is_trusted_link(path); ++i) {
    const auto folder = std::filesystem::canonical(folder_of(path), none);
    if (none || folder.string().starts_with("/proc/")) return none ? path : folder / path.filename();
    const auto target = std::filesystem::read_symlink(path, none);
    if (none) return path;
    path = folder / target;  // the target alone where it begins at the root
  }
  return path;
}

bool may_be_replaced(const std::filesystem::path& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode);
}

namespace {

std::filesystem::path draft_of(const std::filesystem::path& path) { return path.string() + ".partial"; }

FileDescriptor open_draft(const std::filesystem::path& path, std::string_view what) {
  FileDescriptor file(create_own_file(draft_of(path)));
  if (!file)
    throw io_error(
        fmt::format("{} '{}' cannot be written: its draft '{}': {}", what, path.string(), draft_of(path).string(), errno_advice(errno)));
  return file;
}

}  // namespace

void require_replaceable(const std::filesystem::path& named, std::string_view what) {
  const std::filesystem::path path = behind_links(named);
  open_draft(path, what);
  if (::unlink(draft_of(path).c_str()) != 0)
    throw io_error(fmt::format("{} '{}' cannot be written: its draft '{}' cannot be removed: {}", what, path.string(),
                               draft_of(path).string(), errno_advice(errno)));
}

void replace_durably(const std::filesystem::path& named, std::string_view bytes, std::string_view what) {
  const std::filesystem::path path = behind_links(named), partial = draft_of(path);
  std::error_code none;
  if (!may_be_replaced(path) && !std::filesystem::is_directory(path, none))  // of a folder the system's own words are told below
    throw io_error(
        fmt::format("{} '{}' cannot be written: a device or a FIFO is there; give the name of a file with -o", what, named.string()));
  const auto give_up = [&](int error) {
    ::unlink(partial.c_str());
    throw io_error(fmt::format("{} '{}' cannot be written: {}", what, path.string(), errno_advice(error)));
  };
  FileDescriptor file = open_draft(path, what);
  if (!write_all(file.number(), bytes) || !sync_file(file.number()) || !file.close()) give_up(errno);
  if (::rename(partial.c_str(), path.c_str()) != 0) give_up(errno);
  if (!sync_directory(folder_of(path)))
    throw io_error(fmt::format("{} '{}' is written, but its folder cannot be synced: {}", what, path.string(), errno_advice(errno)));
}

std::string errno_advice(int error) {
  const std::string text = std::strerror(error);
  for (const auto& advice : advices)
    if (advice.error == error) return fmt::format("{}; {}", text, advice.text);
  return fmt::format("{}; check the disk and the path", text);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace plumbline
