// PAPI's derived events say how the value of a preset follows from its native counts. They are parsed and evaluated here, so that a stored
// number never rests on a formula that nobody looked at.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumbline {

/// The value of a derived event from the counts of its native events, in their order. `type` and `postfix` as in PAPI_event_info_t:
/// NOT_DERIVED, DERIVED_ADD (sum), DERIVED_SUB (first minus the rest), DERIVED_POSTFIX ("N0|N1|+|2|*|"). nullopt where the formula is
/// broken or no weighted sum of counts (a rate, a quotient of two counts): differences of it mean nothing.
std::optional<long long> derived_value(std::string_view type, std::string_view postfix, std::span<const long long> natives);

}  // namespace plumbline
