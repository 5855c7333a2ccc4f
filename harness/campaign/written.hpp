// TOML is read strictly: every key must be known and of its type, and every complaint says where.
#pragma once
#include <toml++/toml.h>

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/location.hpp"

namespace plumbline {

Location location_of(const toml::source_region& region);
/// The type of a node in words: "a string", "an integer", ...
std::string_view type_name(const toml::node& node);

/// The text of a whole file. Throws Error (user) that calls it `what` and ends with `hint`.
std::string read_text(const std::string& path, std::string_view what, std::string_view hint);
/// Reads a document; throws Error (user) where it is not valid TOML.
toml::table parse_toml(const std::string& text, const std::string& path);

/// A table of a document that is read key by key. `title` is how messages call it: "[timing]".
class WrittenTable {
 public:
  WrittenTable(const toml::table& table, std::string path, std::string title)
      : table_(&table), path_(std::move(path)), title_(std::move(title)) {}

  /// Throws at the first key that is not one of these.
  void allow_only(const std::vector<std::string>& keys) const;
  bool has(std::string_view key) const { return table_->contains(key); }
  Location at() const { return location_of(table_->source()); }
  Location at(std::string_view key) const;

  /// The value of a key, of the type that the name says; nullopt where the key is not written.
  std::optional<Written<std::string>> word(std::string_view key) const;
  std::optional<Written<bool>> flag(std::string_view key) const;
  std::optional<Written<std::int64_t>> integer(std::string_view key, std::int64_t min,
                                               std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  /// The value of a key as a number greater than zero; an integer is a number too.
  std::optional<Written<double>> positive(std::string_view key) const;
  /// The value of a key as any finite number.
  std::optional<Written<double>> number(std::string_view key) const;
  /// The value of a key as a word from a list.
  std::optional<Written<std::string>> choice(std::string_view key, const std::vector<std::string>& allowed) const;
  /// The value of a key as a list of words; it may be one word. Not empty, unless `may_be_empty`.
  std::vector<Written<std::string>> words(std::string_view key, bool may_be_empty = false) const;
  std::optional<WrittenTable> table(std::string_view key, std::string title) const;
  /// The [[key]] tables; `each` says in messages what one of them stands for: "one for each group of cases".
  std::vector<WrittenTable> tables(std::string_view key, std::string_view each) const;
  const toml::node* node(std::string_view key) const { return table_->get(key); }

  /// Throws the Error that says that the key's value is not what it should be.
  [[noreturn]] void fail_type(std::string_view key, const toml::node& node, std::string_view expected) const;
  [[noreturn]] void fail(Location at, const std::string& message) const { throw wrong_at(path_, at, message); }
  const std::string& path() const { return path_; }
  const std::string& title() const { return title_; }
  const toml::table& raw() const { return *table_; }

 private:
  const toml::table* table_;
  std::string path_, title_;
};

}  // namespace plumbline
