// The journal holds every finished unit of work, written before the next one starts, and durable (at once, or in time). There is one file a
// node leader, NAME.journal/HOST.
// The file is a row of [u32 length][u32 crc32 of the payload][payload], little-endian; the payload is JSON (record_json.hpp).
#pragma once
#include <chrono>
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
  /// Creates DIRECTORY and DIRECTORY/HOST, or reopens it: a torn tail is cut off, then this session's header is appended. Throws io_error
  /// (disk, permission, another plumbline writes it) or user_error (the file is no journal). `sync_seconds`: the disk is told to keep what
  /// was written once in so many seconds at most, each host at times of its own; 0: after each record. A killed process loses nothing that
  /// it wrote; a host that loses power may lose what it wrote since the last sync.
  Journal(const std::filesystem::path& directory, const std::string& host, const JournalHeader& header, double sync_seconds = 0);
  Journal(Journal&&) = delete;
  ~Journal();

  /// Returns when the record is written, and kept by the disk where it was told to. Throws io_error; a later append may succeed. Every
  /// earlier record stays readable, but for those `in_doubt`.
  void append(const Finished& finished);
  /// Returns when the disk keeps, and other hosts see, all that was written. Throws io_error.
  void sync();

  const std::filesystem::path& path() const { return path_; }
  /// The length of the journal in bytes, with all that was appended.
  std::uint64_t bytes() const { return good_bytes_; }
  /// Whether the journal's name still leads to the file that is written.
  bool is_there() const;
  /// The number of records before the one that failed that may not be on the disk either: the disk was told of all together.
  std::size_t in_doubt() const { return in_doubt_; }

 private:
  using Clock = std::chrono::steady_clock;

  void append_payload(std::string_view payload);
  bool synced();
  bool synced_if_due();

  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t good_bytes_ = 0;
  std::chrono::duration<double> sync_every_;
  Clock::time_point last_sync_;
  std::size_t unsynced_ = 0, in_doubt_ = 0;  // records
};

/// The contents of one journal, and how much of it is torn.
struct JournalContents {
  std::vector<JournalHeader> headers;
  std::vector<Finished> records;
  std::uint64_t torn_bytes = 0;  // bytes that are no whole record: a write that was cut short, or damage
  std::uint64_t good_bytes = 0;  // where the last whole record ends
};

/// Reads what is whole and reports the rest in `torn_bytes`; a damaged record in the middle costs that record only.
/// Throws user_error where the file is missing, is no journal, or comes from a newer plumbline.
JournalContents read_journal(const std::filesystem::path& path);
/// Reads a journal as read_journal does; nullopt where the file is no journal.
std::optional<JournalContents> read_if_journal(const std::filesystem::path& path);
/// Whether the file's first bytes are a journal's: false for files of others, and for a journal that is damaged there.
bool begins_as_journal(const std::filesystem::path& path);

/// The suffix of the file that a node's watchdog writes beside its journal, while the leader may hang and hold that.
inline constexpr std::string_view watchdog_suffix = ".deadlines";

inline constexpr std::string_view journal_suffix = ".journal";

/// The folder of a result's journals: NAME.h5 -> NAME.journal. A name that ends otherwise keeps its end, so that no two results share a
/// journal: NAME.hdf5 -> NAME.hdf5.journal. Job scripts know the same rule.
std::filesystem::path journal_directory(const std::filesystem::path& store);

/// A file in the folder that a running plumbline holds; nullopt where none does, or where the file system has no locks.
std::optional<std::filesystem::path> journal_in_use(const std::filesystem::path& directory);
/// The Error that tells a user that another plumbline uses the journal.
Error in_use(const std::filesystem::path& journal);

/// The point of a host, 0 to 1, in the time between two syncs when its journal is opened: hosts that began together do not all ask a shared
/// disk at once.
double sync_phase(const std::string& host);

/// The bytes of one record.
std::string frame(std::string_view payload);

}  // namespace plumbline
