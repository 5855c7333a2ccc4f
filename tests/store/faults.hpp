// Writing fails in these places: a full file system, a file size limit, a folder without permission.
#pragma once
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>

#include "core/error.hpp"

namespace plumbline {

/// A small tmpfs, where the system lets us mount one.
class TinyFileSystem {
 public:
  TinyFileSystem(const std::filesystem::path& folder, const char* size) : folder_(folder) {
    std::filesystem::create_directory(folder_);
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, (std::string("size=") + size).c_str()) == 0;
  }
  ~TinyFileSystem() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  TinyFileSystem(const TinyFileSystem&) = delete;
  TinyFileSystem& operator=(const TinyFileSystem&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::filesystem::path folder_;
  bool mounted_ = false;
};

/// Lets no file grow beyond `bytes` while it lives: a write is cut short, then refused with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_ = nullptr;
};

/// Makes root nobody while it lives, whom permissions bind.
class Unprivileged {
 public:
  Unprivileged() { was_root_ = ::geteuid() == 0 && ::seteuid(65534) == 0; }
  ~Unprivileged() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool was_root_ = false;
};

struct ThrownError {
  int code = 0;
  std::string text;
};

/// The Error that `action` throws; {0, ""} where it throws none.
inline ThrownError refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return {static_cast<int>(error.code()), error.what()};
  }
  return {};
}

}  // namespace plumbline
