// A journal's payload is one finished unit, or the header of a session, as one line of JSON. Columns are named as in the result file. A
// column whose rows all agree is written once, so that a record stays small.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The facts that hold for every record that one launch writes to one node's journal.
struct JournalHeader {
  std::string campaign;    // TOML text
  std::string provenance;  // JSON
  std::string session;
  std::int64_t started_unix_ns = 0;
  std::vector<MachineRow> machines;  // of this journal's node
  bool operator==(const JournalHeader&) const = default;
};

/// Every header payload begins with these bytes; that is how a journal is told from any other file.
inline constexpr std::string_view header_opening = "{\"schema\":\"plumbline-journal/";

std::string to_payload(const JournalHeader& header);
std::string to_payload(const Finished& finished);

/// Reads a payload; nullopt where it is no record of this journal's schema (then `why` says so).
std::optional<std::variant<JournalHeader, Finished>> from_payload(std::string_view payload, std::string& why);

}  // namespace plumbline
