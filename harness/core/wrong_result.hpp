// The words by which files tell a wrong result from what failed otherwise.
#pragma once
#include <string_view>

#include "core/status.hpp"

namespace plumbline {

/// Every reason of a Status::wrong_result has these words, and no other reason has them.
inline constexpr std::string_view wrong_result_words = "wrong result";

/// The status behind one that was read from a file, where a wrong result stands as `failed`.
inline Status status_with(Status read, std::string_view reason) {
  return read == Status::failed && reason.find(wrong_result_words) != reason.npos ? Status::wrong_result : read;
}

}  // namespace plumbline
