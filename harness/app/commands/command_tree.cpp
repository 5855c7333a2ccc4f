#include "app/commands/command_tree.hpp"

namespace plumbline::app {
namespace {

// CLI11 tells a list of choices in the type's name: "TEXT:{node,partition}".
std::vector<std::string> choices_of(const std::string& type) {
  const auto begin = type.find(":{"), end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  for (const auto& name : option.get_snames()) words.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) words.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  if (option.get_positional())
    words.value = option.get_name();
  else if (option.get_items_expected_max() > 0)
    words.value = type.substr(0, type.find(":{"));
  words.choices = choices_of(type);
  words.description = option.get_description();
  words.required = option.get_required();
  return words;
}

}  // namespace

CommandWords command_tree(const CLI::App& app, const std::string& above) {
  CommandWords words;
  words.path = above.empty() ? app.get_name() : above + " " + app.get_name();
  words.description = app.get_description();
  for (const auto* option : app.get_options())
    if (!option->get_group().empty()) (option->get_positional() ? words.positionals : words.options).push_back(words_of(*option));
  for (const auto* command : app.get_subcommands({}))
    if (!command->get_group().empty()) words.commands.push_back(command_tree(*command, words.path));
  return words;
}

std::vector<const CommandWords*> all_commands(const CommandWords& tree) {
  std::vector<const CommandWords*> all{&tree};
  for (const auto& command : tree.commands)
    for (const auto* one : all_commands(command)) all.push_back(one);
  return all;
}

}  // namespace plumbline::app
