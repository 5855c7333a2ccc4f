// The complaint about TOML that cannot be read, and how deep tables of a stranger's TOML may go: its reader bounds arrays and inline tables
// (a=[[[...), but not names with dots ([a.a.a...), and frees what it made by recursion.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace plumbline {

inline constexpr std::size_t deepest_toml = 100;

/// Whether a name in the text has more dots than `deepest_toml`.
inline bool names_nest_deeply(std::string_view toml) {
  constexpr std::string_view ends_name = ",=[]{}\n#";
  std::size_t dots = 0;
  char quote = 0;
  for (const char c : toml) {
    if (quote == 0 && c == '.' && ++dots > deepest_toml) return true;
    if (c == '\n' || (quote == 0 && ends_name.find(c) != ends_name.npos)) dots = 0;
    if (c == '\n')
      quote = 0;
    else if (c == '"' || c == '\'')
      quote = quote == 0 ? c : quote == c ? '\0' : quote;
  }
  return false;
}

/// Makes one line of a text that a message quotes, whatever the text holds.
inline std::string in_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return text;
}

/// The complaint of the reader of TOML, in one line, with what was expected where it does not say so.
inline std::string toml_complaint(std::string_view description) {
  std::string text = in_one_line(std::string(description));
  if (text.find("could not determine value type") != text.npos)
    text += R"(; expected is "text" in quotes, a number, true or false, [a, list] or {a = "table"})";
  if (text.find("encountered end-of-file") != text.npos) text += "; something that was opened before is not closed: a quote, [ or {";
  if (text.find("unescaped control characters") != text.npos) text += "; the closing quote may be missing";
  return text;
}

}  // namespace plumbline
