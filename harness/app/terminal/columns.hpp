// The columns of a table of rows, written once a row type: each one's key, meaning, value and cell. JSON, CSV, Markdown, the aligned text
// and the JSON Schema of the rows are made from the same list.
#pragma once
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/terminal/column_values.hpp"
#include "app/terminal/of_row.hpp"
#include "app/terminal/table.hpp"

namespace plumbline::app {

/// Throws std::logic_error, which names the key and says what is wrong with its column.
[[noreturn]] void refuse_column(std::string_view key, const char* what);

/// The place where a column is shown: nowhere; in the row; or, in aligned text, above the rows that share it (in Markdown in the row).
enum class Shown { nowhere, in_row, above };

/// A column without the type of its rows. What makes, copies and destroys one is compiled once, for there are hundreds.
struct AnyColumn {
  AnyColumn();
  AnyColumn(std::string_view key_, std::string_view meaning_);
  AnyColumn(std::string_view key_, std::string_view meaning_, Json schema_, OfRow<Json> value_);
  AnyColumn(const AnyColumn&);
  AnyColumn(AnyColumn&&) noexcept;
  AnyColumn& operator=(const AnyColumn&);
  AnyColumn& operator=(AnyColumn&&) noexcept;
  ~AnyColumn();

  /// People see it in the row, by the cell that is given or else as the plain text of the value. Without any cell it is refused.
  void in_row(std::string_view words, Align align, OfRow<std::string> other = {});
  /// People see it on a line above the rows that share it; `line` makes that line.
  void above(std::string_view words, OfRow<std::string> line_);
  /// Says that its text is one of these words.
  void one_of(const std::vector<std::string>& words);
  std::string key_of(const void* row) const;

  std::string key = {}, meaning = {};
  Json schema = {};
  OfRow<Json> value = {};
  Heading heading = {};
  OfRow<std::string> cell = {}, line = {}, unit = {};
  Shown shown = Shown::nowhere;
  std::size_t longest = 0;  // 0: any length
  OfRow<bool> is_there = {};
};

/// A lambda without captures as the pointer to function that it converts to, which has the type of many others; else the function itself.
template <class Function>
auto as_pointer(Function function) {
  if constexpr (std::is_class_v<Function> && requires { +function; })
    return +function;
  else
    return function;
}

/// A function, or a member, of the row gives its value.
template <class Row, class Function>
decltype(auto) result_of(const Function& function, const void* row) {
  if constexpr (std::is_member_pointer_v<Function>)
    return std::invoke(function, *static_cast<const Row*>(row));
  else
    return function(*static_cast<const Row*>(row));
}

template <class Result, class Row, class Function>
OfRow<Result> by_pointer(Function function) {
  return [function](const void* row) -> Result { return result_of<Row>(function, row); };
}
template <class Result, class Row, class Function>
OfRow<Result> of_row(Function function) {
  return by_pointer<Result, Row>(as_pointer(std::move(function)));
}
/// The text of a function, or a member, of such rows.
template <class Row, class Function>
OfRow<std::string> text_of(Function function) {
  return of_row<std::string, Row>(std::move(function));
}

/// Gives a column its value, with the schema and the plain cell of that value's type. A function of its own for each type of value, not for
/// each column.
template <class Row, class Function>
void set_value(AnyColumn& column, Function function) {
  using Value = std::remove_cvref_t<decltype(result_of<Row>(function, nullptr))>;
  column.schema = type_schema<Value>();
  column.value = [function](const void* row) { return json_value(result_of<Row>(function, row)); };
  if constexpr (requires(const Value& value) { cell_text(value); })
    column.cell = [function](const void* row) { return cell_text(result_of<Row>(function, row)); };
}

template <class Row>
struct Column : AnyColumn {
  using Text = std::function<std::string(const Row&)>;

  /// `value` is a member of the row or a function of it; the type of what it gives is the type in the schema.
  template <class Value>
  Column(std::string_view key_, std::string_view meaning_, Value value_) : AnyColumn(key_, meaning_) {
    set_value<Row>(*this, as_pointer(std::move(value_)));
  }
  /// `value` makes JSON of the stated schema.
  template <class Value>
  Column(std::string_view key_, std::string_view meaning_, Json schema_, Value value_)
      : AnyColumn(key_, meaning_, std::move(schema_), of_row<Json, Row>(std::move(value_))) {}
  /// A column for people alone.
  template <class Cell>
  Column(Heading heading_, Cell cell_) {
    heading = std::move(heading_);
    cell = text_of<Row>(std::move(cell_));
    shown = Shown::in_row;
  }

  Column& in_row(std::string_view words, Align align = Align::right) {
    AnyColumn::in_row(words, align);
    return *this;
  }
  template <class Cell>
  Column& in_row(std::string_view words, Align align, Cell other) {
    AnyColumn::in_row(words, align, text_of<Row>(std::move(other)));
    return *this;
  }
  template <class Line>
  Column& above(std::string_view words, Line line_) {
    AnyColumn::above(words, text_of<Row>(std::move(line_)));
    return *this;
  }
  Column& one_of(const std::vector<std::string>& words) {
    AnyColumn::one_of(words);
    return *this;
  }
  /// Limits how long its cell may be as the first of a row: a longer one stands on a line of its own.
  Column& at_most(std::size_t characters) {
    longest = characters;
    return *this;
  }
  /// Rows of which this is false have no such key.
  template <class Condition>
  Column& when(Condition is_there_) {
    is_there = of_row<bool, Row>(std::move(is_there_));
    return *this;
  }
  /// The key has the row's unit in the place of {}: "before_{}".
  template <class Unit>
  Column& in_unit(Unit unit_) {
    unit = text_of<Row>(std::move(unit_));
    return *this;
  }
};

/// Columns of one type of rows, in their order.
template <class Row>
struct Columns : std::vector<AnyColumn> {
  Columns() = default;
  Columns(std::initializer_list<Column<Row>> columns) {
    for (const auto& column : columns) vector::push_back(column);
  }
  explicit Columns(std::vector<AnyColumn> columns) : vector(std::move(columns)) {}
  void push_back(Column<Row> column) { vector::push_back(std::move(column)); }
  void append(const Columns& others) { insert(end(), others.begin(), others.end()); }
};

/// A column by its key, with another heading than its own if words are given.
struct Chosen {
  std::string_view key, words = {};
};
std::vector<AnyColumn> chosen_columns(const std::vector<AnyColumn>& columns, const std::vector<Chosen>& keys);

/// The columns of these keys, in this order. A key that is not there is refused.
template <class Row>
Columns<Row> chosen(const Columns<Row>& columns, const std::vector<Chosen>& keys) {
  return Columns<Row>(chosen_columns(columns, keys));
}

// ------------------------------------------------------------------------------------------------------------- for programs

Json any_row_json(const std::vector<AnyColumn>& columns, const void* row);

template <class Row>
Json row_json(const Columns<Row>& columns, const Row& row) {
  return any_row_json(columns, &row);
}

template <class Row, class Rows>
Json rows_json(const Columns<Row>& columns, const Rows& rows) {
  Json all = Json::array();
  for (const Row& row : rows) all.push_back(any_row_json(columns, &row));
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

Json row_schema(const std::vector<AnyColumn>& columns);

/// The schema of a document (table.hpp) with these rows and, beside them, these members.
Json document_schema(const std::string& command, const std::string& about, const Json& row, const Json& more);

/// A list of rows inside a row; `get` gives a container of them.
template <class Row, class Inner, class Get>
Column<Row> list_column(std::string_view key, std::string_view meaning, const Columns<Inner>& inner, Get get) {
  return {key, meaning, Json{{"type", "array"}, {"items", row_schema(inner)}},
          [inner, get = as_pointer(get)](const Row& row) { return rows_json<Inner>(inner, result_of<Row>(get, &row)); }};
}

/// Rows inside a row, by name; `get` gives pairs of a name and a row.
template <class Row, class Inner, class Get>
Column<Row> named_rows_column(std::string_view key, std::string_view meaning, const Columns<Inner>& inner, Get get) {
  return {key, meaning, by_name(row_schema(inner)), [inner, get = as_pointer(get)](const Row& row) {
            Json all = Json::object();
            for (const auto& [name, one] : result_of<Row>(get, &row)) all[name] = row_json<Inner>(inner, one);
            return all;
          }};
}

/// A row inside a row; `get` gives it, or a pointer or an optional, which hold none where it is null.
template <class Row, class Inner, class Get>
Column<Row> object_column(std::string_view key, std::string_view meaning, const Columns<Inner>& inner, Get get) {
  if constexpr (std::is_same_v<std::remove_cvref_t<std::invoke_result_t<Get, const Row&>>, Inner>)
    return {key, meaning, row_schema(inner),
            [inner, get = as_pointer(get)](const Row& row) { return row_json<Inner>(inner, result_of<Row>(get, &row)); }};
  else
    return {key, meaning, nullable(row_schema(inner)), [inner, get = as_pointer(get)](const Row& row) {
              const auto& one = result_of<Row>(get, &row);
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
  if (!is_there) return;
  for (std::size_t i = columns.size() - 2; i < columns.size(); ++i) columns[i].is_there = of_row<bool, Row>(is_there);
}

// --------------------------------------------------------------------------------------------------------------- for people

std::vector<Heading> headings(const std::vector<AnyColumn>& columns, bool with_above = false);

std::vector<std::string> any_cells(const std::vector<AnyColumn>& columns, const void* row, bool with_above = false);

template <class Row>
std::vector<std::string> cells(const Columns<Row>& columns, const Row& row, bool with_above = false) {
  return any_cells(columns, &row, with_above);
}

/// Aligned text as it is made: rows, with lines above those that share something.
class AlignedRows {
 public:
  explicit AlignedRows(const std::vector<AnyColumn>& columns);
  void add(const void* row, std::vector<std::string> remarks);
  /// The text is empty where there are no rows.
  std::string text() const { return table_.empty() ? "" : table_.text(); }

 private:
  const std::vector<AnyColumn>& columns_;
  Table table_;
  std::string line_;
  std::size_t longest_ = 0;  // a first cell of more characters (0: any number) stands on a line of its own
};

/// Rows in aligned text, with lines above those that share something, and `remarks` (lines) below each. Empty where there are no rows.
template <class Row, class Rows>
std::string aligned(const Columns<Row>& columns, const Rows& rows,
                    const std::function<std::vector<std::string>(const Row&)>& remarks = {}) {
  AlignedRows text(columns);
  for (const Row& row : rows) text.add(&row, remarks ? remarks(row) : std::vector<std::string>{});
  return text.text();
}

/// The first rows of many, and a line that says how many more there are `of`: "(3 more ranks: -o FILE has them all)".
template <class Row, class Rows>
Table first_rows(const Columns<Row>& columns, const Rows& rows, std::size_t most, const char* of, const char* file = "FILE") {
  Table table(headings(columns));
  for (std::size_t i = 0; i < rows.size() && i < most; ++i) table.add(cells<Row>(columns, rows[i]));
  if (rows.size() > most) table.add_line("(" + std::to_string(rows.size() - most) + " more " + of + ": -o " + file + " has them all)");
  return table;
}
/// The ranks of a program that are shown; `-o` keeps all.
inline constexpr std::size_t most_ranks_shown = 16;

template <class Row, class Rows>
std::string markdown(const Columns<Row>& columns, const Rows& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const Row& row : rows) lines.push_back(any_cells(columns, &row, true));
  return lines.empty() ? "" : markdown(headings(columns, true), lines);
}

}  // namespace plumbline::app
