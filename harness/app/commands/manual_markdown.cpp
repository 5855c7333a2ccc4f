#include "app/commands/manual_markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "app/commands/manual_words.hpp"

namespace plumbline::app {
namespace {

// A bar would end a table's cell; the others would be read as marks.
std::string in_markdown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '|' || c == '*' || c == '_' || c == '[')
      out.append(1, '\\').append(1, c);
    else
      out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Pages' readers do not agree on a bar within backticks.
std::string code(const std::string& text) { return text.find('|') == std::string::npos ? "`" + text + "`" : in_markdown(text); }

std::string sentence(const std::string& description) {
  std::string text = in_markdown(description);
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

// The anchor that Markdown gives the heading of a command.
std::string anchor(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '-');
  return path;
}

std::string synopsis(const CommandWords& command) {
  std::string line = command.path;
  if (!command.options.empty()) line += " [options]";
  for (const auto& one : command.positionals) line += one.required ? " " + one.value : " [" + one.value + "]";
  if (!command.commands.empty()) line += " command";
  return line;
}

std::string row(const OptionWords& one) {
  const std::string names =
      one.names.empty() ? one.value : fmt::format("{}{}{}", fmt::join(one.names, ", "), one.value.empty() ? "" : " ", one.value);
  std::string meaning = in_markdown(one.description);
  if (!one.choices.empty())
    meaning += fmt::format("{}one of {}", meaning.empty() ? "" : ": ", in_markdown(fmt::format("{}", fmt::join(one.choices, ", "))));
  return fmt::format("| {} | {}{} |\n", code(names), meaning, one.required && !one.names.empty() ? " (required)" : "");
}

std::string section(const CommandWords& command) {
  std::string rows;
  for (const auto& one : command.positionals) rows += row(one);
  for (const auto& one : command.options)
    if (one.names.back() != "--help") rows += row(one);
  std::string text = fmt::format("\n## {}\n\n    {}\n\n{}\n", command.path, synopsis(command), sentence(command.description));
  if (!rows.empty()) text += "\n| option | meaning |\n| --- | --- |\n" + rows;
  return text;
}

std::string entries(const std::string& title, const std::string& what, const std::vector<ManualEntry>& all) {
  std::string text = fmt::format("\n## {}\n\n| {} | meaning |\n| --- | --- |\n", title, what);
  for (const auto& one : all) text += fmt::format("| {} | {} |\n", code(one.name), in_markdown(one.meaning));
  return text;
}

}  // namespace

std::string manual_in_markdown(const CommandWords& tree) {
  std::string page = "# Commands\n\nThis page is what the program says of itself: `plumbline manual --markdown > jobs/commands.md`.\n\n";
  page += "| command | what it does |\n| --- | --- |\n";
  std::string sections;
  for (const auto* command : all_commands(tree)) {
    if (command == &tree) continue;
    page += fmt::format("| [{}](#{}) | {} |\n", code(command->path), anchor(command->path), in_markdown(command->description));
    sections += section(*command);
  }
  return page + sections + entries("Exit codes", "code", exit_codes()) + entries("Environment", "variable", environment()) +
         entries("Files", "beside the program's folder", files());
}

}  // namespace plumbline::app
