// Files of Matrix Market hold sparse matrices as text, an entry a line (Boisvert, Pozo, Remington 1996, "The Matrix Market Exchange
// Formats", NISTIR 5935).
#pragma once
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "core/text/text_file.hpp"
#include "proxies/solvers/sparse_matrix.hpp"

namespace plumbline {

/// Reads the text of one file. Everything that is wrong with it is one line: "PATH:LINE: what, why, what to try".
class MatrixMarketText {
 public:
  MatrixMarketText(std::string_view text, std::string path) : text_(text), path_(std::move(path)) {}

  SparseMatrix matrix() {
    read_banner();
    read_sizes();
    for (std::uint64_t i = 0; i < entries_; ++i) read_entry(i);
    if (const auto more = next_words())
      fail("an entry more than the " + std::to_string(entries_) + " that the line of sizes announces: correct that number, or take it out");
    return sorted();
  }

 private:
  struct Entry {
    std::uint32_t row, column;  // from 0
    std::uint64_t line;
    double value;
  };
  using Words = std::vector<std::string_view>;
  enum class Symmetry { general, symmetric, skew };

  [[noreturn]] void fail_at(std::uint64_t line, const std::string& message) const {
    throw user_error(path_ + ":" + std::to_string(line) + ": " + message);
  }
  [[noreturn]] void fail(const std::string& message) const { fail_at(line_, message); }

  /// The next line, without its end; none behind the last.
  std::optional<std::string_view> next_line() {
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1, ++line_;
    return line;
  }
  static Words words_of(std::string_view line) {
    constexpr std::string_view blank = " \t\r\v\f";
    Words words;
    for (std::size_t begin = line.find_first_not_of(blank); begin != line.npos; begin = line.find_first_not_of(blank, begin)) {
      const std::size_t end = std::min(line.find_first_of(blank, begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      begin = end;
    }
    return words;
  }
  /// The words of the next line that has any and is no comment.
  std::optional<Words> next_words() {
    while (const auto line = next_line())
      if (Words words = words_of(*line); !words.empty() && words[0][0] != '%') return words;
    return std::nullopt;
  }
  /// A piece of the file, short enough for a message.
  static std::string shown(std::string_view piece) {
    std::string printable(piece.substr(0, 40));
    for (char& c : printable)
      if (!std::isprint(static_cast<unsigned char>(c))) c = '?';
    return "'" + printable + (piece.size() > 40 ? "...'" : "'");
  }

  void read_banner() {
    const std::string wanted = "'%%MatrixMarket matrix coordinate real general'";
    const auto line = next_line();
    if (!line) fail_at(1, "the file is empty; its first line is to be " + wanted);
    const Words words = words_of(*line);
    std::array<std::string, 5> lower;
    for (std::size_t i = 0; i < std::min(lower.size(), words.size()); ++i)
      for (const char c : words[i]) lower[i] += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto& [banner, object, format, field, symmetry] = lower;
    if (banner != "%%matrixmarket" || object != "matrix" || words.size() != lower.size())
      fail(shown(*line) + " is no banner of a Matrix Market file, whose first line is such as " + wanted);
    if (format != "coordinate")
      fail("the format " + shown(format) + " is not read: a sparse matrix is written with an entry a line, as 'coordinate'");
    if (field != "real" && field != "integer" && field != "pattern")
      fail("the field " + shown(field) + " is not read: entries are to be 'real', 'integer' or 'pattern' (which makes each a one)");
    if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
      fail("the symmetry " + shown(symmetry) + " is not read: it is to be 'general', 'symmetric' or 'skew-symmetric'");
    is_pattern_ = field == "pattern";
    symmetry_ = symmetry == "general" ? Symmetry::general : symmetry == "symmetric" ? Symmetry::symmetric : Symmetry::skew;
  }

  std::uint64_t whole(std::string_view word, const char* what) const {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size())
      fail(shown(word) + " is no " + what + ", which is to be a whole number of at most 20 digits");
    return number;
  }

  void read_sizes() {
    const auto words = next_words();
    if (!words) fail("the file ends before its line of sizes: ROWS COLUMNS ENTRIES");
    if (words->size() != 3)
      fail(std::to_string(words->size()) + " words in the place of the line of sizes, which has three: ROWS COLUMNS ENTRIES");
    rows_ = whole((*words)[0], "number of rows"), entries_ = whole((*words)[2], "number of entries");
    const std::uint64_t columns = whole((*words)[1], "number of columns");
    if (rows_ != columns)
      fail("the matrix has " + std::to_string(rows_) + " rows and " + std::to_string(columns) +
           " columns: a system is solved where it is square");
    if (rows_ == 0) fail("the matrix has no rows");
    if (rows_ > std::numeric_limits<std::int32_t>::max())
      fail(std::to_string(rows_) + " rows are more than the 2^31 - 1 that can be numbered");
    constexpr std::uint64_t shortest_entry = 4;  // "1 1" and the line's end
    const std::uint64_t left = at_ < text_.size() ? text_.size() - at_ : 0, most = (left + 1) / shortest_entry;
    if (entries_ > most)
      fail(std::to_string(entries_) + " entries are announced, but the " + std::to_string(left) + " bytes behind hold at most " +
           std::to_string(most) + ": is the file cut short?");
    if (rows_ > (symmetry_ == Symmetry::general ? 1 : 2) * entries_)
      fail("a number of entries of " + std::to_string(entries_) + " leaves at least one of the " + std::to_string(rows_) +
           " rows empty: such a matrix is singular, no system of it can be solved");
  }

  std::uint32_t index(std::string_view word, const char* what) const {
    const std::uint64_t number = whole(word, what);
    if (number == 0 || number > rows_)
      fail(std::string(what) + " " + std::to_string(number) + " is out of range: the matrix has them from 1 to " + std::to_string(rows_));
    return static_cast<std::uint32_t>(number - 1);
  }
  double real(std::string_view word) const {
    double number = 0;
    const std::string_view digits = word[0] == '+' ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number))
      fail(shown(word) + " is no finite number of double precision, as the value of an entry is to be");
    return number;
  }

  void read_entry(std::uint64_t before) {
    const auto words = next_words();
    if (!words)
      fail("the file ends after " + std::to_string(before) + " of the " + std::to_string(entries_) +
           " entries that its line of sizes announces: is it cut short?");
    const std::size_t wanted = is_pattern_ ? 2 : 3;
    if (words->size() != wanted)
      fail(std::to_string(words->size()) + " words in the place of an entry, which has " +
           (is_pattern_ ? "two: ROW COLUMN" : "three: ROW COLUMN VALUE"));
    const Entry entry{index((*words)[0], "row"), index((*words)[1], "column"), line_, is_pattern_ ? 1.0 : real((*words)[2])};
    read_.push_back(entry);
    if (symmetry_ == Symmetry::skew && entry.row == entry.column)
      fail("an entry on the diagonal, where a skew-symmetric matrix has zeros: leave it out, or write the matrix as 'general'");
    if (symmetry_ != Symmetry::general && entry.row != entry.column)
      read_.push_back({entry.column, entry.row, line_, symmetry_ == Symmetry::skew ? -entry.value : entry.value});
  }

  SparseMatrix sorted() {
    std::sort(read_.begin(), read_.end(),
              [](const Entry& a, const Entry& b) { return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line); });
    for (std::size_t i = 1; i < read_.size(); ++i)
      if (read_[i].row == read_[i - 1].row && read_[i].column == read_[i - 1].column)
        fail_at(read_[i].line, "row " + std::to_string(read_[i].row + 1) + ", column " + std::to_string(read_[i].column + 1) +
                                   " has an entry already, in line " + std::to_string(read_[i - 1].line) +
                                   ": add them up, or leave one out");
    SparseMatrix matrix;
    matrix.width = rows_;
    auto entry = read_.begin();
    for (std::uint64_t row = 0; row < rows_; ++row, matrix.end_row())
      for (; entry != read_.end() && entry->row == row; ++entry) matrix.add(static_cast<std::int32_t>(entry->column), entry->value);
    return matrix;
  }

  std::string_view text_;
  std::string path_;
  std::size_t at_ = 0;      // where the next line begins
  std::uint64_t line_ = 0;  // the number of the last one, from 1
  bool is_pattern_ = false;
  Symmetry symmetry_ = Symmetry::general;
  std::uint64_t rows_ = 0, entries_ = 0;  // as announced
  std::vector<Entry> read_;
};

inline constexpr std::size_t longest_matrix_file = std::size_t{4} << 30;  // bytes

/// The square matrix of a file in the format "coordinate": real, integer or pattern, general, symmetric or skew-symmetric. Throws Error
/// (user) for a file that cannot be read (longer than `longest_matrix_file`, too) and for everything that is wrong in it.
inline SparseMatrix read_matrix_market(const std::string& path) {
  const auto text = read_text_file(path, longest_matrix_file);
  if (!text)
    throw user_error(path + ": the matrix cannot be read: " + std::strerror(errno) + "; give a file of Matrix Market of at most " +
                     std::to_string(longest_matrix_file >> 30) + " GiB");
  return MatrixMarketText(*text, path).matrix();
}

/// Writes a matrix as "coordinate real general", so that reading it again gives every value to the last bit. Throws Error (I/O).
inline void write_matrix_market(const SparseMatrix& matrix, const std::string& path) {
  std::ofstream file(path);
  file.precision(std::numeric_limits<double>::max_digits10);
  file << "%%MatrixMarket matrix coordinate real general\n" << matrix.rows() << ' ' << matrix.width << ' ' << matrix.entries() << '\n';
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    matrix.for_row(
        row, [&](std::size_t entry, std::size_t column) { file << row + 1 << ' ' << column + 1 << ' ' << matrix.values[entry] << '\n'; });
  file.close();
  if (!file) throw io_error(path + ": the matrix cannot be written: " + std::strerror(errno) + "; name a file in a folder that has room");
}

}  // namespace plumbline
