#include "app/terminal/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "app/terminal/streams.hpp"
#include "core/error.hpp"
#include "store/file_bytes.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& output, int error) {
  throw io_error(fmt::format("cannot write {}: {}", output.string(), errno_advice(error)));
}

// "/proc/PID/fd/3" of this process -> 3; else -1. Such a file cannot always be opened anew, and would begin at its start.
int own_descriptor(const fs::path& file) {
  std::error_code none;
  const auto folder = fs::canonical(folder_of(file), none);
  if (none || folder != fs::path("/proc") / std::to_string(getpid()) / "fd") return -1;
  return std::atoi(file.filename().c_str());
}

/// Measurements are never written over by what is told of them.
void refuse_results(const fs::path& output, const fs::path& file) {
  if (fs::is_regular_file(file) && begins_as_store(file))
    throw user_error(fmt::format("{} is a result file, which this would replace: name another file", output.string()));
}

/// The folder takes this file, which then is renamed.
fs::path draft_of(const fs::path& file) { return folder_of(file) / fmt::format(".{}.{}", file.filename().string(), getpid()); }

FileDescriptor open_as_it_is(const fs::path& file) {
  if (const int descriptor = own_descriptor(file); descriptor >= 0) return FileDescriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
  const int behind_no_link = file.string().starts_with("/proc/") ? 0 : O_NOFOLLOW;  // another user's, which was not followed
  return open_file(file, O_WRONLY | O_NOCTTY | behind_no_link);
}

bool takes_writing(const fs::path& file) {
  const int descriptor = own_descriptor(file);
  if (descriptor < 0) return access(file.c_str(), W_OK) == 0;
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) errno = EBADF;
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

bool is_replaced(const fs::path& file) { return may_be_replaced(file) && own_descriptor(file) < 0; }

}  // namespace

void require_writable(const fs::path& output) {
  const fs::path file = behind_links(output);
  std::error_code none;
  if (fs::is_directory(file, none)) throw user_error(fmt::format("{} is a folder: name a file", output.string()));
  if (!is_replaced(file)) {
    if (!takes_writing(file)) refuse(output, errno);
    return;
  }
  refuse_results(output, file);
  const fs::path draft = draft_of(file);
  if (!FileDescriptor(create_own_file(draft))) refuse(output, errno);
  unlink(draft.c_str());
}

void write_output(const fs::path& output, std::string_view text) {
  const fs::path file = behind_links(output);
  const bool replaced = is_replaced(file);
  if (replaced) refuse_results(output, file);
  const fs::path draft = replaced ? draft_of(file) : fs::path();
  FileDescriptor open = replaced ? FileDescriptor(create_own_file(draft)) : open_as_it_is(file);
  const bool whole = open && write_all(open.number(), text) && open.close() && (!replaced || rename(draft.c_str(), file.c_str()) == 0);
  if (whole) return;
  const int error = errno;
  if (replaced) unlink(draft.c_str());
  refuse(output, error);
}

Exit write_or_tell(const fs::path& output, std::string_view text) try {
  write_output(output, text);
  return Exit::ok;
} catch (const Error& error) {
  say(fmt::format("plumbline: {}\n", error.what()));
  return error.code();
}

}  // namespace plumbline::app
