// Values that ranks tell each other: each type is written and read by one pair of functions, its to_json and from_json.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "core/error.hpp"

namespace plumbline {

/// Gathers every rank's value, in rank order, on rank 0; elsewhere empty; collective. Value, here and below: what nlohmann::json writes and
/// reads, without NaN and infinity.
template <class Value>
std::vector<Value> gather(Group& group, const Value& mine) {
  std::vector<Value> all;
  for (const std::string& text : group.gather(nlohmann::json(mine).dump())) all.push_back(nlohmann::json::parse(text).get<Value>());
  return all;
}

/// Gives every rank the value of rank 0, collectively; what the others give is not looked at.
template <class Value>
Value broadcast(Group& group, const Value& value) {
  return nlohmann::json::parse(group.broadcast(group.rank() == 0 ? nlohmann::json(value).dump() : "")).get<Value>();
}

/// Gathers every rank's value, in rank order, on all of them, collectively.
template <class Value>
std::vector<Value> all_gather(Group& group, const Value& mine) {
  return broadcast(group, gather(group, mine));
}

/// Throws what rank 0 met on every rank, or nothing on any, collectively.
inline void throw_together(Group& group, const std::optional<Error>& met) {
  const auto told = broadcast(group, met ? std::pair<std::string, Exit>(met->what(), met->code()) : std::pair<std::string, Exit>());
  if (told.second != Exit::ok) throw Error(told.second, told.first);
}

}  // namespace plumbline
