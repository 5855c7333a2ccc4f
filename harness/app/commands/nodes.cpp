// The command plumbline nodes FILE says which of the file's like nodes is worse than its peers. Exit 3: one is named, 4: one computed a
// wrong result.
#include <utility>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/finding_command.hpp"
#include "app/commands/open_metrics.hpp"
#include "app/nodes/node_report.hpp"
#include "app/results/result_file.hpp"
#include "app/results/stored_results.hpp"
#include "app/terminal/output_file.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

struct NodesCommandOptions {
  std::string file;
  double threshold_percent = 100 * NodeOptions().threshold, false_alarms = NodeOptions().false_alarms;
  std::string open_metrics;  // where to write them
  FindingCommand on_finding;
  Format format = Format::text;
};

Exit nodes(const NodesCommandOptions& options) {
  const NodeOptions judged{.false_alarms = options.false_alarms, .threshold = options.threshold_percent / 100};
  NodeReport report = judge_nodes(load_cases(options.file), options.file, judged);
  if (std::string note = unfinished_note(options.file); !note.empty()) report.notes.push_back(std::move(note));
  if (options.format == Format::json) print(nodes_document(report));
  if (options.format == Format::csv) print(csv(nodes_json_rows(report)));
  if (options.format == Format::text) print(nodes_text(report));
  if (options.format == Format::markdown) print(nodes_markdown(report));
  const Exit written = options.open_metrics.empty() ? Exit::ok : write_or_tell(options.open_metrics, open_metrics(report));
  if (exit_of(report) != Exit::ok) tell(options.on_finding, nodes_document(report));
  return exit_of(report) == Exit::ok ? written : exit_of(report);
}

}  // namespace

void add_nodes(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("nodes", "like nodes beside each other: exit 3 when one is worse than its peers, 4 for a wrong result");
  auto options = std::make_shared<NodesCommandOptions>();
  command->add_option("FILE", options->file, "result file (.h5) of a run on several nodes")->required();
  command->add_option("--threshold", options->threshold_percent, "percent below which a slowdown does not matter")
      ->check(number_within(0.0, 1000.0, "a number of percent"))
      ->capture_default_str()
      ->type_name("PCT");
  command
      ->add_option("--false-alarms", options->false_alarms,
                   "nodes wrongly named that are expected in a job in which all are alike, over all nodes and rows")
      ->check(number_within(1e-6, 0.5, "a number"))
      ->capture_default_str();
  add_open_metrics_option(*command, options->open_metrics);
  add_finding_options(*command, options->on_finding);
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return nodes(*options); }; });
}

}  // namespace plumbline::app
