// A result's provenance lists the sessions that it comes from: {"sessions":[{"session","started_unix_ns","nodes","git","program"}]}, where
// one of them was stopped because something hung: {"stops":[{"session","node","reason"}]}, and wrong results that a later attempt took the
// place of: {"wrong_results":[{"session","node","case","pass","reason","started_unix_ns"}]}. It also lists how large the last cache of each
// node was taken: {"last_caches":[{"session","node", and what app/session/last_cache_stage.hpp says of it}]}.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"
#include "store/record_json.hpp"

namespace plumbline {

/// The case id of a journal record that tells why its session was stopped: stop_prefix + session.
inline constexpr std::string_view stop_prefix = "stop/";

/// `provenance` with the sessions of these headers (of all nodes, oldest first). A text that is no JSON object stays as it is.
std::string with_sessions(const std::string& provenance, std::span<const JournalHeader> headers);
/// `provenance` with the stops among these outcomes.
std::string with_stops(const std::string& provenance, std::span<const OutcomeRow> outcomes);
/// The case id of a journal record whose placement says how large a node's last cache is taken.
inline constexpr std::string_view last_cache_unit = "last_cache";

/// `provenance` with the last caches among these outcomes.
std::string with_last_caches(const std::string& provenance, std::span<const OutcomeRow> outcomes);
/// `provenance` (empty: an object of its own) with these wrong results.
std::string with_wrong_results(const std::string& provenance, std::span<const OutcomeRow> outcomes);
/// The wrong results that a provenance lists.
std::vector<OutcomeRow> listed_wrong_results(const std::string& provenance);
/// `newer` with what `older` says of the events of backends that `newer` did not count with.
std::string with_events_of(const std::string& newer, const std::string& older);
/// `newer` with the sessions, stops, wrong results and last caches of `older` before its own, each once.
std::string with_lists_of(const std::string& newer, const std::string& older);

}  // namespace plumbline
