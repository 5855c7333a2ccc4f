// The command plumbline manual prints the page for man(1), made of the commands' own descriptions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/command_tree.hpp"
#include "app/commands/manual_markdown.hpp"
#include "app/commands/manual_words.hpp"
#include "app/terminal/streams.hpp"
#include "machine/build_record.hpp"

namespace plumbline::app {
namespace {

// Escapes a text for roff: a backslash is an escape, a hyphen would become a typographic one, a dot or quote at the start of a line a
// request.
std::string in_roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string roff_synopsis(const CommandWords& command) {
  std::string line = fmt::format(".B {}\n", in_roff(command.path));
  if (!command.options.empty()) line += "[\\fIoptions\\fR]\n";
  for (const auto& one : command.positionals)
    line += fmt::format("{0}\\fI{2}\\fR{1}\n", one.required ? "" : "[", one.required ? "" : "]", in_roff(one.value));
  if (!command.commands.empty()) line += "\\fIcommand\\fR\n";
  return line;
}

std::string roff_row(const OptionWords& one) {
  std::string names;
  for (const auto& name : one.names) names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", in_roff(name));
  const std::string value = one.value.empty() ? "" : fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", in_roff(one.value));
  std::string text = in_roff(one.description);
  if (!one.choices.empty()) text += in_roff(fmt::format("{}one of {}", text.empty() ? "" : ": ", fmt::join(one.choices, ", ")));
  return fmt::format(".TP\n{}{}{}\n{}\n", names, value, one.required && !one.names.empty() ? " (required)" : "", text);
}

std::string roff_section(const CommandWords& command) {
  std::string text = fmt::format(".SS {}\n{}.PP\n{}\n", in_roff(command.path), roff_synopsis(command), in_roff(command.description));
  for (const auto& one : command.positionals) text += roff_row(one);
  for (const auto& one : command.options)
    if (one.names.back() != "--help") text += roff_row(one);
  return text;
}

std::string roff_entries(const std::string& title, const char* font, const std::vector<ManualEntry>& all) {
  std::string text = fmt::format(".SH {}\n", title);
  for (const auto& one : all) text += fmt::format(".TP\n.{} {}\n{}\n", font, in_roff(one.name), in_roff(one.meaning));
  return text;
}

std::string manual(const CommandWords& tree) {
  std::string page =
      fmt::format(".TH PLUMBLINE 1 \"\" \"plumbline {}\" \"User Commands\"\n.SH NAME\nplumbline \\- {}\n.SH SYNOPSIS\n{}",
                  build_record::version, "characterization of supercomputer nodes with proven counters", roff_synopsis(tree));
  page += fmt::format(".SH DESCRIPTION\n{}\n", in_roff(tree.description));
  for (const auto& one : tree.options) page += roff_row(one);
  page += ".SH COMMANDS\n";
  for (const auto* command : all_commands(tree))
    if (command != &tree) page += roff_section(*command);
  page += roff_entries("EXIT STATUS", "B", exit_codes()) + roff_entries("ENVIRONMENT", "B", environment()) +
          roff_entries("FILES", "I", files());
  return page + ".SH SEE ALSO\n.BR valgrind (1),\n.BR mpiexec (1),\n.BR papi_avail (1)\n";
}

}  // namespace

void add_manual(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("manual", "writes the page for man: plumbline manual | man -l -");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "the same as a page in Markdown (jobs/commands.md)");
  command->callback([&app, &chosen, markdown] {
    chosen = [&app, markdown] {
      const CommandWords tree = command_tree(app);
      print(*markdown ? manual_in_markdown(tree) : manual(tree));
      return Exit::ok;
    };
  });
}

}  // namespace plumbline::app
