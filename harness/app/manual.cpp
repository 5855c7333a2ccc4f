// plumbline manual: the page for man(1), made of the commands' own descriptions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command.hpp"
#include "app/command_tree.hpp"
#include "app/streams.hpp"
#include "machine/build_record.hpp"

namespace plumbline::app {
namespace {

// What no command says by itself.
constexpr const char* ending = R"--(.SH EXIT STATUS
.TP
.B 0
ok
.TP
.B 1
an I/O error (a full disk, unwritable output), or a case failed
.TP
.B 2
something the user wrote is wrong: flags, a campaign, a missing, foreign or truncated file
.TP
.B 3
a regression
.TP
.B 4
a result check or an exactness check failed
.TP
.B 75
stopped early; resumable
.SH ENVIRONMENT
.TP
.B PLUMBLINE_EVENTS_PATH
event tables of your own: files and folders, separated by colons
.TP
.B PLUMBLINE_CUPTI_PATH
the folder of NVIDIA's libcupti, if not beside the program, in a CUDA toolkit (the one that it was built with, CUDA_HOME, /usr/local/cuda), among Python's packages or on the loader's path
.TP
.B PLUMBLINE_CUDA_CODE_PATH
the folder of the disassembled module for GPUs, if not beside the module
.TP
.B PLUMBLINE_EMULATOR_DIR
the folder of the emulator, if not ../lib/plumbline/valgrind beside the program's folder
.TP
.B PLUMBLINE_SHARE
a folder that is searched before ../share/plumbline for campaigns, tables and the Python package
.TP
.B PLUMBLINE_PYTHON
the Python 3 that draws for report, if not python3 beside the program (where pip has installed both) or /usr/bin/python3
.TP
.B PLUMBLINE_MPI
where the program opens its MPI when it is launched (the bundle): mpich, openmpi, or the absolute path of the library; without a word the launcher decides
.SH FILES
.TP
.I ../share/plumbline/jobs/campaigns
campaigns that come along
.TP
.I ../share/plumbline/harness/counters/events
event tables
.SH SEE ALSO
.BR valgrind (1),
.BR mpiexec (1),
.BR papi_avail (1)
)--";

// For roff: a backslash is an escape, a hyphen would become a typographic one, a dot or quote at the start of a line a request.
std::string escaped(const std::string& text) {
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

std::string synopsis(const CommandWords& command) {
  std::string line = fmt::format(".B {}\n", escaped(command.path));
  if (!command.options.empty()) line += "[\\fIoptions\\fR]\n";
  for (const auto& one : command.positionals)
    line += fmt::format("{0}\\fI{2}\\fR{1}\n", one.required ? "" : "[", one.required ? "" : "]", escaped(one.value));
  if (!command.commands.empty()) line += "\\fIcommand\\fR\n";
  return line;
}

std::string row(const OptionWords& one) {
  std::string names;
  for (const auto& name : one.names) names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  const std::string value = one.value.empty() ? "" : fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", escaped(one.value));
  std::string text = escaped(one.description);
  if (!one.choices.empty()) text += escaped(fmt::format("{}one of {}", text.empty() ? "" : ": ", fmt::join(one.choices, ", ")));
  return fmt::format(".TP\n{}{}{}\n{}\n", names, value, one.required && !one.names.empty() ? " (required)" : "", text);
}

std::string section(const CommandWords& command) {
  std::string text = fmt::format(".SS {}\n{}.PP\n{}\n", escaped(command.path), synopsis(command), escaped(command.description));
  for (const auto& one : command.positionals) text += row(one);
  for (const auto& one : command.options)
    if (one.names.back() != "--help") text += row(one);
  return text;
}

std::string manual(const CommandWords& tree) {
  std::string page = fmt::format(".TH PLUMBLINE 1 \"\" \"plumbline {}\" \"User Commands\"\n.SH NAME\nplumbline \\- {}\n.SH SYNOPSIS\n{}",
                                 build_record::version, "characterization of supercomputer nodes with proven counters", synopsis(tree));
  page += fmt::format(".SH DESCRIPTION\n{}\n", escaped(tree.description));
  for (const auto& one : tree.options) page += row(one);
  page += ".SH COMMANDS\n";
  for (const auto* command : all_commands(tree))
    if (command != &tree) page += section(*command);
  return page + ending;
}

}  // namespace

void add_manual(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("manual", "writes the page for man: plumbline manual | man -l -");
  command->callback([&app, &chosen] {
    chosen = [&app] {
      print(manual(command_tree(app)));
      return Exit::ok;
    };
  });
}

}  // namespace plumbline::app
