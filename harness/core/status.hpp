// A status says what became of a measurement. Absent is not zero: every number that is missing has a status and a reason.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// The outcome of a measurement, as words of the contract.
enum class Status { ok, skipped, unavailable, permission, multiplexed, masked, stolen, wrapped, negative, failed };

/// The word used in the store, in tables and in JSON.
std::string_view to_string(Status status);

/// The status that a word stands for; nullopt for any other word.
std::optional<Status> status_from(std::string_view word);

}  // namespace plumbline
