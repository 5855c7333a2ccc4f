// The command plumbline completion bash prints what bash needs to complete this program's commands, options and their choices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cerrno>

#include "app/commands/command.hpp"
#include "app/commands/command_tree.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

// The words typed so far choose a command; what fits at the cursor follows from it. "profile ... -- program" ends our part.
constexpr const char* script = R"--(# bash completion of {program}, written by "{program} completion bash"
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} path=plumbline words='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      mapfile -t COMPREPLY < <(compgen -f -c -- "$word")
      return
    fi
    case "$path ${{COMP_WORDS[i]}}" in
      {paths}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path $before" in
{choices}    {valued})
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      return
      ;;
  esac
  case $path in
{words}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ $word != -* ]]; then
    local files
    case $path in
      {files})
        mapfile -t files < <(compgen -f -- "$word")
        COMPREPLY+=("${{files[@]}}")
        ;;
    esac
  fi
}}
complete -o filenames -F {function} {program}
)--";

std::string as_pattern(const std::string& pattern) { return "'" + pattern + "'"; }

// Patterns of a case branch; one that no word is equal to where there is none.
std::string either(const std::vector<std::string>& patterns) {
  return patterns.empty() ? "''" : fmt::format("{}", fmt::join(patterns, " | "));
}

/// A function's name is made of fewer characters than a program's may be.
std::string function_of(const std::string& program) {
  std::string name = "_";
  for (const char c : program) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

std::string name_of(const CommandWords& command) { return command.path.substr(command.path.rfind(' ') + 1); }

std::string completion(const CommandWords& tree, const std::string& program) {
  std::vector<std::string> paths, valued, files;
  std::string choices, words;
  for (const auto* command : all_commands(tree)) {
    if (command != &tree) paths.push_back(as_pattern(command->path));
    std::vector<std::string> offered;
    for (const auto& below : command->commands) offered.push_back(name_of(below));
    for (const auto& one : command->positionals) {
      offered.insert(offered.end(), one.choices.begin(), one.choices.end());
      if (one.choices.empty() && (files.empty() || files.back() != as_pattern(command->path))) files.push_back(as_pattern(command->path));
    }
    for (const auto& option : command->options) {
      offered.insert(offered.end(), option.names.begin(), option.names.end());
      for (const auto& name : option.names) {
        const std::string pattern = as_pattern(command->path + " " + name);
        if (!option.choices.empty())
          choices += fmt::format("    {}) path='' words='{}' ;;\n", pattern, fmt::join(option.choices, " "));
        else if (!option.value.empty())
          valued.push_back(pattern);
      }
    }
    words += fmt::format("    {}) words='{}' ;;\n", as_pattern(command->path), fmt::join(offered, " "));
  }
  return fmt::format(script, fmt::arg("program", program), fmt::arg("function", function_of(program)), fmt::arg("paths", either(paths)),
                     fmt::arg("choices", choices), fmt::arg("valued", either(valued)), fmt::arg("words", words),
                     fmt::arg("files", either(files)));
}

}  // namespace

void add_completion(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("completion", "writes what a shell needs to complete these commands: source <(plumbline completion bash)");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash")->required()->check(CLI::IsMember({"bash"}));
  command->callback([&app, &chosen, shell] {
    chosen = [&app, shell] {
      print(completion(command_tree(app), program_invocation_short_name));
      return Exit::ok;
    };
  });
}

}  // namespace plumbline::app
