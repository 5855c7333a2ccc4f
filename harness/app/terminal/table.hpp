// The forms in which rows are shown: an aligned table or Markdown for people, JSON and CSV for programs.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/status.hpp"

namespace plumbline::app {

using Json = nlohmann::ordered_json;

enum class Format { text, json, csv, markdown };

// -------------------------------------------------------------------------------------------------------------- for people

enum class Align { left, right };

struct Heading {
  std::string words;
  Align align = Align::right;
};

/// A table for people, with columns as wide as their widest cell, two blanks apart.
class Table {
 public:
  explicit Table(std::vector<Heading> columns) : columns_(std::move(columns)) {}
  /// One cell a column, made printable.
  void add(std::vector<std::string> cells);
  /// Adds a line across, e.g. the heading of a group or a remark on the row above.
  void add_line(std::string text);
  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;  // one alone: a line across
  };
  std::vector<std::size_t> widths() const;

  std::vector<Heading> columns_;
  std::vector<Row> rows_;
};

/// Prints a number with `digits` significant digits, without exponent where that stays short; "-" for an absent number.
std::string plain(double value, int digits = 3);
/// Prints a part as "94.4 %", with one digit behind the point; "-" for an absent part.
std::string percent_or_dash(double part);
/// Prints seconds as "12.3 us".
std::string duration(double seconds);
/// Prints bytes as "48 KiB".
std::string size_in_bytes(double bytes);
/// Shows characters that would break a line or move the cursor as \n, \t or \x1b.
std::string printable(const std::string& text);
/// Breaks a text between words into lines of at most `width` characters, each begun with `indent`.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent);

// ------------------------------------------------------------------------------------------------------------- for programs

/// A number as JSON; null when it is absent.
Json number(double value);
/// A text as JSON; null when it is empty.
Json text_or_null(const std::string& text);

/// The document {"schema":"plumbline-COMMAND/1","file":FILE,"rows":[...],"notes":[...]} and what is in `more`, a row on each line.
std::string document(const std::string& command, const std::string& file, const Json& rows, const std::vector<std::string>& notes,
                     const Json& more = Json::object());

/// The rows as CSV, one line a row and a heading; nested objects become columns "levels_L1_bytes", arrays are joined by "; ". Absent is
/// empty.
std::string csv(const Json& rows);
/// The same columns as a table in Markdown.
std::string markdown(const Json& rows);
/// A table in Markdown: what would break a cell is escaped.
std::string markdown(const std::vector<Heading>& headings, const std::vector<std::vector<std::string>>& rows);
/// A list in Markdown, after an empty line; empty where there are none.
std::string markdown_notes(const std::vector<std::string>& notes);
/// The text of a cell in Markdown.
std::string markdown_cell(const std::string& text);

}  // namespace plumbline::app
