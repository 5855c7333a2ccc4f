#include "campaign/written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "campaign/suggest.hpp"
#include "core/text/text_file.hpp"
#include "core/text/toml_depth.hpp"

namespace plumbline {

Location location_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a floating-point number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

std::string read_text(const std::string& path, std::string_view what, std::string_view hint) {
  const auto refuse = [&](const std::string& why) { throw user_error(fmt::format("cannot read {} '{}': {}; {}", what, path, why, hint)); };
  auto text = read_text_file(path);
  if (!text) refuse(errno == EISDIR ? "it is a directory" : errno == EFBIG ? "it has more than 64 MiB" : std::strerror(errno));
  return std::move(*text);
}

toml::table parse_toml(const std::string& text, const std::string& path) {
  if (names_nest_deeply(text)) throw user_error(fmt::format("{}: a name in it has more than {} dots", path, deepest_toml));
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& problem) {
    throw wrong_at(path, location_of(problem.source()), "not valid TOML: " + toml_complaint(problem.description()));
  }
}

void WrittenTable::allow_only(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : *table_) {
    const std::string name(key.str());
    if (std::find(keys.begin(), keys.end(), name) == keys.end())
      fail(location_of(key.source()), fmt::format("unknown key {} in {}{}", in_quotes(name), title_, suggestion(name, keys)));
  }
}

Location WrittenTable::at(std::string_view key) const {
  const auto* value = table_->get(key);
  return value != nullptr ? location_of(value->source()) : at();
}

void WrittenTable::fail_type(std::string_view key, const toml::node& node, std::string_view expected) const {
  fail(location_of(node.source()), fmt::format("'{}' in {} must be {}, not {}", key, title_, expected, type_name(node)));
}

std::optional<Written<std::string>> WrittenTable::word(std::string_view key) const {
  const auto* found = table_->get(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_string()) fail_type(key, *found, "a string");
  return Written<std::string>{found->as_string()->get(), location_of(found->source())};
}

std::optional<Written<bool>> WrittenTable::flag(std::string_view key) const {
  const auto* found = table_->get(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_boolean()) fail_type(key, *found, "true or false");
  return Written<bool>{found->as_boolean()->get(), location_of(found->source())};
}

std::optional<Written<std::int64_t>> WrittenTable::integer(std::string_view key, std::int64_t min, std::int64_t max) const {
  const auto* found = table_->get(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_integer()) fail_type(key, *found, "an integer");
  const auto value = found->as_integer()->get();
  if (value < min || value > max) {
    const auto upper = max == std::numeric_limits<std::int64_t>::max() ? std::string() : fmt::format(" and at most {}", max);
    fail(location_of(found->source()), fmt::format("'{}' in {} is {}, but must be at least {}{}", key, title_, value, min, upper));
  }
  return Written<std::int64_t>{value, location_of(found->source())};
}

std::optional<Written<double>> WrittenTable::number(std::string_view key) const {
  const auto* found = table_->get(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_number()) fail_type(key, *found, "a number");
  const double value = *found->value<double>();
  if (!std::isfinite(value)) fail(location_of(found->source()), fmt::format("'{}' in {} is {}, but must be finite", key, title_, value));
  return Written<double>{value, location_of(found->source())};
}

std::optional<Written<double>> WrittenTable::positive(std::string_view key) const {
  const auto* found = table_->get(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_number()) fail_type(key, *found, "a number");
  const double value = *found->value<double>();
  if (!(value > 0) || !std::isfinite(value))
    fail(location_of(found->source()), fmt::format("'{}' in {} is {}, but must be greater than 0 and finite", key, title_, value));
  return Written<double>{value, location_of(found->source())};
}

std::optional<Written<std::string>> WrittenTable::choice(std::string_view key, const std::vector<std::string>& allowed) const {
  auto found = word(key);
  if (found && std::find(allowed.begin(), allowed.end(), found->value) == allowed.end())
    fail(found->at, fmt::format("'{}' in {} is {}{}", key, title_, in_quotes(found->value), suggestion(found->value, allowed)));
  return found;
}

std::vector<Written<std::string>> WrittenTable::words(std::string_view key, bool may_be_empty) const {
  const auto* found = table_->get(key);
  if (found == nullptr) return {};
  if (found->is_string()) return {{found->as_string()->get(), location_of(found->source())}};
  if (!found->is_array()) fail_type(key, *found, "a list of strings");
  std::vector<Written<std::string>> all;
  for (const auto& element : *found->as_array()) {
    if (!element.is_string()) fail_type(key, element, "a list of strings");
    all.push_back({element.as_string()->get(), location_of(element.source())});
  }
  if (all.empty() && !may_be_empty)
    fail(location_of(found->source()),
         fmt::format("the sweep is empty: '{}' in {} is an empty list; leave the key out or give it a value", key, title_));
  return all;
}

std::optional<WrittenTable> WrittenTable::table(std::string_view key, std::string title) const {
  const auto* found = table_->get(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_table()) fail_type(key, *found, "a table");
  return WrittenTable(*found->as_table(), path_, std::move(title));
}

std::vector<WrittenTable> WrittenTable::tables(std::string_view key, std::string_view each) const {
  const auto* found = table_->get(key);
  std::vector<WrittenTable> all;
  if (found == nullptr) return all;
  const auto wanted = fmt::format("written as [[{}]], {}", key, each);
  if (!found->is_array()) fail_type(key, *found, wanted);
  for (const auto& element : *found->as_array()) {
    if (!element.is_table()) fail_type(key, element, wanted);
    all.emplace_back(*element.as_table(), path_, fmt::format("[[{}]]", key));
  }
  return all;
}

}  // namespace plumbline
