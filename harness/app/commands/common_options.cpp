#include "app/commands/common_options.hpp"

#include <CLI/CLI.hpp>

namespace plumbline::app {

void add_format_options(CLI::App& command, Format& format) {
  const auto add = [&](const char* name, Format chosen, const char* description) {
    return command.add_flag_callback(
        name, [&format, chosen] { format = chosen; }, description);
  };
  auto* json = add("--json", Format::json, "print JSON");
  auto* csv = add("--csv", Format::csv, "print comma-separated values");
  csv->excludes(json);
  if (command.get_option_no_throw("--markdown") != nullptr) return;
  add("--markdown", Format::markdown, "print a table in Markdown")->excludes(json)->excludes(csv);
}

void add_selection(CLI::App& command, Selection& selection, ByKernel by_kernel) {
  command.add_option("FILE", selection.file, "result file (.h5)")->required();
  if (by_kernel == ByKernel::yes)
    command.add_option("--kernel", selection.kernel, "only these: a glob over kernel names and case ids, e.g. 'validation/*'");
  command.add_option("--node", selection.node, "only this node");
  add_format_options(command, selection.format);
}

CLI::Option* add_convention(CLI::App& command, std::string& convention) {
  return command.add_option("--convention", convention,
                            "how a GPU's counts become FLOPs and bytes: plumbline (ours), paper (Yang et al. 2019, 2020), ncu");
}

}  // namespace plumbline::app
