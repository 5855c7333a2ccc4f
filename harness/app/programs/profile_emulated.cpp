// The command plumbline profile --count-only runs the program under the emulator.
#include "app/programs/emulated_counts.hpp"

namespace plumbline::app {

Exit profile_by_emulator(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  const EmulatedRun run = prepare_emulated(options, launch, meeting);
  const EmulatedEnding ending = run_emulated(run, meeting, launch.rank);
  tell(ending.fault, options, meeting);
  meeting.leave({launch.rank, "", ending.code, ending.notes});
  if (launch.rank != 0) return static_cast<Exit>(ending.code);
  const ProfileResult result = collect_counts(options, launch, meeting, run);
  if (ending.refused) return static_cast<Exit>(ending.code);
  const bool shown = show_profile(options, profile_json(result, options.output), profile_text(result)),
             whole = shown && static_cast<int>(result.endings.size()) == launch.size;
  return ending.code == 0 && !whole ? Exit::io_or_failed_case : static_cast<Exit>(ending.code);
}

}  // namespace plumbline::app
