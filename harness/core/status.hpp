// What became of a measurement. Absent is not zero: every number that is missing has one of these and a reason.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

enum class Status { ok, skipped, unavailable, permission, multiplexed, masked, stolen, wrapped, negative, failed };

/// The word used in the store, in tables and in JSON.
std::string_view to_string(Status status);

/// The inverse; nullopt for a word that is no status.
std::optional<Status> status_from(std::string_view word);

/// Whether something can be had here, and if not, why.
struct Availability {
  Status status = Status::ok;
  std::string reason;  // in words, with what to try; empty when ok
  bool ok() const { return status == Status::ok; }
};

}  // namespace plumbline
