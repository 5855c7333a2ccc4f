// A result that failed its check is known in the records by the words in its reason.
#pragma once
#include <string>
#include <string_view>

#include "core/records.hpp"

namespace plumbline {

/// A result that failed its check is a finding about the node: it stays, whatever a later attempt comes to. It is known by these words in its
/// reason, with which nothing else fails; a ceiling's sample has its reason in `method`.
inline constexpr std::string_view wrong_result_words = "wrong result";
inline bool tells_of_wrong_result(std::string_view reason) { return reason.find(wrong_result_words) != reason.npos; }
inline bool is_wrong_result(const OutcomeRow& row) { return row.status == Status::failed && tells_of_wrong_result(row.reason); }
inline bool is_wrong_result(const CeilingRow& row) { return row.status == Status::failed && tells_of_wrong_result(row.method); }

}  // namespace plumbline
