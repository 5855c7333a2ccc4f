// The command plumbline run takes a campaign and makes a result file.
#include "app/commands/command.hpp"
#include "app/session/run_launch.hpp"
#include "app/session/run_plan.hpp"
#include "app/session/run_session.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

Exit run_campaign(const RunOptions& options) {
  return launch_run(options, [&](RunInput& input, Communicator& ranks) {
    const Exit code = run_session(options, input, ranks);
    if (ranks.rank() == 0 && !options.dry_run) print(output_of(options, input.campaign).string() + "\n");
    return code;
  });
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("run", "measures a campaign and writes a result file; start it with mpiexec or srun for more than one rank");
  auto options = std::make_shared<RunOptions>();
  command->add_option("CAMPAIGN", options->campaign, "campaign file (.toml), or the name of one of 'plumbline list campaigns'")->required();
  command->add_option("-o,--output", options->output, "result file (default: plumbline-out/NAME.h5)");
  command->add_option(
      "--counters", options->counters,
      "instead of the campaign's counters: auto, none, BACKEND[:EVENT],..., SET.toml, or check:SET.toml (each event alone, too)");
  command
      ->add_option(
          "--count-repetitions", options->count_repetitions,
          "instead of the campaign's [counting] repetitions: 1 at first where time is short; with --resume and more, what was counted less "
          "often is counted again")
      ->check(number_within(1, most_count_repetitions, "a whole number"));
  command->add_flag("--dry-run", options->dry_run, "prints the plan with its estimated time and memory; measures nothing");
  auto* resume = command->add_flag("--resume", options->resume,
                                   "goes on with an earlier run of the same output: what is finished is not measured again");
  command
      ->add_flag("--accept-changed-campaign", options->accept_changed_campaign,
                 "resumes although the campaign was changed: what is new is measured, what it no longer asks for is kept")
      ->needs(resume);
  command
      ->add_flag("--accept-changed-program", options->accept_changed_program,
                 "resumes although another plumbline measured before; which one measured what stays in the result")
      ->needs(resume);
  command->add_flag("--overwrite", options->overwrite, "replaces an earlier result or unfinished run")->excludes(resume);
  command->callback([&chosen, options] { chosen = [options] { return run_campaign(*options); }; });
}

}  // namespace plumbline::app
