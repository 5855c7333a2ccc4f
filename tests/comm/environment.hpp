// A test has environment variables of its own, instead of those of the process.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "comm/launch.hpp"

namespace plumbline {

/// An environment of these variables and no others.
inline Environment with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace plumbline
