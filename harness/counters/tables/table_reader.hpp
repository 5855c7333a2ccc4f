// TOML tables of event tables are read key by key.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text/toml_depth.hpp"

namespace plumbline {

/// Reads one table of a file; every complaint says file, line, key and what is allowed.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string path, std::string title)
      : table_(&table), path_(std::move(path)), title_(std::move(title)) {}

  std::string place() const { return fmt::format("{}:{}", std::filesystem::path(path_).filename().string(), line_of(*table_)); }
  TableReader child(const toml::table& table, std::string title) const { return {table, path_, std::move(title)}; }
  const toml::node* node(std::string_view key) const { return table_->get(key); }

  [[noreturn]] void refuse(const toml::node* at, const std::string& why) const {
    throw user_error(fmt::format("{}:{}: {}", path_, line_of(at == nullptr ? *table_ : *at), in_one_line(why)));
  }
  void allow_only(const std::vector<std::string>& keys) const {
    for (const auto& [key, value] : *table_)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        refuse(&value, fmt::format("there is no key '{}' in {}; known are {}", key.str(), title_, fmt::join(keys, ", ")));
  }
  const toml::node& needed(std::string_view key, const char* what) const {
    const auto* found = node(key);
    if (found == nullptr) refuse(nullptr, fmt::format("{} lacks '{}': {}", title_, key, what));
    return *found;
  }
  std::string word(std::string_view key, const char* what) const {
    const auto& found = needed(key, what);
    if (!found.is_string() || found.as_string()->get().empty()) refuse(&found, fmt::format("'{}' in {} must be {}", key, title_, what));
    return found.as_string()->get();
  }
  std::string word_or_none(std::string_view key, const char* what) const { return node(key) == nullptr ? "" : word(key, what); }
  int integer(std::string_view key, int least, int most) const {
    const auto what = fmt::format("a whole number from {} to {}", least, most);
    return number_in(needed(key, what.c_str()), key, least, most);
  }
  std::optional<std::pair<int, int>> range(std::string_view key) const {
    const auto* found = node(key);
    if (found == nullptr) return std::nullopt;
    const auto* pair = found->as_array();
    if (pair == nullptr || pair->size() != 2) refuse(found, fmt::format("'{}' in {} must be [first, last]", key, title_));
    const std::pair<int, int> result{number_in(*pair->get(0), key, 0, 1 << 16), number_in(*pair->get(1), key, 0, 1 << 16)};
    if (result.first > result.second) refuse(found, fmt::format("'{}' in {} must be [first, last], in this order", key, title_));
    return result;
  }
  std::vector<std::string> words(std::string_view key, const char* what) const {
    std::vector<std::string> all;
    const auto& found = needed(key, what);
    const auto* list = found.as_array();
    if (list == nullptr) refuse(&found, fmt::format("'{}' in {} must be a list of {}", key, title_, what));
    for (const auto& element : *list) {
      if (!element.is_string()) refuse(&element, fmt::format("'{}' in {} must be a list of {}", key, title_, what));
      all.push_back(element.as_string()->get());
    }
    return all;
  }
  std::vector<int> integers(std::string_view key, int least, int most) const {
    const auto what = fmt::format("a list of whole numbers from {} to {}", least, most);
    const auto& found = needed(key, what.c_str());
    const auto* list = found.as_array();
    if (list == nullptr || list->empty()) refuse(&found, fmt::format("'{}' in {} must be {}", key, title_, what));
    std::vector<int> all;
    for (const auto& element : *list) all.push_back(number_in(element, key, least, most));
    return all;
  }
  const std::string& title() const { return title_; }

 private:
  static int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }
  int number_in(const toml::node& found, std::string_view key, int least, int most) const {
    const auto value = found.value_exact<std::int64_t>();
    if (!value || *value < least || *value > most)
      refuse(&found, fmt::format("'{}' in {} must be a whole number from {} to {}", key, title_, least, most));
    return static_cast<int>(*value);
  }

  const toml::table* table_;
  std::string path_, title_;
};

}  // namespace plumbline
