#include "store/session_mark.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/error.hpp"
#include "store/file_bytes.hpp"

namespace plumbline {
namespace {

constexpr const char* prefix = ".session-";  // readers of the folder pass over names that begin with a dot

std::filesystem::path mark_of(const std::filesystem::path& directory, const std::string& session) { return directory / (prefix + session); }

bool is_there(const std::filesystem::path& file) { return ::access(file.c_str(), F_OK) == 0; }

}  // namespace

void lay_mark(const std::filesystem::path& directory, const std::string& session) {
  const bool made = ::mkdir(directory.c_str(), 0777) == 0 || errno == EEXIST;
  if (!made || !open_file(mark_of(directory, session), O_WRONLY | O_CREAT | O_NOFOLLOW))
    throw io_error(fmt::format("journal '{}' cannot be written: {}", directory.string(), errno_advice(errno)));
}

void remove_mark(const std::filesystem::path& directory, const std::string& session) { ::unlink(mark_of(directory, session).c_str()); }

bool is_mark(const std::filesystem::path& file) { return file.filename().string().starts_with(prefix); }

// A client of a network file system may know the folder as it was a while ago. To make what must not exist asks its server.
std::string why_without_mark(const std::filesystem::path& directory, const std::string& session) {
  const std::filesystem::path mark = mark_of(directory, session);
  if (is_there(mark)) return {};
  const bool made_folder = ::mkdir(directory.c_str(), 0777) == 0;
  const FileDescriptor own = open_file(mark, O_WRONLY | O_CREAT | O_EXCL);
  const int error = own ? 0 : errno;
  if (own) ::unlink(mark.c_str());
  if (made_folder) ::rmdir(directory.c_str());
  if (error == EEXIST) return {};
  return error == 0 || error == ENOENT || error == ENOTDIR ? "another folder" : errno_advice(error);
}

}  // namespace plumbline
