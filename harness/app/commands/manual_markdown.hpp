// The manual is also one page in Markdown, for the site of documents.
#pragma once
#include <string>

#include "app/commands/command_tree.hpp"

namespace plumbline::app {

std::string manual_in_markdown(const CommandWords& tree);

}  // namespace plumbline::app
