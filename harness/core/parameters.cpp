#include "core/parameters.hpp"

#include <algorithm>
#include <stdexcept>

namespace plumbline {

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

void Parameters::set(std::string_view name, Value value) {
  for (auto& [key, old] : values_)
    if (key == name) {
      old = std::move(value);
      return;
    }
  values_.emplace_back(std::string(name), std::move(value));
}

bool Parameters::has(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& entry) { return entry.first == name; });
}

const Value& Parameters::at(std::string_view name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return value;
  throw std::out_of_range("no parameter '" + std::string(name) + "'");
}

std::uint64_t Parameters::integer(std::string_view name) const { return static_cast<std::uint64_t>(std::get<std::int64_t>(at(name))); }

const std::string& Parameters::word(std::string_view name) const { return std::get<std::string>(at(name)); }

std::string Parameters::path() const {
  std::string text;
  for (const auto& [key, value] : values_) text += (text.empty() ? "" : "/") + key + "=" + to_string(value);
  return text;
}

// Keys and words are identifiers that a kernel declared: nothing in them needs escaping.
std::string Parameters::json() const {
  std::string text = "{";
  for (const auto& [key, value] : values_) {
    if (text.size() > 1) text += ",";
    text += "\"" + key + "\":" + (std::holds_alternative<std::string>(value) ? "\"" + to_string(value) + "\"" : to_string(value));
  }
  return text + "}";
}

}  // namespace plumbline
