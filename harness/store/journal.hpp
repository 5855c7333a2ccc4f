// The journal: every finished unit of work, durable before the next one starts. One file a node leader, NAME.journal/HOST.
// The file is a row of [u32 length][u32 crc32 of the payload][payload], little-endian; the payload is JSON (record_json.hpp).
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

/// Ends the name of the file that a node's watchdog writes beside its journal, while the leader may hang and hold that.
inline constexpr std::string_view watchdog_suffix = ".deadlines";

/// NAME.h5 -> NAME.journal
std::filesystem::path journal_directory(const std::filesystem::path& store);

/// The bytes of one record.
std::string frame(std::string_view payload);

}  // namespace plumbline
