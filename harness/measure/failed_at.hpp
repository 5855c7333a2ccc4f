// A rank whose measurement fails because another rank of its team failed has less to tell than that other one.
#pragma once
#include <string>
#include <string_view>

namespace plumbline {

/// The rank whose failure an outcome tells of.
enum class FailedAt { this_rank, another_rank };

/// The words for the other rank; reasons are made of them, and nothing is decided by them.
inline constexpr std::string_view another_rank_words = "another rank of the team";

/// Says what the other rank did: "another rank of the team failed".
inline std::string another_rank(std::string_view did) { return std::string(another_rank_words) + " " + std::string(did); }

}  // namespace plumbline
