// Libraries that are loaded into a program leave files of records (preload/record_file.h), which are read here.
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// The used bytes of such a file, its head among them; empty where it has another format.
std::string record_bytes(const std::filesystem::path& file, std::uint64_t format);

/// The files of a folder that end so (".regions"), sorted by their names; none where there is no such folder.
std::vector<std::filesystem::path> record_files(const std::filesystem::path& folder, const std::string& extension);

/// The record at a place; nullopt where the bytes end before it does.
template <class Record>
std::optional<Record> record_at(const std::string& bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data() + at, sizeof record);
  return record;
}

/// Calls with the place and the begin of each record, of which `Begin` has a member `bytes`; the last one that is whole is the last.
template <class Begin, class Call>
void each_record(const std::string& bytes, std::size_t at, Call call) {
  while (const auto begin = record_at<Begin>(bytes, at)) {
    if (begin->bytes < sizeof *begin || begin->bytes > bytes.size() - at) return;
    call(at, *begin);
    at += begin->bytes;
  }
}

}  // namespace plumbline
