// `plumbline profile` counts a program in several ways, which share this.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "profile/launch_meeting.hpp"
#include "profile/program_run.hpp"
#include "profile/run_window.hpp"
#include "profile/signals_noted.hpp"

namespace plumbline::app {

struct ProfileOptions {
  bool count_only = false, time_only = false, avx2 = false, gpu = false, json = false;
  std::string caches = "auto", output, counts, roofs = "auto", sampling = "auto";
  std::size_t functions = 10;          // or kernels
  std::uint64_t most_launches = 16;    // of each kernel in each phase; 0: all
  std::vector<std::string> told = {};  // options that the user gave, of those that do nothing in some way of profiling
  double wait_seconds = 60;
  RunWindow window = {};
  std::string subtract = {};                      // result file of an earlier profile; empty: none
  std::vector<std::string> count_arguments = {};  // of the counted run, where its work is scaled
  double scale_work = 1;                          // 1: both runs have the same arguments
  std::vector<std::string> command;
};

/// Does what a rank does: it runs its program, leaves its ending, and at the first rank shows all. The exit code is the program's, or says
/// what is missing. Throws Error before the program was started.
Exit profile_by_emulator(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting);
Exit profile_and_place(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting);
/// Does the same for a program that a launcher starts, the first word of the command: it is launched twice, with plumbline before the
/// program. `meeting` is this process's alone.
Exit profile_launched(const ProfileOptions& options, const LaunchMeeting& meeting);

/// Says how a program ended: "the program was killed by signal 9 (Killed): exit 137".
std::string how_it_ended(const ProgramEnding& ending);
/// Tells a program's fault, "plumbline: NAME: FAULT", by the first rank that meets it.
void tell(const std::string& fault, const ProfileOptions& options, const LaunchMeeting& meeting);
/// Adds what the ranks have to say, each line once, and which of them are missing.
void add_rank_notes(const LaunchMeeting& meeting, const std::vector<RankEnding>& endings, const Launch& launch,
                    const ProfileOptions& options, std::vector<std::string>& notes);
/// Gathers the endings of the ranks, at the first rank or behind the launcher.
std::vector<RankEnding> gather_endings(const LaunchMeeting& meeting, const ProfileOptions& options);
/// Does a rank's work. Where that throws, the fault is told by the first rank that meets it, and the others of this launch hear of its end.
Exit leave_faults(const Launch& launch, const LaunchMeeting& meeting, const std::function<Exit()>& work);
/// The files that processes left, sorted: "rank-N.*.json".
std::vector<std::filesystem::path> process_files(const LaunchMeeting& meeting);
int rank_in(const std::filesystem::path& process_file);
/// Reads each of those files; one that cannot be read is a note. `Process` is made of a rank and of what `read` gives of a file.
template <class Process, class Read>
std::vector<Process> read_process_files(const LaunchMeeting& meeting, Read read, std::vector<std::string>& notes) {
  std::vector<Process> processes;
  for (const auto& file : process_files(meeting)) {
    end_if_signalled();
    try {
      processes.push_back({rank_in(file), read(file)});
    } catch (const Error& broken) {
      notes.push_back(broken.what());
    }
  }
  return processes;
}
/// Shows a profile, the file first: whoever reads standard error may be gone. False: the tables could not be written there.
bool show_profile(const ProfileOptions& options, const std::string& json, const std::string& text);

}  // namespace plumbline::app
