// The columns of a table of rows, written once a row type: each one's key, meaning, value and cell. JSON, CSV, Markdown, the aligned text
// and the JSON Schema of the rows are made from the same list.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/terminal/table.hpp"
#include "core/enumerators.hpp"

namespace plumbline::app {

/// A text that is null for programs where it is empty.
struct OrNull {
  std::string text;
};

/// The schema, with null allowed besides.
Json nullable(Json schema);
/// The schema of one of these words.
Json word_schema(const std::vector<std::string>& words);
/// The schema of an object whose keys are names, with a value of that schema each.
Json by_name(Json schema);

/// The words (to_string) of all enumerators of an enum: programs get the word, the schema lists them.
template <class Enum>
std::vector<std::string> words_of() {
  static_assert(enumerator_count<Enum>() > 0, "its values do not begin at 0, or this compiler does not name enumerators");
  std::vector<std::string> words;
  for (std::size_t i = 0; i < enumerator_count<Enum>(); ++i) words.emplace_back(to_string(static_cast<Enum>(i)));
  return words;
}

/// The JSON Schema of values of a type of C++: a double may be null (absent), as may what stands in an optional.
template <class Value>
Json type_schema() {
  if constexpr (std::is_enum_v<Value>)
    return word_schema(words_of<Value>());
  else if constexpr (std::is_same_v<Value, bool>)
    return {{"type", "boolean"}};
  else if constexpr (std::is_integral_v<Value>)
    return {{"type", "integer"}};
  else if constexpr (std::is_floating_point_v<Value>)
    return {{"type", {"number", "null"}}};
  else if constexpr (std::is_same_v<Value, OrNull>)
    return {{"type", {"string", "null"}}};
  else if constexpr (std::is_convertible_v<Value, std::string_view>)
    return {{"type", "string"}};
  else if constexpr (requires { typename Value::mapped_type; })
    return by_name(type_schema<typename Value::mapped_type>());
  else if constexpr (requires(const Value& value) { value.begin(); })
    return {{"type", "array"}, {"items", type_schema<typename Value::value_type>()}};
  else
    return nullable(type_schema<typename Value::value_type>());
}

template <class Value>
Json json_value(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>)
    return number(value);
  else if constexpr (std::is_enum_v<Value>)
    return std::string(to_string(value));
  else if constexpr (std::is_same_v<Value, OrNull>)
    return text_or_null(value.text);
  else if constexpr (std::is_convertible_v<Value, std::string_view>)
    return std::string(value);
  else if constexpr (requires { value.has_value(); })
    return value ? json_value(*value) : Json();
  else if constexpr (requires { typename Value::mapped_type; }) {
    Json all = Json::object();
    for (const auto& [name, one] : value) all[name] = json_value(one);
    return all;
  } else if constexpr (requires { value.begin(); }) {
    Json all = Json::array();
    for (const auto& one : value) all.push_back(json_value(one));
    return all;
  } else
    return value;
}

/// A cell of text for values whose text is plain: words as they are, integers in full.
template <class Value>
requires(!std::is_floating_point_v<Value> && (std::is_integral_v<Value> || std::is_enum_v<Value> || std::is_same_v<Value, OrNull> ||
                                              std::is_convertible_v<Value, std::string_view>)) std::string cell_text(const Value& value) {
  if constexpr (std::is_integral_v<Value>)
    return std::to_string(value);
  else if constexpr (std::is_enum_v<Value>)
    return std::string(to_string(value));
  else if constexpr (std::is_same_v<Value, OrNull>)
    return value.text;
  else
    return std::string(value);
}

/// Throws std::logic_error, which names the key and says what is wrong with its column.
[[noreturn]] void refuse_column(std::string_view key, const char* what);

/// The place where a column is shown: nowhere; in the row; or, in aligned text, above the rows that share it (in Markdown in the row).
enum class Shown { nowhere, in_row, above };

template <class Row>
struct Column {
  using Text = std::function<std::string(const Row&)>;

  /// `value` is a member of the row or a function of it; the type of what it gives is the type in the schema.
  template <class Value>
  Column(std::string key_, std::string meaning_, Value value_)
      : key(std::move(key_)),
        meaning(std::move(meaning_)),
        schema(type_schema<std::remove_cvref_t<std::invoke_result_t<Value, const Row&>>>()),
        value([value_](const Row& row) { return json_value(std::invoke(value_, row)); }) {
    if constexpr (requires(const Row& row) { cell_text(std::invoke(value_, row)); })
      cell = [value_](const Row& row) { return cell_text(std::invoke(value_, row)); };
  }
  /// `value` makes JSON of the stated schema.
  Column(std::string key_, std::string meaning_, Json schema_, std::function<Json(const Row&)> value_)
      : key(std::move(key_)), meaning(std::move(meaning_)), schema(std::move(schema_)), value(std::move(value_)) {}
  /// A column for people alone.
  Column(Heading heading_, Text cell_) : heading(std::move(heading_)), cell(std::move(cell_)), shown(Shown::in_row) {}

  /// People see it in the row, by the cell that is given or else as the plain text of the value. Without any cell it is refused.
  Column& in_row(std::string words, Align align = Align::right, Text other = {}) {
    heading = {std::move(words), align};
    shown = Shown::in_row;
    if (other) cell = std::move(other);
    if (!cell) refuse_column(key, "has no cell for people");
    return *this;
  }
  /// People see it on a line above the rows that share it; `line` makes that line.
  Column& above(std::string words, Text line_) {
    heading = {std::move(words), Align::left};
    shown = Shown::above;
    line = std::move(line_);
    if (!cell) refuse_column(key, "has no cell for people");
    return *this;
  }
  /// Says that its text is one of these words.
  Column& one_of(const std::vector<std::string>& words) {
    const bool may_be_null = schema.at("type").is_array();
    schema = may_be_null ? nullable(word_schema(words)) : word_schema(words);
    return *this;
  }
  /// Limits how long its cell may be as the first of a row: a longer one stands on a line of its own.
  Column& at_most(std::size_t characters) {
    longest = characters;
    return *this;
  }
  /// Rows of which this is false have no such key.
  Column& when(std::function<bool(const Row&)> is_there_) {
    is_there = std::move(is_there_);
    return *this;
  }
  /// The key has the row's unit in the place of {}: "before_{}".
  Column& in_unit(Text unit_) {
    unit = std::move(unit_);
    return *this;
  }
  std::string key_of(const Row& row) const {
    if (!unit) return key;
    const auto place = key.find("{}");
    return key.substr(0, place) + unit(row) + key.substr(place + 2);
  }

  std::string key = {}, meaning = {};
  Json schema = {};
  std::function<Json(const Row&)> value = {};
  Heading heading = {};
  Text cell = {}, line = {}, unit = {};
  Shown shown = Shown::nowhere;
  std::size_t longest = 0;  // 0: any length
  std::function<bool(const Row&)> is_there = {};
};

template <class Row>
using Columns = std::vector<Column<Row>>;

/// A column by its key, with another heading than its own if words are given.
struct Chosen {
  std::string_view key, words = {};
};

/// The columns of these keys, in this order. A key that is not there is refused.
template <class Row>
Columns<Row> chosen(const Columns<Row>& columns, const std::vector<Chosen>& keys) {
  Columns<Row> all;
  for (const auto& [key, words] : keys) {
    const auto found = std::find_if(columns.begin(), columns.end(), [wanted = key](const auto& column) { return column.key == wanted; });
    if (found == columns.end()) refuse_column(key, "does not exist");
    all.push_back(*found);
    if (!words.empty()) all.back().heading.words = words;
  }
  return all;
}

// ------------------------------------------------------------------------------------------------------------- for programs

template <class Row>
Json row_json(const Columns<Row>& columns, const Row& row) {
  Json json = Json::object();
  for (const auto& column : columns)
    if (column.value && (!column.is_there || column.is_there(row))) json[column.key_of(row)] = column.value(row);
  return json;
}

template <class Row, class Rows>
Json rows_json(const Columns<Row>& columns, const Rows& rows) {
  Json all = Json::array();
  for (const auto& row : rows) all.push_back(row_json<Row>(columns, row));
  return all;
}

/// An object's schema, made of those of its members. A key with {} in it stands for one of each unit.
class ObjectSchema {
 public:
  void add(const std::string& key, const std::string& meaning, Json schema, bool always);
  Json json() const { return schema_; }

 private:
  Json schema_{{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}, {"additionalProperties", false}};
};

template <class Row>
Json row_schema(const Columns<Row>& columns) {
  ObjectSchema schema;
  for (const auto& column : columns)
    if (column.value) schema.add(column.key, column.meaning, column.schema, !column.is_there);
  return schema.json();
}

/// The schema of a document (table.hpp) with these rows and, beside them, these members.
Json document_schema(const std::string& command, const std::string& about, const Json& row, const Json& more);

/// A list of rows inside a row; `get` gives a container of them.
template <class Row, class Inner, class Get>
Column<Row> list_column(std::string key, std::string meaning, const Columns<Inner>& inner, Get get) {
  return {std::move(key), std::move(meaning), Json{{"type", "array"}, {"items", row_schema(inner)}},
          [inner, get](const Row& row) { return rows_json<Inner>(inner, std::invoke(get, row)); }};
}

/// Rows inside a row, by name; `get` gives pairs of a name and a row.
template <class Row, class Inner, class Get>
Column<Row> named_rows_column(std::string key, std::string meaning, const Columns<Inner>& inner, Get get) {
  return {std::move(key), std::move(meaning), by_name(row_schema(inner)), [inner, get](const Row& row) {
            Json all = Json::object();
            for (const auto& [name, one] : std::invoke(get, row)) all[name] = row_json<Inner>(inner, one);
            return all;
          }};
}

/// A row inside a row; `get` gives it, or a pointer or an optional, which hold none where it is null.
template <class Row, class Inner, class Get>
Column<Row> object_column(std::string key, std::string meaning, const Columns<Inner>& inner, Get get) {
  if constexpr (std::is_same_v<std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>, Inner>)
    return {std::move(key), std::move(meaning), row_schema(inner),
            [inner, get](const Row& row) { return row_json<Inner>(inner, std::invoke(get, row)); }};
  else
    return {std::move(key), std::move(meaning), nullable(row_schema(inner)), [inner, get](const Row& row) {
              const auto& one = std::invoke(get, row);
              return one ? row_json<Inner>(inner, *one) : Json();
            }};
}

/// Adds two keys on a part of a row that may be absent where the row as a whole is there: "STEM_status" is ok, or in a word why the part,
/// which `what` names, is not there; "STEM_reason" says why in words, and is null where it is there. `get` gives both as a pair.
template <class Row, class Get>
void add_explained(Columns<Row>& columns, const std::string& stem, const std::string& what, Get get,
                   std::function<bool(const Row&)> is_there = {}) {
  columns.push_back(
      {stem + "_status", "ok, or in a word why " + what + " is not there", [get](const Row& row) { return std::invoke(get, row).first; }});
  columns.push_back(
      {stem + "_reason", "why " + what + " is not there", [get](const Row& row) { return OrNull{std::invoke(get, row).second}; }});
  for (std::size_t i = columns.size() - 2; i < columns.size(); ++i) columns[i].is_there = is_there;
}

// --------------------------------------------------------------------------------------------------------------- for people

template <class Row>
std::vector<Heading> headings(const Columns<Row>& columns, bool with_above = false) {
  std::vector<Heading> all;
  for (const auto& column : columns)
    if (column.shown == Shown::in_row || (with_above && column.shown == Shown::above)) all.push_back(column.heading);
  return all;
}

template <class Row>
std::vector<std::string> cells(const Columns<Row>& columns, const Row& row, bool with_above = false) {
  std::vector<std::string> all;
  for (const auto& column : columns)
    if (column.shown == Shown::in_row || (with_above && column.shown == Shown::above)) all.push_back(column.cell(row));
  return all;
}

/// A first cell of more than `longest` characters (0: any) stands on a line of its own.
void add_cells(Table& table, std::vector<std::string> cells, std::size_t longest);

/// Rows in aligned text, with lines above those that share something, and `remarks` (lines) below each. Empty where there are no rows.
template <class Row, class Rows>
std::string aligned(const Columns<Row>& columns, const Rows& rows,
                    const std::function<std::vector<std::string>(const Row&)>& remarks = {}) {
  Table table(headings(columns));
  std::string line;
  std::size_t longest = 0;
  for (const auto& column : columns) longest = std::max(longest, column.longest);
  for (const Row& row : rows) {
    std::string here;
    for (const auto& column : columns)
      if (column.shown == Shown::above) here = column.line(row);
    if (here != line) table.add_line(here);
    line = here;
    add_cells(table, cells(columns, row), longest);
    if (remarks)
      for (auto& remark : remarks(row)) table.add_line(std::move(remark));
  }
  return table.empty() ? "" : table.text();
}

/// The first rows of many, and a line that says how many more there are `of`: "(3 more ranks: -o FILE has them all)".
template <class Row, class Rows>
Table first_rows(const Columns<Row>& columns, const Rows& rows, std::size_t most, const char* of, const char* file = "FILE") {
  Table table(headings(columns));
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) table.add(cells(columns, rows[i]));
  if (rows.size() > most) table.add_line("(" + std::to_string(rows.size() - most) + " more " + of + ": -o " + file + " has them all)");
  return table;
}
/// The ranks of a program that are shown; `-o` keeps all.
inline constexpr std::size_t most_ranks_shown = 16;

template <class Row, class Rows>
std::string markdown(const Columns<Row>& columns, const Rows& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const Row& row : rows) lines.push_back(cells(columns, row, true));
  return lines.empty() ? "" : markdown(headings(columns, true), lines);
}

}  // namespace plumbline::app
