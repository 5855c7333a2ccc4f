#include "machine/system_file.hpp"

#include <fstream>

namespace plumbline {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

}  // namespace

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return trimmed(line);
}

std::optional<std::string> field_of(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon != line.npos && trimmed(std::string_view(line).substr(0, colon)) == key)
      return trimmed(std::string_view(line).substr(colon + 1));
  }
  return std::nullopt;
}

std::optional<std::string> bracketed(const std::optional<std::string>& line) {
  if (!line) return std::nullopt;
  const auto open = line->find('['), close = line->find(']');
  if (open == line->npos || close == line->npos || close < open) return std::nullopt;
  return line->substr(open + 1, close - open - 1);
}

}  // namespace plumbline
