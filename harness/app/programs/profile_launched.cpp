// The command plumbline profile -- mpiexec -n 4 program launches the program twice, with plumbline before it on each rank: natively with
// samples and under the emulator with counts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/programs/emulated_counts.hpp"
#include "app/programs/launcher_command.hpp"
#include "app/programs/placing.hpp"
#include "app/programs/two_runs.hpp"
#include "app/terminal/output_file.hpp"
#include "core/error.hpp"
#include "core/host_name.hpp"
#include "machine/cpu.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// The runs of all ranks of a launch, in their order; what cannot be read is a note.
std::vector<NativeRank> native_ranks(const LaunchMeeting& meeting, std::vector<std::string>& notes) {
  std::vector<NativeRank> ranks;
  for (const auto& file : process_files(meeting)) {
    end_if_signalled();
    try {
      ranks.push_back(read_native_rank(file));
    } catch (const Error& broken) {
      notes.emplace_back(broken.what());
    }
  }
  std::ranges::sort(ranks, {}, &NativeRank::rank);
  return ranks;
}

/// Roofs of the node where plumbline was started are not another CPU's.
void keep_roofs_of_the_same_cpu(const std::vector<NativeRank>& ranks, const ProfileOptions& options, Roofs& roofs) {
  if (options.roofs != "auto" && options.roofs != "measure") return;
  const auto other = std::ranges::find_if(ranks, [](const auto& rank) { return rank.cpu != this_cpu().name; });
  if (other == ranks.end()) return;
  roofs.results = {};
  roofs.notes = {fmt::format(
      "no roofs: rank {} ran on {} ({}), and plumbline was started on {} ({}): measure them there (plumbline run), and take them by "
      "--roofs=FILE",
      other->rank, other->host, other->cpu, host_name(), this_cpu().name)};
}

/// The native launch: what its ranks left becomes the run of the whole. Throws Error where none left anything.
std::vector<NativeRank> launch_natively(const ProfileOptions& options, LaunchMeeting& meeting, ProgramRuns& runs) {
  const ProgramEnding ending = run_program(launcher_command(options, "timed", meeting.folder()).run);
  std::vector<NativeRank> ranks = native_ranks(meeting, runs.notes);
  if (ranks.empty())
    throw Error(ending.code == 0 ? Exit::user_error : static_cast<Exit>(ending.code),
                fmt::format("'{}' ended with exit {}, and none of its ranks left a time: nothing was profiled",
                            fmt::join(options.command, " "), ending.code));
  const Launch launch{.size = ranks.front().size, .by = {}};
  meeting.expect_ranks(launch.size);
  const std::vector<RankEnding> endings = gather_endings(meeting, options);
  add_rank_notes(meeting, endings, launch, options, runs.notes);
  for (const auto& one : endings)
    if (std::ranges::find(ranks, one.rank, &NativeRank::rank) == ranks.end())
      runs.notes.push_back(fmt::format("rank {} on {} was not timed (exit {})", one.rank, one.host, one.code));
  runs.native = merge_ranks(ranks);
  runs.native.ending.code = ending.code, runs.native.ending.interrupted = ending.interrupted;
  return ranks;
}

/// The counted launch, whose output goes nowhere. Gives how it ended.
EmulatedEnding launch_counted(const ProfileOptions& options, const LaunchMeeting& meeting, const RepeatedInput& input,
                              const fs::path& errors, std::vector<std::string>& notes) {
  ProgramRun run = launcher_command(options, "counted", meeting.folder()).run;
  input.give_again(run.streams, notes);
  run.streams.output = "/dev/null", run.streams.errors = errors.string();
  const ProgramEnding ending = run_program(run);
  return {.code = ending.code, .interrupted = ending.interrupted, .wall_seconds = ending.wall_seconds};
}

/// The ranks that left something.
template <class Ranks>
std::set<int> numbers_of(const Ranks& ranks) {
  std::set<int> numbers;
  for (const auto& one : ranks) numbers.insert(one.rank);
  return numbers;
}

}  // namespace

Exit profile_launched(const ProfileOptions& options, const LaunchMeeting& meeting) {
  LaunchMeeting timed({}, meeting.folder() / "timed", {}, true), counted({}, meeting.folder() / "counted", {}, true);
  const std::string program = launcher_command(options, "timed", timed.folder()).program;
  if (!options.output.empty()) require_writable(options.output);
  if (!options.time_only) require_counting(options);
  Symbols symbols;
  const std::string name = fs::path(program).filename().string();
  std::optional<Subtrahend> minus = read_subtrahend(options, name);
  ProgramRuns runs{.name = name, .roofs = find_roofs(options.roofs), .minus = std::move(minus)};
  if (runs.roofs.interrupted != 0) return static_cast<Exit>(128 + runs.roofs.interrupted);
  choose_code(options, runs.notes);
  const RepeatedInput input;
  std::vector<NativeRank> ranks = launch_natively(options, timed, runs);
  require_window(options, runs.native);
  keep_roofs_of_the_same_cpu(ranks, options, runs.roofs);
  const ProgramEnding& ending = runs.native.ending;
  const bool is_to_be_counted = ending.interrupted == 0 && !options.time_only;
  EmulatedEnding counting{.code = ending.code};
  const fs::path errors = counted.folder() / "counted.errors";
  if (is_to_be_counted) {
    announce_counting(options, ending);
    counting = launch_counted(options, counted, input, errors, runs.notes);
    runs.counted_seconds = counting.wall_seconds;
  }
  const Launch launch{.size = is_to_be_counted ? ranks.front().size : 0, .by = {}};
  counted.expect_ranks(launch.size);
  runs.counted = collect_counts(options, launch, counted, {});
  runs.why_not_joined = why_not_joined(options, ending, counting, errors);
  const std::set<int> were_timed = numbers_of(ranks), were_counted = numbers_of(runs.counted.profile.ranks);
  if (runs.why_not_joined.empty() && were_timed != were_counted)
    runs.why_not_joined = fmt::format("{} ranks were timed and {} counted", were_timed.size(), were_counted.size());
  runs.is_whole = static_cast<int>(were_timed.size()) == ranks.front().size;
  runs.counted.timed = std::move(ranks);
  return place_and_show(options, std::move(runs), symbols);
}

}  // namespace plumbline::app
