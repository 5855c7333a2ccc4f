// plumbline run: campaign in, result file out.
#include <fmt/format.h>

#include "app/command.hpp"
#include "app/interruption.hpp"
#include "app/run_session.hpp"
#include "app/streams.hpp"

namespace plumbline::app {
namespace {

// A rank that failed alone waits this long for the others to come to the end before it ends them all.
constexpr double patience_seconds = 60;

Exit leave_together(Communicator& ranks, Exit mine, const std::string& message) {
  const auto ending = ranks.end(mine, message, mine == Exit::ok ? -1 : patience_seconds);
  if (!ending) {  // the others wait for this rank in a collective: nothing but an abort ends them
    say(fmt::format("plumbline: {}\n", message));
    ranks.abort(mine);
  }
  if (ranks.rank() == 0)
    for (const auto& line : ending->messages) say(fmt::format("plumbline: {}\n", line));
  return ending->code;
}

Exit run(const RunOptions& options) {
  watch_for_signals();
  RunInput input = read_run_input(options);  // before MPI: the emulated worker starts here; an Error waits for its reader
  Communicator ranks;
  watch_for_signals();  // MPICH has taken SIGUSR1 to ask its launcher for the dead, and waits for ever where there is no launcher
  Exit mine = Exit::ok;
  std::string message;
  try {
    mine = run_session(options, input, ranks);
  } catch (const Error& error) {
    mine = error.code();
    message = error.what();
  } catch (const std::exception& error) {
    mine = Exit::io_or_failed_case;
    message = fmt::format("{} (rank {} on {})", error.what(), ranks.rank(), ranks.host());
  }
  return leave_together(ranks, mine, message);
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
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

}  // namespace plumbline::app
