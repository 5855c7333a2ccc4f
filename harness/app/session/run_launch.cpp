#include "app/session/run_launch.hpp"

#include <fmt/format.h>

#include "app/terminal/interruption.hpp"
#include "app/terminal/streams.hpp"

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

}  // namespace

Exit launch_run(const RunOptions& options, const std::function<Exit(RunInput& input, Communicator& ranks)>& work) {
  watch_for_signals();
  RunInput input = read_run_input(options);  // before MPI: the emulated worker starts here; an Error waits for its reader
  Communicator ranks;
  watch_for_signals();  // MPICH has taken SIGUSR1 to ask its launcher for the dead, and waits for ever where there is no launcher
  Exit mine = Exit::ok;
  std::string message;
  try {
    mine = work(input, ranks);
  } catch (const Error& error) {
    mine = error.code();
    message = error.what();
  } catch (const std::exception& error) {
    mine = Exit::io_or_failed_case;
    message = fmt::format("{} (rank {} on {})", error.what(), ranks.rank(), ranks.host());
  }
  return leave_together(ranks, mine, message);
}

}  // namespace plumbline::app
