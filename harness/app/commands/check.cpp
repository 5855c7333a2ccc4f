// The command plumbline check FILE --baseline ... finds the night's regressions (exit 3) and wrong results (exit 4), each with its
// evidence.
#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/commands/finding_command.hpp"
#include "app/commands/open_metrics.hpp"
#include "app/nights/checked_file.hpp"
#include "app/terminal/output_file.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

struct CheckCommandOptions {
  CheckWish wish;
  std::string junit, markdown, open_metrics;
  std::optional<double> threshold_percent;
  FindingCommand on_finding;
  Format format = Format::text;
};

Exit write_documents(const CheckCommandOptions& options, const CheckReport& report) {
  Exit code = Exit::ok;
  using AsText = std::string (*)(const CheckReport&);
  for (const auto& [file, as_text] :
       {std::pair<std::string, AsText>(options.junit, junit), {options.markdown, markdown}, {options.open_metrics, open_metrics}})
    if (!file.empty())
      if (const Exit written = write_or_tell(file, as_text(report)); written != Exit::ok) code = written;
  return code;
}

Exit check(const CheckCommandOptions& options) {
  CheckWish wish = options.wish;
  if (options.threshold_percent) wish.threshold = *options.threshold_percent / 100;
  const CheckReport report = check_file(wish);
  if (options.format == Format::json) print(check_document(report));
  if (options.format == Format::csv) print(csv(check_json_rows(report)));
  if (options.format == Format::text) print(check_text(report));
  const Exit written = write_documents(options, report), found = exit_of(report);
  if (found != Exit::ok) tell(options.on_finding, check_document(report));
  return found == Exit::ok ? written : found;
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand(
      "check", "a night against the nights before it: exit 3 for a regression, 4 for a wrong result, 1 for a missing case");
  auto options = std::make_shared<CheckCommandOptions>();
  command->add_option("FILE", options->wish.file, "result file (.h5) of the night")->required();
  command
      ->add_option(
          "--baseline", options->wish.baseline,
          "rolling:14d (the nights of that many days before, in FILE's folder), or a folder; fewer than three nights, as one result "
          "file, make nothing worse than SUSPECT")
      ->required()
      ->type_name("rolling:DAYSd|FILE|DIR");
  command->add_option("--history", options->wish.history, "folder of the nights and of accepted levels, where it is not FILE's")
      ->type_name("DIR");
  command
      ->add_option("--threshold", options->threshold_percent,
                   "percent below which a slowdown does not matter (default: by class, 3 to 10, of links 25)")
      ->check(number_within(0.0, 1000.0, "a number of percent"))
      ->type_name("PCT");
  command
      ->add_option("--false-alarms", options->wish.false_alarms, "how many are expected in a night in which nothing changed, over all rows")
      ->check(number_within(1e-6, 0.5, "a number"))
      ->capture_default_str();
  command->add_flag("--allow-missing", options->wish.allow_missing,
                    "what the nights before measured and this one did not is told, but no failure");
  command->add_option("--junit", options->junit, "also write JUnit XML there, a test case a row")->type_name("FILE");
  command->add_option("--markdown", options->markdown, "also write a summary in Markdown there")->type_name("FILE");
  add_open_metrics_option(*command, options->open_metrics);
  add_finding_options(*command, options->on_finding);
  add_format_options(*command, options->format);
  command->callback([&chosen, options] { chosen = [options] { return check(*options); }; });
}

}  // namespace plumbline::app
