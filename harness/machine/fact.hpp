// A fact is one thing known about a node, or the reason why it is not known.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

struct Fact {
  std::string name;
  std::optional<std::string> value;
  std::string reason;   // why there is no value; empty where there is one
  bool number = false;  // the value is a number, and JSON has it as one
};
using Facts = std::vector<Fact>;

inline Fact known(std::string name, std::string value) { return {std::move(name), std::move(value), "", false}; }
inline Fact known_number(std::string name, long long value) { return {std::move(name), std::to_string(value), "", true}; }
inline Fact unknown(std::string name, std::string reason) { return {std::move(name), std::nullopt, std::move(reason), false}; }

}  // namespace plumbline
