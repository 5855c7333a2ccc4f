#include "app/programs/profile_ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "app/terminal/output_file.hpp"
#include "app/terminal/streams.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

void note_missing_ranks(const LaunchMeeting& meeting, const std::vector<RankEnding>& endings, const Launch& launch,
                        const ProfileOptions& options, std::vector<std::string>& notes) {
  std::vector<int> missing;
  for (int rank = 0; rank < launch.size; ++rank)
    if (std::none_of(endings.begin(), endings.end(), [&](const auto& ending) { return ending.rank == rank; })) missing.push_back(rank);
  if (missing.empty()) return;
  notes.push_back(fmt::format("{} of {} ranks are missing (first: rank {}): {}", missing.size(), launch.size, missing.front(),
                              meeting.is_over() ? "they had left nothing when the launcher ended, which kills all where one fails"
                                                : fmt::format("no word from them {} s after rank 0's program had ended; --wait=SECONDS "
                                                              "waits longer",
                                                              options.wait_seconds)));
}

}  // namespace

std::string how_it_ended(const ProgramEnding& ending) {
  if (ending.signal != 0)
    return fmt::format("the program was killed by signal {} ({}): exit {}", ending.signal, strsignal(ending.signal), ending.code);
  return fmt::format("the program ended with exit {}", ending.code);
}

void tell(const std::string& fault, const ProfileOptions& options, const LaunchMeeting& meeting) {
  if (!fault.empty() && meeting.first_to_say(fault))
    say(fmt::format("plumbline: {}: {}\n", fs::path(options.command.front()).filename().string(), fault));
}

std::vector<RankEnding> gather_endings(const LaunchMeeting& meeting, const ProfileOptions& options) {
  constexpr double until_files_are_seen = 2;  // on a file system of several nodes
  return meeting.gather(meeting.is_over() ? std::min(until_files_are_seen, options.wait_seconds) : options.wait_seconds);
}

void add_rank_notes(const LaunchMeeting& meeting, const std::vector<RankEnding>& endings, const Launch& launch,
                    const ProfileOptions& options, std::vector<std::string>& notes) {
  for (const auto& ending : endings)
    for (const auto& note : ending.notes) {
      const std::string line = launch.size > 1 ? fmt::format("rank {}: {}", ending.rank, note) : note;
      if (std::find(notes.begin(), notes.end(), line) == notes.end()) notes.push_back(line);
    }
  note_missing_ranks(meeting, endings, launch, options, notes);
}

Exit leave_faults(const Launch& launch, const LaunchMeeting& meeting, const std::function<Exit()>& work) {
  try {
    return work();
  } catch (const Error& error) {
    // Most often all ranks meet the same fault: one tells it.
    const bool first = meeting.first_to_say(error.what());
    meeting.leave({launch.rank, "", static_cast<int>(error.code()), {}});
    constexpr double patience_seconds = 2;
    if (launch.rank == 0) meeting.gather(patience_seconds);
    throw Error(error.code(), first ? error.what() : "");
  }
}

std::vector<fs::path> process_files(const LaunchMeeting& meeting) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(meeting.folder()))
    if (const auto name = file.path().filename().string();
        name.starts_with("rank-") && name.find(".json") != name.npos && !name.ends_with(".partial"))
      files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

int rank_in(const fs::path& process_file) { return std::stoi(process_file.filename().string().substr(std::strlen("rank-"))); }

bool show_profile(const ProfileOptions& options, const std::string& json, const std::string& text) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that is gone is an error to be told, not the end
  try {
    if (!options.output.empty()) write_output(options.output, json + "\n");
  } catch (const Error&) {
    say(options.json ? json + "\n" : text);  // a full disk does not cost what was measured
    throw;
  }
  return say(options.json ? json + "\n" : text);
}

}  // namespace plumbline::app
