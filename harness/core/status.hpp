// A status says what became of a measurement. Absent is not zero: every number that is missing has a status and a reason.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// `wrong_result`: a result that failed its check, a finding about the node that stays, whatever a later attempt comes to. In files and
/// tables its word is that of `failed`; its reason tells it apart (status_with).
enum class Status { ok, skipped, unavailable, permission, multiplexed, masked, stolen, wrapped, negative, failed, wrong_result };

/// Whether something was tried and went wrong; what could not be tried has another status.
constexpr bool is_failure(Status status) { return status == Status::failed || status == Status::wrong_result; }

/// The word used in the store, in tables and in JSON.
std::string_view to_string(Status status);

/// The status of a word, of "failed" always `failed`; nullopt for a word that is no status.
std::optional<Status> status_from(std::string_view word);

/// The words by which files tell a wrong result from what failed otherwise: every reason of a Status::wrong_result has them, no other has.
inline constexpr std::string_view wrong_result_words = "wrong result";

/// The status behind one that was read from a file, where a wrong result stands as `failed`.
constexpr Status status_with(Status read, std::string_view reason) {
  return read == Status::failed && reason.find(wrong_result_words) != reason.npos ? Status::wrong_result : read;
}

/// Whether something can be had here, and if not, why.
struct Availability {
  Status status = Status::ok;
  std::string reason;  // in words, with what to try; empty when ok
  bool ok() const { return status == Status::ok; }
};

}  // namespace plumbline
