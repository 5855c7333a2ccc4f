// The command plumbline profile runs a program twice, natively with samples and under the emulator with counts, and places its functions
// under this machine's roofs.
#include <fmt/format.h>

#include <filesystem>

#include "app/programs/emulated_counts.hpp"
#include "app/programs/kept_roofs.hpp"
#include "app/programs/placing.hpp"
#include "app/programs/sampled_run.hpp"
#include "app/programs/two_runs.hpp"
#include "app/terminal/output_file.hpp"
#include "core/error.hpp"
#include "profile/launcher_words.hpp"

namespace plumbline::app {

namespace fs = std::filesystem;

Exit profile_and_place(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  if (launch.size > 1)
    throw user_error(
        "profile runs a program twice, and a launcher starts it once: put plumbline before the launcher (plumbline profile -- mpiexec -n 4 "
        "program), or count alone (mpiexec -n 4 plumbline profile --count-only -- program)");
  if (is_known_launcher(options.command.front())) return profile_launched(options, meeting);
  if (!options.output.empty()) require_writable(options.output);
  EmulatedRun emulated;
  if (!options.time_only) emulated = prepare_emulated(options, launch, meeting);
  Symbols symbols;
  const std::string name = fs::path(options.command.front()).filename().string();
  std::optional<Subtrahend> minus = read_subtrahend(options, name);
  ProgramRuns runs{.name = name, .roofs = find_roofs(options.roofs), .minus = std::move(minus)};
  if (runs.roofs.interrupted != 0) return static_cast<Exit>(128 + runs.roofs.interrupted);
  choose_code(options, runs.notes);
  const RepeatedInput input;
  runs.native = run_sampled(options, meeting.folder() / "samples", symbols);
  const ProgramEnding& ending = runs.native.ending;
  require_window(options, runs.native);
  if (ending.code != 0) tell(how_it_ended(ending), options, meeting);
  EmulatedEnding counted{.code = ending.code};
  const fs::path errors = meeting.folder() / "counted.errors";
  if (ending.interrupted == 0 && !options.time_only) {
    announce_counting(options, ending);
    input.give_again(emulated.tool.streams, runs.notes);
    emulated.tool.tool_options.emplace_back("--loops=yes");
    emulated.tool.streams.output = "/dev/null", emulated.tool.streams.errors = errors.string();
    counted = run_emulated(emulated, meeting, launch.rank);
  }
  runs.why_not_joined = why_not_joined(options, ending, counted, errors);
  if (counted.wall_seconds > 0) runs.counted_seconds = counted.wall_seconds;
  meeting.leave({launch.rank, "", counted.code, counted.notes});
  runs.counted = collect_counts(options, launch, meeting, emulated);
  return place_and_show(options, std::move(runs), symbols);
}

}  // namespace plumbline::app
