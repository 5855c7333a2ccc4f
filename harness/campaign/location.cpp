#include "campaign/location.hpp"

#include <fmt/format.h>

#include "core/text/toml_depth.hpp"

namespace plumbline {

Error wrong_at(const std::string& path, Location at, const std::string& message) {
  return user_error(fmt::format("{}:{}:{}: {}", path, at.line, at.column, in_one_line(message)));
}

}  // namespace plumbline
