#include "imports/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline {
namespace {

/// A cell that begins at `at` with a quote; `at` is then behind its closing one. False where none closes it.
bool read_quoted(std::string_view text, std::size_t& at, std::string& cell) {
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"') {
      cell += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == '"') {
      cell += text[++at];
    } else {
      ++at;
      return true;
    }
  }
  return false;
}

}  // namespace

CsvText::CsvText(std::string text, std::string path) : text_(std::move(text)), path_(std::move(path)) {
  constexpr std::string_view utf8_mark = "\xef\xbb\xbf";
  if (text_.starts_with(utf8_mark)) text_.erase(0, utf8_mark.size());
  if (text_.find('\0') != text_.npos)
    fail(1, "this is no text (a binary report, or UTF-16?); give the CSV that the profiler prints, as UTF-8");
}

void CsvText::fail(std::size_t line, const std::string& message) const { throw user_error(fmt::format("{}:{}: {}", path_, line, message)); }

std::optional<CsvLine> CsvText::next() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = std::string_view(text_).substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = end + 1;
    ++line_;
    if (!line.starts_with("==")) return CsvLine{line_, line};
  }
  return std::nullopt;
}

std::vector<std::string> CsvText::cells(const CsvLine& line) const {
  std::vector<std::string> cells;
  const std::string_view text = line.text;
  for (std::size_t at = 0;; ++at) {
    std::string cell;
    if (at < text.size() && text[at] == '"') {
      if (!read_quoted(text, at, cell)) fail(line.number, "a quote is not closed: the line is cut short, or the file is");
      if (at < text.size() && text[at] != ',') fail(line.number, "something stands behind a closing quote");
    } else {
      const std::size_t end = std::min(text.find(',', at), text.size());
      cell = text.substr(at, end - at);
      at = end;
    }
    cells.push_back(std::move(cell));
    if (at >= text.size()) return cells;
  }
}

}  // namespace plumbline
