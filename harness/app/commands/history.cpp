// The command plumbline history DIR follows each case and ceiling of each node through the nights: its level, its limits, when the level
// changed.
#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/history_prune.hpp"
#include "app/commands/open_metrics.hpp"
#include "app/nights/history_report.hpp"
#include "app/terminal/output_file.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

struct HistoryCommandOptions {
  std::string folder;
  HistoryWish wish;
  std::string open_metrics;  // where to write them
  Format format = Format::text;
};

Exit history(const HistoryCommandOptions& options) {
  const HistoryReport report = report_history(options.folder, options.wish);
  if (options.format == Format::json) print(history_document(report));
  if (options.format == Format::text) print(history_text(report));
  if (options.format == Format::markdown) print(history_markdown(report));
  if (options.format == Format::csv) {
    Json rows = history_json_rows(report);
    for (auto& row : rows) row.erase("points");
    print(csv(rows));
  }
  return options.open_metrics.empty() ? Exit::ok : write_or_tell(options.open_metrics, open_metrics(report));
}

}  // namespace

void add_history(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("history", "the nights in a folder of result files: levels, control limits, when a level changed");
  auto options = std::make_shared<HistoryCommandOptions>();
  auto* folder =
      command->add_option("DIR", options->folder, "folder of result files (.h5), which stay as they are; an index is kept beside them");
  command->add_option("--case", options->wish.what, "only these cases and ceilings: a glob, e.g. 'ceiling/mem *'");
  command->add_option("--node", options->wish.node, "only these nodes: a glob");
  command->add_option("--cluster", options->wish.cluster, "only what was measured on these clusters: a glob");
  command->add_option("--false-changes", options->wish.false_changes, "how many changes may be found in all where there are none")
      ->check(number_within(1e-6, 100.0, "a number"))
      ->capture_default_str();
  add_open_metrics_option(*command, options->open_metrics);
  add_format_options(*command, options->format);
  auto* prune = add_history_prune(*command, chosen);
  command->callback([&chosen, options, folder, prune] {
    if (prune->parsed()) return;
    if (folder->count() == 0) throw CLI::RequiredError("DIR");
    chosen = [options] { return history(*options); };
  });
}

}  // namespace plumbline::app
