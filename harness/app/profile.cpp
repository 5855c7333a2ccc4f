// plumbline profile: counts what a program does, on all its ranks, processes and threads. The program keeps its standard streams,
// its environment and its exit code; what is told about it goes to standard error.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "app/paths.hpp"
#include "app/profile_table.hpp"
#include "app/streams.hpp"
#include "machine/publishable.hpp"
#include "measure/emulator_installation.hpp"
#include "profile/geometry.hpp"
#include "profile/launch_meeting.hpp"
#include "profile/program.hpp"
#include "profile/tool_log.hpp"
#include "profile/tool_run.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  bool count_only = false, json = false;
  std::string caches = "auto", output, counts;
  std::size_t functions = 10;
  double wait_seconds = 60;
  std::vector<std::string> command;
};

/// What is fixed before the program starts.
struct Preparation {
  ToolCommand tool;
  std::string caches;  // in words
  std::vector<std::string> notes;
};

// ------------------------------------------------------------------------------------------------------------- before

std::string in_words(const CacheGeometry& geometry, int l3_share) {
  std::string text = geometry.name;
  for (const auto& level : geometry.levels)
    text += fmt::format(", {} {} {}-way", level.name, size_in_bytes(static_cast<double>(level.bytes)), level.ways);
  return l3_share > 1 ? fmt::format("{}, of which each rank has one part in {}", text, l3_share) : text;
}

CacheGeometry named_geometry(const std::string& name) {
  const std::string file = find_geometry(name);
  if (!fs::exists(file))
    throw user_error(fmt::format("cannot read the cache geometry '{}': no such file; --caches takes auto, no, a TOML file, or one of {}", name,
                                 fmt::join(geometry_names(), ", ")));
  return geometry_from_file(file);
}

void choose_caches(const ProfileOptions& options, const Launch& launch, Preparation& preparation) {
  if (options.caches == "no") {
    preparation.tool.tool_options = {"--caches=no"};
    return;
  }
  const Topology topology = this_topology();
  const auto geometry = options.caches == "auto" ? geometry_of_machine(topology) : named_geometry(options.caches);
  const int l3_share = ranks_per_l3(topology, launch.local_size);
  preparation.tool.tool_options = geometry_options(geometry);
  if (l3_share > 1) preparation.tool.tool_options.push_back(fmt::format("--l3-share={}", l3_share));
  preparation.caches = in_words(geometry, l3_share);
  preparation.notes = geometry.notes;
}

Preparation prepare(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  Preparation preparation;
  find_program(options.command.front());
  const EmulatorInstallation emulator = find_emulator();
  if (!emulator.availability.ok()) throw user_error("profile --count-only counts by the emulator: " + emulator.availability.reason);
  choose_caches(options, launch, preparation);
  if (launch.rank == 0 && !options.output.empty()) require_writable(options.output);
  preparation.tool.valgrind = emulator.valgrind;
  preparation.tool.tool_directory = emulator.tool_directory;
  preparation.tool.out = meeting.folder() / (meeting.prefix(launch.rank) + "%p.json");
  preparation.tool.log = meeting.folder() / (meeting.prefix(launch.rank) + "%p.log");
  preparation.tool.program = options.command;
  return preparation;
}

// -------------------------------------------------------------------------------------------------- one rank's program

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string ended(const ToolEnding& ending) {
  if (ending.signal != 0)
    return fmt::format("the program was killed by signal {} ({}): exit {}", ending.signal, strsignal(ending.signal), ending.code);
  return fmt::format("the program ended with exit {}", ending.code);
}

/// What the emulator's logs of this rank tell, and what is to be said at once. An AVX-512 program is the user's to rebuild: exit 2.
struct Judgement {
  int code = 0;
  std::string fault;     // one line; empty: none
  bool refused = false;  // the emulator could not run it to its end: what was counted says nothing
  std::vector<std::string> notes;
};

/// One process's log. `is_main`: the program's own, whose end is the launch's.
void judge_log(const ToolLog& log, const std::string& name, bool is_main, const ToolEnding& ending, Judgement& judgement) {
  judgement.notes.insert(judgement.notes.end(), log.remarks.begin(), log.remarks.end());
  const auto refuse = [&](const std::string& why) {
    judgement.refused = true, judgement.code = static_cast<int>(Exit::user_error), judgement.fault = why;
  };
  for (const auto& unknown : log.unknown)
    if (is_main && ending.signal == SIGILL && !unknown.bytes.empty())
      refuse(explain(unknown));
    else
      judgement.notes.push_back(explain(unknown));
  if (log.failure.reason.empty()) return;
  if (is_main) return refuse(explain(log.failure));
  judgement.notes.push_back(fmt::format("process {} of the program has no counts: {}", name, explain(log.failure)));
  if (judgement.code == 0) judgement.code = static_cast<int>(Exit::io_or_failed_case);
}

// A program that is killed takes its counts along; one that comes to its end without any was ended by the emulator.
void judge_silence(const ToolEnding& ending, Judgement& judgement) {
  if (ending.signal != 0 || judgement.refused) return;
  const std::string why = judgement.notes.empty() ? "the emulator wrote no counts" : judgement.notes.back();
  judgement = {static_cast<int>(Exit::user_error), "the emulator ended it: " + why, true, judgement.notes};
}

Judgement judge(const ToolEnding& ending, const LaunchMeeting& meeting, int rank) {
  Judgement judgement{ending.code, ending.code == 0 ? "" : ended(ending), false, {}};
  const std::string main_name = meeting.prefix(rank) + std::to_string(ending.process), main_log = main_name + ".log";
  std::vector<std::string> logs;
  for (const auto& file : fs::directory_iterator(meeting.folder()))
    if (const auto name = file.path().filename().string(); name.starts_with(meeting.prefix(rank)) && name.ends_with(".log"))
      logs.push_back(name);
  // The program's own comes last: its last words are those that count.
  std::sort(logs.begin(), logs.end(), [&](const auto& a, const auto& b) { return std::pair(a == main_log, a) < std::pair(b == main_log, b); });
  for (const auto& name : logs)
    judge_log(read_tool_log(contents(meeting.folder() / name)), fs::path(name).stem().extension().string().substr(1), name == main_log, ending, judgement);
  if (!fs::exists(meeting.folder() / (main_name + ".json"))) judge_silence(ending, judgement);
  return judgement;
}

// ------------------------------------------------------------------------------------------------- the first rank's table

int rank_in(const std::string& file_name) { return std::stoi(file_name.substr(std::strlen("rank-"))); }

std::vector<ProcessCounts> read_processes(const LaunchMeeting& meeting, std::vector<std::string>& notes) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(meeting.folder()))
    if (const auto name = file.path().filename().string(); name.starts_with("rank-") && name.find(".json") != name.npos)
      files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<ProcessCounts> processes;
  for (const auto& file : files) {
    try {
      processes.push_back({rank_in(file.filename().string()), read_tool_report(file)});
    } catch (const Error& broken) {
      notes.push_back(broken.what());
    }
  }
  return processes;
}

void note_missing_ranks(ProfileResult& result, const ProfileOptions& options) {
  std::vector<int> missing;
  for (int rank = 0; rank < result.launched; ++rank)
    if (std::none_of(result.endings.begin(), result.endings.end(), [&](const auto& ending) { return ending.rank == rank; }))
      missing.push_back(rank);
  if (!missing.empty())
    result.notes.push_back(
        fmt::format("{} of {} ranks are missing (first: rank {}): no word from them {} s after rank 0's program had ended; "
                    "--wait=SECONDS waits longer",
                    missing.size(), result.launched, missing.front(), options.wait_seconds));
}

void note_open_regions(ProfileResult& result) {
  for (const auto& region : result.profile.regions)
    if (region.open)
      result.notes.push_back(fmt::format("region '{}' was still open when its process ended: counted to the end", region.name));
}

ProfileResult collect(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting, const Preparation& preparation) {
  ProfileResult result;
  const Person person = this_person();
  result.command = publishable(options.command, person);
  result.caches = preparation.caches;
  result.launched = launch.size;
  result.functions = options.functions;
  result.notes = preparation.notes;
  result.endings = meeting.gather(options.wait_seconds);
  result.processes = read_processes(meeting, result.notes);
  for (auto& process : result.processes) process.report.command = publishable(process.report.command, person);
  result.profile = merge(result.processes);
  for (const auto& ending : result.endings)
    for (const auto& note : ending.notes) {
      const std::string line = launch.size > 1 ? fmt::format("rank {}: {}", ending.rank, note) : note;
      if (std::find(result.notes.begin(), result.notes.end(), line) == result.notes.end()) result.notes.push_back(line);
    }
  note_missing_ranks(result, options);
  note_open_regions(result);
  return result;
}

// The file first: whoever reads standard error may be gone. False: the tables could not be written.
bool show(const ProfileOptions& options, const ProfileResult& result) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that is gone is an error to be told, not the end
  if (!options.output.empty()) write_output(options.output, profile_json(result, options.output) + "\n");
  return say(options.json ? profile_json(result, options.output) + "\n" : profile_text(result));
}

// --------------------------------------------------------------------------------------------------------- all together

Exit count(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  const Preparation preparation = prepare(options, launch, meeting);
  const ToolEnding ending = run_under_tool(preparation.tool);
  const Judgement judgement = judge(ending, meeting, launch.rank);
  if (!judgement.fault.empty() && meeting.first_to_say(judgement.fault))
    say(fmt::format("plumbline: {}: {}\n", fs::path(options.command.front()).filename().string(), judgement.fault));
  meeting.leave({launch.rank, "", judgement.code, judgement.notes});
  if (launch.rank != 0) return static_cast<Exit>(judgement.code);
  const ProfileResult result = collect(options, launch, meeting, preparation);
  if (judgement.refused) return static_cast<Exit>(judgement.code);
  const bool shown = show(options, result), whole = shown && static_cast<int>(result.endings.size()) == launch.size;
  return judgement.code == 0 && !whole ? Exit::io_or_failed_case : static_cast<Exit>(judgement.code);
}

Exit profile(const ProfileOptions& options) {
  if (!options.count_only)
    throw user_error(
        "profile without --count-only is not there yet: it would time the program too; --count-only counts it by the emulator");
  if (options.command.empty()) throw user_error("profile needs a program: plumbline profile --count-only -- program args");
  const Launch launch = find_launch(process_environment()).value_or(Launch{});
  const LaunchMeeting meeting(launch, options.counts, (fs::current_path() / options.output).parent_path());
  try {
    return count(options, launch, meeting);
  } catch (const Error& error) {
    // Most often all ranks meet the same fault: one tells it.
    const bool first = meeting.first_to_say(error.what());
    meeting.leave({launch.rank, "", static_cast<int>(error.code()), {}});
    constexpr double patience_seconds = 2;
    if (launch.rank == 0) meeting.gather(patience_seconds);
    throw Error(error.code(), first ? error.what() : "");
  }
}

// ------------------------------------------------------------------------------------------------------ the command line

/// A number from 0 to `most`, as the whole of its text: CLI11 takes -1 for a huge one, and cuts what is too large.
template <class Number>
CLI::Validator up_to(Number most, const std::string& wanted) {
  return CLI::Validator(
      [=](const std::string& text) {
        Number number{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool is_one = error == std::errc{} && end == text.data() + text.size() && number >= 0 && number <= most;
        return is_one ? std::string() : fmt::format("'{}' is not {} from 0 to {}", text, wanted, most);
      },
      "");
}

/// "--caches= -- program" and "-o -- program" would take the -- for their value.
CLI::Validator a_value(const std::string& wanted) {
  return CLI::Validator(
      [=](const std::string& text) { return text.empty() || text == "--" ? fmt::format("it wants {}", wanted) : std::string(); }, "");
}

}  // namespace

void add_profile(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("profile", "counts what a program does: plumbline profile --count-only [options] -- program args");
  auto options = std::make_shared<ProfileOptions>();
  command->add_flag("--count-only", options->count_only, "count by the emulator, without timing (some 10 to 100 times slower than native)");
  command
      ->add_option("--caches", options->caches,
                   "auto: simulate this machine's; no: none; or a geometry (a TOML file, or one of those that come along)")
      ->capture_default_str()
      ->check(a_value("auto, no, or a geometry"));
  command->add_option("--functions", options->functions, "so many functions by FLOPs, and by bytes")
      ->capture_default_str()
      ->check(up_to(1'000'000, "a whole number"));
  command->add_option("-o,--output", options->output, "write JSON to this file")->check(a_value("the name of a file"));
  command->add_flag("--json", options->json, "print JSON in place of the tables, on standard error as they are");
  command->add_option("--counts", options->counts, "leave each process's counts in this folder, which all ranks see")->check(a_value("a folder"));
  command->add_option("--wait", options->wait_seconds, "seconds that rank 0 waits for the other ranks after its own program has ended")
      ->capture_default_str()
      ->check(up_to(1e9, "a number of seconds"));
  command->add_option("program", options->command, "the program and, behind --, its arguments");
  command->positionals_at_end();
  command->callback([&chosen, options] { chosen = [options] { return profile(*options); }; });
}

}  // namespace plumbline::app
