#include "app/terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json_text.hpp"

namespace plumbline::app {
namespace {

/// The number of characters on the screen, for UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return align == Align::left ? text + blanks : blanks + text;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells)});
}

void Table::add_line(std::string text) { rows_.push_back({{std::move(text)}}); }

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) widths.push_back(width_of(column.words));
  for (const auto& row : rows_)
    for (std::size_t i = 0; row.cells.size() == columns_.size() && i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row.cells[i]));
  return widths;
}

std::string Table::text() const {
  const auto width = widths();
  const auto line = [&](const auto& cell_of) {
    std::string joined;
    for (std::size_t i = 0; i < columns_.size(); ++i) joined += (i == 0 ? "" : "  ") + padded(cell_of(i), width[i], columns_[i].align);
    return without_trailing_blanks(joined) + "\n";
  };
  std::string text = line([&](std::size_t i) { return columns_[i].words; });
  text += line([&](std::size_t i) { return std::string(width[i], '-'); });
  for (const auto& row : rows_)
    text += row.cells.size() == columns_.size() ? line([&](std::size_t i) { return row.cells[i]; }) : row.cells.front() + "\n";
  return text;
}

std::string plain(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e7 || size < 1e-4) return fmt::format("{:.{}e}", value, digits - 1);
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, digits - before));
}

std::string percent_or_dash(double part) { return std::isfinite(part) ? fmt::format("{:.1f} %", 100 * part) : "-"; }

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  constexpr std::array<std::pair<double, const char*>, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  for (const auto& [unit, name] : units)
    if (seconds >= unit) return plain(seconds / unit) + " " + name;
  return plain(seconds * 1e9) + " ns";
}

std::string size_in_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  constexpr std::array<std::pair<double, const char*>, 3> units{{{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};
  for (const auto& [unit, name] : units)
    if (bytes >= unit) return plain(bytes / unit) + " " + name;
  return plain(bytes) + " B";
}

std::string printable(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t')
      shown += c == '\n' ? "\\n" : "\\t";
    else
      shown += code < 0x20 || code == 0x7F ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return shown;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string lines, line = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() > indent.size() && width_of(line) + 1 + width_of(word) > width) {
      lines += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
    at = end + 1;
  }
  return lines + line;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

namespace {

void append_member(std::string& text, const std::string& key, const Json& value) {
  text += fmt::format(",\n\"{}\":", key);
  if (!value.is_array() || value.empty()) {
    text += json_text(value);
    return;
  }
  text += "[";
  for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "\n" : ",\n") + json_text(value[i]);
  text += "\n]";
}

/// The leaves of a row: column name and text of each, in order.
using Leaves = std::vector<std::pair<std::string, std::string>>;

std::string leaf_text(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string joined;
  for (const auto& item : value) joined += (joined.empty() ? "" : "; ") + leaf_text(item);
  return joined;
}

void flatten(const std::string& name, const Json& value, Leaves& leaves) {
  if (!value.is_object()) {
    leaves.emplace_back(name, leaf_text(value));
    return;
  }
  for (const auto& [key, member] : value.items()) flatten(name.empty() ? key : name + "_" + key, member, leaves);
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string comma_joined(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + quoted(fields[i]);
  return line + "\n";
}

}  // namespace

std::string document(const std::string& command, const std::string& file, const Json& rows, const std::vector<std::string>& notes,
                     const Json& more) {
  std::string text = fmt::format("{{\"schema\":\"plumbline-{}/1\"", command);
  append_member(text, "file", file);
  append_member(text, "rows", rows);
  for (const auto& [key, value] : more.items()) append_member(text, key, value);
  append_member(text, "notes", notes);
  return text + "}\n";
}

namespace {

/// The leaves of rows as a table: the columns of any row, in the order in which they first appear. Absent is empty.
struct FlatTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

FlatTable flat_table(const Json& rows) {
  FlatTable table;
  std::vector<Leaves> lines;
  for (const auto& row : rows) {
    Leaves& leaves = lines.emplace_back();
    flatten("", row, leaves);
    for (const auto& [name, value] : leaves)
      if (std::find(table.columns.begin(), table.columns.end(), name) == table.columns.end()) table.columns.push_back(name);
  }
  for (const auto& leaves : lines) {
    auto& fields = table.rows.emplace_back(table.columns.size());
    for (const auto& [name, value] : leaves)
      fields[static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin())] = value;
  }
  return table;
}

std::string piped(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const auto& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

}  // namespace

std::string csv(const Json& rows) {
  const FlatTable table = flat_table(rows);
  std::string text = comma_joined(table.columns);
  for (const auto& fields : table.rows) text += comma_joined(fields);
  return text;
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) out += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

std::string markdown(const std::vector<Heading>& headings, const std::vector<std::vector<std::string>>& rows) {
  const auto cells_of = [](const auto& all, const auto& text_of) {
    std::vector<std::string> cells;
    for (const auto& one : all) cells.push_back(text_of(one));
    return cells;
  };
  std::string text = piped(cells_of(headings, [](const Heading& one) { return markdown_cell(one.words); }));
  text += piped(cells_of(headings, [](const Heading& one) { return one.align == Align::left ? "---" : "---:"; }));
  for (const auto& row : rows) text += piped(cells_of(row, markdown_cell));
  return text;
}

std::string markdown(const Json& rows) {
  const FlatTable table = flat_table(rows);
  std::vector<Heading> headings;
  for (const auto& name : table.columns) headings.push_back({name, Align::left});
  return headings.empty() ? "" : markdown(headings, table.rows);
}

std::string markdown_notes(const std::vector<std::string>& notes) {
  std::string text;
  for (const auto& note : notes) text += "\n- " + markdown_cell(note);
  return text.empty() ? "" : text + "\n";
}

}  // namespace plumbline::app
