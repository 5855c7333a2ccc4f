#include "store/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace plumbline {
namespace {

constexpr std::size_t frame_head = 8;

/// The tables of CRC-32 (IEEE 802.3, reflected), four bytes a step.
constexpr auto crc_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
    tables[0][i] = value;
  }
  for (std::size_t t = 1; t < 4; ++t)
    for (std::size_t i = 0; i < 256; ++i) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xFFU];
  return tables;
}();

std::uint32_t load_u32(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

void store_u32(std::uint32_t value, std::string& out) {
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    crc ^= load_u32(bytes.data() + at);
    crc = crc_tables[3][crc & 0xFFU] ^ crc_tables[2][(crc >> 8) & 0xFFU] ^ crc_tables[1][(crc >> 16) & 0xFFU] ^ crc_tables[0][crc >> 24];
  }
  for (; at < bytes.size(); ++at) crc = (crc >> 8) ^ crc_tables[0][(crc ^ static_cast<unsigned char>(bytes[at])) & 0xFFU];
  return ~crc;
}

/// The payload of the whole record that starts at `at`; empty where none does.
std::string_view payload_at(std::string_view bytes, std::size_t at) {
  if (bytes.size() - at < frame_head) return {};
  const std::size_t length = load_u32(bytes.data() + at);
  if (length < 2 || length > bytes.size() - at - frame_head) return {};
  const std::string_view payload = bytes.substr(at + frame_head, length);
  if (payload.front() != '{' || payload.back() != '}') return {};  // cheap: keeps the search past damage linear
  return crc32(payload) == load_u32(bytes.data() + at + 4) ? payload : std::string_view{};
}

/// A journal whose very first write was cut short looks like this; any other file does not.
bool may_be_torn_header(std::string_view bytes) {
  if (bytes.find_first_not_of('\0') == std::string_view::npos) return true;  // a crash may leave zeros where data should be
  if (bytes.size() <= frame_head) return true;
  const std::string_view start = bytes.substr(frame_head, header_opening.size());
  return start == header_opening.substr(0, start.size());
}

void take(std::string_view payload, const std::filesystem::path& path, JournalContents& contents) {
  std::string why;
  auto record = from_payload(payload, why);
  if (!record)
    throw user_error(fmt::format("journal '{}' cannot be read: {}; use the plumbline version that wrote it", path.string(), why));
  if (auto* header = std::get_if<JournalHeader>(&*record))
    contents.headers.push_back(std::move(*header));
  else
    contents.records.push_back(std::move(std::get<Finished>(*record)));
}

/// A process that was killed may take a moment to let go.
bool is_held(int file) {
  for (int tries = 20;; --tries) {
    if (::flock(file, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) return false;
    if (tries == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

Error refused(const std::filesystem::path& path, int error) {
  return io_error(fmt::format("journal '{}' cannot be written: {}", path.string(), errno_advice(error)));
}

}  // namespace

std::string frame(std::string_view payload) {
  std::string bytes;
  bytes.reserve(frame_head + payload.size());
  store_u32(static_cast<std::uint32_t>(payload.size()), bytes);
  store_u32(crc32(payload), bytes);
  bytes.append(payload);
  return bytes;
}

std::optional<JournalContents> read_if_journal(const std::filesystem::path& path) {
  const std::string file = read_bytes(path, "journal");
  const std::string_view bytes = file;
  JournalContents contents;
  contents.records.reserve(bytes.size() / 1024);  // a small record's size
  std::uint64_t whole = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view payload = payload_at(bytes, at);
    if (payload.empty()) {
      ++at;  // damage: the next whole record may still follow
      continue;
    }
    take(payload, path, contents);
    at += frame_head + payload.size();
    whole += frame_head + payload.size();
    contents.good_bytes = at;
  }
  if (whole == 0 && !may_be_torn_header(bytes)) return std::nullopt;
  contents.torn_bytes = bytes.size() - whole;
  return contents;
}

JournalContents read_journal(const std::filesystem::path& path) {
  if (auto contents = read_if_journal(path)) return std::move(*contents);
  throw user_error(fmt::format("'{}' is no plumbline journal; give a file from a NAME.journal folder", path.string()));
}

bool begins_as_journal(const std::filesystem::path& path) {
  std::array<char, 64> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return may_be_torn_header({start.data(), static_cast<std::size_t>(file.gcount())});
}

std::filesystem::path journal_directory(const std::filesystem::path& store) {
  constexpr std::string_view store_suffix = ".h5";
  std::string name = store.string();
  if (name.ends_with(store_suffix)) name.resize(name.size() - store_suffix.size());
  return name + std::string(journal_suffix);
}

Error in_use(const std::filesystem::path& journal) {
  return io_error(
      fmt::format("journal '{}' is being written by another plumbline; wait for it, or give another name with -o", journal.string()));
}

std::optional<std::filesystem::path> journal_in_use(const std::filesystem::path& directory) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown;
    if (!entry->is_regular_file(unknown) || entry->path().filename().string().starts_with('.')) continue;
    const FileDescriptor file = open_file(entry->path(), O_RDONLY | O_NONBLOCK);
    if (file && is_held(file.number())) return entry->path();
  }
  return std::nullopt;
}

double sync_phase(const std::string& host) {
  constexpr std::size_t parts = 1000;
  return static_cast<double>(std::hash<std::string>()(host) % parts) / parts;
}

Journal::Journal(const std::filesystem::path& directory, const std::string& host, const JournalHeader& header, double sync_seconds)
    : path_(directory / host), sync_every_(sync_seconds), last_sync_(Clock::time_point::min()) {
  if (::mkdir(directory.c_str(), 0777) == 0) {
    if (!sync_directory(folder_of(directory))) throw refused(directory, errno);
  } else if (errno != EEXIST) {
    throw refused(directory, errno);
  }
  file_ = open_file(path_, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW);
  if (!file_) throw refused(path_, errno);
  // A file system without locks is no reason to stop.
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) throw in_use(path_);
  good_bytes_ = read_journal(path_).good_bytes;
  if (::ftruncate(file_.number(), static_cast<off_t>(good_bytes_)) != 0 || !sync_directory(directory)) throw refused(path_, errno);
  append_payload(to_payload(header));
  last_sync_ -= std::chrono::duration_cast<Clock::duration>(sync_phase(host) * sync_every_);
}

// Syncs what is left. A session that ended as it should has called sync() before; of another one, nobody listens any more.
Journal::~Journal() {
  if (unsynced_ > 0) static_cast<void>(::fdatasync(file_.number()));
}

/// Asks the disk to keep all; gives false with errno where it did not. It may then have lost any part of what was written since the last
/// time.
bool Journal::synced() {
  in_doubt_ = std::exchange(unsynced_, 0);
  if (::fdatasync(file_.number()) != 0) return false;
  in_doubt_ = 0;
  return true;
}

bool Journal::synced_if_due() {
  const Clock::time_point now = Clock::now();
  const bool is_first = last_sync_ == Clock::time_point::min();
  if (!is_first && now - last_sync_ < sync_every_) return ++unsynced_, true;
  // The last time moves on by whole periods, so that hosts whose cases end together go on to sync at different times.
  const double periods = is_first || sync_every_.count() == 0 ? 0 : std::floor((now - last_sync_) / sync_every_);
  last_sync_ = periods > 0 ? last_sync_ + std::chrono::duration_cast<Clock::duration>(periods * sync_every_) : now;
  return synced();
}

void Journal::sync() {
  if (unsynced_ > 0 && !synced()) throw refused(path_, errno);
}

void Journal::append(const Finished& finished) { append_payload(to_payload(finished)); }

void Journal::append_payload(std::string_view payload) {
  if (payload.size() > UINT32_MAX)
    throw io_error(fmt::format("journal '{}': one record exceeds 4 GiB; ask for fewer repetitions", path_.string()));
  const std::string record = frame(payload);
  in_doubt_ = 0;
  if (!write_all(file_.number(), record) || !synced_if_due()) {
    const int error = errno;
    if (::ftruncate(file_.number(), static_cast<off_t>(good_bytes_)) != 0) throw refused(path_, errno);  // the reader drops the torn tail
    throw refused(path_, error);
  }
  if (!is_there()) throw refused(path_, ESTALE);  // someone removed it, or unmounted its disk: nobody will find the bytes
  good_bytes_ += record.size();
}

bool Journal::is_there() const {
  struct stat open {
  }, named{};
  return ::fstat(file_.number(), &open) == 0 && ::stat(path_.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace plumbline
