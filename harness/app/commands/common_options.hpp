// These options mean the same in every command that has them.
#pragma once
#include <string>

#include "app/results/result_file.hpp"
#include "app/terminal/table.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumbline::app {

/// Adds --json, --csv and --markdown, of which one may be given. A command that has a --markdown of its own (check: a FILE) keeps it.
void add_format_options(CLI::App& command, Format& format);

/// Says whether --kernel makes sense beside FILE, --node, --json and --csv.
enum class ByKernel { no, yes };
void add_selection(CLI::App& command, Selection& selection, ByKernel by_kernel = ByKernel::yes);

/// Adds the option --convention, as commands have it that print a GPU's FLOPs and bytes.
CLI::Option* add_convention(CLI::App& command, std::string& convention);

}  // namespace plumbline::app
