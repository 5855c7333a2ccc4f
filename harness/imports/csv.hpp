// A profiler's CSV is RFC 4180 without line breaks in cells, among lines that are no CSV (the profiler's "==PROF== ...").
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline {

struct CsvLine {
  std::size_t number = 0;      // of the line in the file, from 1
  std::string_view text = {};  // borrowed from the CsvText
  bool is_blank() const { return text.find_first_not_of(" \t") == std::string_view::npos; }
  bool starts_with(std::string_view head) const { return text.starts_with(head); }
};

/// The lines of a file, without those of the profiler itself (they begin with "==").
class CsvText {
 public:
  /// Takes a file's text; `path` is for messages. Throws Error (user) where it is no text. A byte order mark is passed over.
  CsvText(std::string text, std::string path);
  std::optional<CsvLine> next();
  const std::string& path() const { return path_; }
  /// Throws the Error (user) "PATH:LINE: MESSAGE".
  [[noreturn]] void fail(std::size_t line, const std::string& message) const;

  /// Splits a line into cells. Throws Error (user) where a quote is not closed, or something stands behind one.
  std::vector<std::string> cells(const CsvLine& line) const;

 private:
  std::string text_, path_;
  std::size_t at_ = 0, line_ = 0;
};

}  // namespace plumbline
