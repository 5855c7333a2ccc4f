// Files are read and written as bytes, with the system's own words in every error. The journal and the store write through here.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/own_file.hpp"

namespace plumbline {

/// Owns one POSIX file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// Closes now; false (errno set) where the system reports late write errors (NFS, quotas).
  bool close();

 private:
  int release();
  int number_ = -1;
};

/// Opens a file with open(2), restarted after signals, always close-on-exec.
FileDescriptor open_file(const std::filesystem::path& path, int flags, int mode = 0666);

/// fsync of the file or directory; file systems that know no fsync count as done.
bool sync_file(int descriptor);
bool sync_directory(const std::filesystem::path& directory);

/// The bytes of the whole file. Throws user_error (missing, a directory, no permission) or io_error (the disk failed). `what` names the
/// kind of file in the message: "result file".
std::string read_bytes(const std::filesystem::path& path, std::string_view what);

/// The path to which the symbolic links of `path` lead, whether a file is there yet or not: it is to be written in place of `path`, so that
/// the links stay. Only this user's links and the administrator's are followed: another's is replaced, as a file would be. A link of /proc
/// (/dev/stdout, /dev/fd/3) is an open file rather than a name, and stays as it is.
std::filesystem::path behind_links(std::filesystem::path path);

/// Whether a rename may replace what is there: nothing yet, or a regular file. A device or a FIFO would be lost.
bool may_be_replaced(const std::filesystem::path& path);

/// Makes sure that replace_durably will get as far as its draft, which is made and removed: before hours are spent on what goes into it.
/// Throws io_error as that does: no permission, another user's draft that an earlier run left.
void require_replaceable(const std::filesystem::path& path, std::string_view what);

/// Writes PATH.partial, fsyncs, renames it to PATH and fsyncs the directory: PATH is the old file or the new one, never half.
/// Links to PATH are followed first; PATH.partial is made anew (core/own_file.hpp). Throws io_error, also where PATH may not be replaced;
/// PATH.partial is removed then.
void replace_durably(const std::filesystem::path& path, std::string_view bytes, std::string_view what);

/// Says what the current or a given errno means and what to do: "No space left on device; free space ...".
std::string errno_advice(int error);

/// The folder a file lies in, "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& path);

}  // namespace plumbline
