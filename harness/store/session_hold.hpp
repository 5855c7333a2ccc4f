// One run at a time holds a result file, and all who come later, on this host or another, are told who holds it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "store/file_bytes.hpp"

namespace plumbline {

/// A lock on a file in the folder of journals, for as long as this lives.
class SessionHold {
 public:
  /// Takes the hold, and makes the folder where there is none. Throws io_error where another run holds the result, and says which, or where
  /// the folder cannot be written. A file system without locks is no reason to stop.
  explicit SessionHold(const std::filesystem::path& store);
  SessionHold(SessionHold&&) = delete;
  /// Releases the hold, and removes the folder where nothing else is in it.
  ~SessionHold();

 private:
  std::filesystem::path file_;
  FileDescriptor lock_;
};

/// Names whoever holds the result whose journals lie in the folder, as "process 4711 on n1" ("another plumbline" where that is not told);
/// nullopt: nobody does, or it cannot be found out. Writes nothing.
std::optional<std::string> holder_in(const std::filesystem::path& folder);

/// Whether the folder of journals beside a result tells of a run that is at work, or that stopped. One that holds nothing but what a killed
/// process held tells of none: it was killed before its first record. An empty one may be of a run that makes its journals now.
bool tells_of_unfinished_run(const std::filesystem::path& folder);

/// Whether the file's name is that of a hold.
bool is_hold(const std::filesystem::path& file);

}  // namespace plumbline
