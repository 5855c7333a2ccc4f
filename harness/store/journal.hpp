// The journal: every finished unit of work, durable before the next one starts. One file a node leader, NAME.journal/HOST.
// The file is a row of [u32 length][u32 crc32 of the payload][payload], little-endian; the payload is JSON (record_json.hpp).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/records.hpp"
#include "store/file_bytes.hpp"
#include "store/record_json.hpp"

namespace plumbline {

/// The one writer of one node's journal.
class Journal {
 public:
  /// Creates DIRECTORY and DIRECTORY/HOST, or reopens it: a torn tail is cut off, then this session's header is appended.
  /// Throws io_error (disk, permission, another plumbline writes it) or user_error (the file is no journal).
  Journal(const std::filesystem::path& directory, const std::string& host, const JournalHeader& header);

  /// Returns when the record is on the disk. Throws io_error; every earlier record stays readable, and a later append may succeed.
  void append(const Finished& finished);

  const std::filesystem::path& path() const { return path_; }
  /// So long is it, with all that was appended.
  std::uint64_t bytes() const { return good_bytes_; }
  /// Whether its name still leads to the file that is written.
  bool is_there() const;

 private:
  void append_payload(std::string_view payload);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t good_bytes_ = 0;
};

struct JournalContents {
  std::vector<JournalHeader> headers;
  std::vector<Finished> records;
  std::uint64_t torn_bytes = 0;  // bytes that are no whole record: a write that was cut short, or damage
  std::uint64_t good_bytes = 0;  // where the last whole record ends
};

/// Reads what is whole and reports the rest in `torn_bytes`; a damaged record in the middle costs that record only.
/// Throws user_error where the file is missing, is no journal, or comes from a newer plumbline.
JournalContents read_journal(const std::filesystem::path& path);
/// The same; nullopt where it is no journal.
std::optional<JournalContents> read_if_journal(const std::filesystem::path& path);
/// By its first bytes: false for files of others, and for a journal that is damaged there.
bool begins_as_journal(const std::filesystem::path& path);

/// Ends the name of the file that a node's watchdog writes beside its journal, while the leader may hang and hold that.
inline constexpr std::string_view watchdog_suffix = ".deadlines";

inline constexpr std::string_view journal_suffix = ".journal";

/// NAME.h5 -> NAME.journal; a name that ends otherwise keeps its end, so that no two results share a journal: NAME.hdf5 ->
/// NAME.hdf5.journal. Job scripts know the same rule.
std::filesystem::path journal_directory(const std::filesystem::path& store);

/// A file in the folder that a running plumbline holds; nullopt where none does, or where the file system has no locks.
std::optional<std::filesystem::path> journal_in_use(const std::filesystem::path& directory);
/// The Error of whoever needs it for himself.
Error in_use(const std::filesystem::path& journal);

/// The bytes of one record.
std::string frame(std::string_view payload);

}  // namespace plumbline
