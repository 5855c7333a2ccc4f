// An error tells a user in one line what cannot be done, where, why, and what to try.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace plumbline {

/// The exit codes of every plumbline command (README, "Exit codes").
enum class Exit : int { ok = 0, io_or_failed_case = 1, user_error = 2, regression = 3, wrong_result = 4, stopped_early = 75 };

/// An error is thrown where a request cannot be carried out at all; caught once, in main, which prints one line and exits. A case that
/// fails is a value (Status and reason), never an Error.
class Error : public std::runtime_error {
 public:
  /// `message` is one line: what, where, why, and what to try next.
  Error(Exit code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

/// An error for what the user wrote wrongly (flag, TOML, file name, sizes).
inline Error user_error(const std::string& message) { return {Exit::user_error, message}; }
/// An error for what the system refused (disk, permissions, a broken pipe).
inline Error io_error(const std::string& message) { return {Exit::io_or_failed_case, message}; }

}  // namespace plumbline
