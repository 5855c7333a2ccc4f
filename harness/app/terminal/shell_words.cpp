#include "app/terminal/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "app/terminal/table.hpp"

namespace plumbline::app {

std::string shell_word(const std::string& word) {
  const bool controls = printable(word) != word;
  const auto plain_in_a_shell = [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 || std::strchr("_./+-=,:@%^", c) != nullptr;
  };
  if (!word.empty() && !controls && std::all_of(word.begin(), word.end(), plain_in_a_shell)) return word;
  std::string inside;
  for (const char c : word) inside += c == '\'' ? (controls ? "\\'" : "'\\''") : controls && c == '\\' ? "\\\\" : std::string(1, c);
  return (controls ? "$'" : "'") + printable(inside) + "'";
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace plumbline::app
