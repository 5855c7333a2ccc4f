// The commands with their options are read as plain words from the command line's own description: completion and the manual are made of
// them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace plumbline::app {

struct OptionWords {
  std::vector<std::string> names;    // "-o", "--output"; none for a positional
  std::string value;                 // "FILE", "TEXT"; empty for a flag
  std::vector<std::string> choices;  // what the value may be, where that is a short list
  std::string description;
  bool required = false;
};

struct CommandWords {
  std::string path;  // "plumbline baseline accept"
  std::string description;
  std::vector<OptionWords> options, positionals;
  std::vector<CommandWords> commands;  // hidden ones left out
};

CommandWords command_tree(const CLI::App& app, const std::string& above = "");

/// A command and all below it, in order.
std::vector<const CommandWords*> all_commands(const CommandWords& tree);

}  // namespace plumbline::app
