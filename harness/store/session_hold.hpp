// One run at a time has a result file: whoever holds it is told to all who come later, on this host or another.
#pragma once
#include <filesystem>

#include "store/file_bytes.hpp"

namespace plumbline {

/// A lock on a file in the folder of journals, for as long as this lives.
class SessionHold {
 public:
  /// Makes the folder where there is none. Throws io_error where another run holds the result, and says which, or where the folder cannot
  /// be written. A file system without locks is no reason to stop.
  explicit SessionHold(const std::filesystem::path& store);
  SessionHold(SessionHold&&) = delete;
  /// The folder goes where nothing else is in it.
  ~SessionHold();

 private:
  std::filesystem::path file_;
  FileDescriptor lock_;
};

/// By its name.
bool is_hold(const std::filesystem::path& file);

}  // namespace plumbline
