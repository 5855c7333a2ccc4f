#include "app/programs/emulated_counts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>

#include "app/here/paths.hpp"
#include "app/here/this_core.hpp"
#include "app/terminal/output_file.hpp"
#include "machine/publishable.hpp"
#include "measure/emulator_installation.hpp"
#include "profile/geometry.hpp"
#include "profile/placed_report.hpp"
#include "profile/program.hpp"
#include "profile/tool_log.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

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
    throw user_error(fmt::format("cannot read the cache geometry '{}': no such file; --caches takes auto, no, a TOML file, or one of {}",
                                 name, fmt::join(geometry_names(), ", ")));
  return geometry_from_file(file);
}

/// Valgrind takes a % in a file's name for the begin of something else, and two of them for one.
fs::path for_valgrind(const fs::path& folder) {
  std::string name;
  for (const char c : folder.string()) name += c == '%' ? "%%" : std::string(1, c);
  return name;
}

/// --caches as it is meant: a geometry, or "auto", and whether it is simulated or reuse distances are placed on it ("reuse", "reuse:NAME").
struct WantedCaches {
  std::string geometry;
  bool by_reuse = false;

  explicit WantedCaches(const std::string& word) : geometry(word) {
    constexpr std::string_view reuse = "reuse", of_geometry = "reuse:";
    by_reuse = word == reuse || word.starts_with(of_geometry);
    if (by_reuse) geometry = word == reuse ? "auto" : word.substr(of_geometry.size());
  }
};

void choose_caches(const ProfileOptions& options, const Launch& launch, EmulatedRun& preparation) {
  if (options.caches == "no") {
    preparation.tool.tool_options = {"--caches=no"};
    return;
  }
  const Topology topology = this_topology();
  const WantedCaches wanted(options.caches);
  const auto geometry = wanted.geometry == "auto" ? geometry_of_machine(topology) : named_geometry(wanted.geometry);
  const int l3_share = ranks_per_l3(topology, launch.local_size);
  preparation.tool.tool_options = geometry_options(geometry);
  if (const auto core = core_pipes(this_core())) preparation.tool.tool_options.push_back(core_option(*core));
  if (l3_share > 1) preparation.tool.tool_options.push_back(fmt::format("--l3-share={}", l3_share));
  preparation.caches = in_words(geometry, l3_share);
  preparation.notes = geometry.notes;
  if (!wanted.by_reuse) return;
  preparation.tool.tool_options.push_back("--caches=reuse");
  preparation.caches += ", as if fully associative: placed from reuse distances";
  preparation.placed_on = geometry.levels;
  if (preparation.placed_on.size() == 3) preparation.placed_on[2].bytes /= static_cast<std::uint64_t>(l3_share);
}

}  // namespace

void require_counting(const ProfileOptions& options) {
  const EmulatorInstallation emulator = find_emulator();
  if (!emulator.availability.ok()) throw user_error("profile counts by the emulator: " + emulator.availability.reason);
  EmulatedRun unused;
  choose_caches(options, Launch{}, unused);
}

EmulatedRun prepare_emulated(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  EmulatedRun preparation;
  find_program(options.command.front());
  const EmulatorInstallation emulator = find_emulator();
  if (!emulator.availability.ok()) throw user_error("profile counts by the emulator: " + emulator.availability.reason);
  choose_caches(options, launch, preparation);
  if (launch.rank == 0 && !options.output.empty()) require_writable(options.output);
  for (auto& option : counting_options(options.window)) preparation.tool.tool_options.push_back(std::move(option));
  preparation.tool.valgrind = emulator.valgrind;
  preparation.tool.tool_directory = emulator.tool_directory;
  preparation.tool.out = for_valgrind(meeting.folder()) / (meeting.prefix(launch.rank) + "%p.json");
  preparation.tool.log = for_valgrind(meeting.folder()) / (meeting.prefix(launch.rank) + "%p.log");
  preparation.tool.program = options.command;
  if (options.scale_work != 1) {
    preparation.tool.program.resize(1);
    preparation.tool.program.insert(preparation.tool.program.end(), options.count_arguments.begin(), options.count_arguments.end());
  }
  return preparation;
}

// -------------------------------------------------------------------------------------------------- one rank's program

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Judges one process's log. `is_main`: the program's own, whose end is the launch's.
void judge_log(const ToolLog& log, const std::string& name, bool is_main, const ProgramEnding& ending, EmulatedEnding& judgement) {
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
void judge_silence(const ProgramEnding& ending, EmulatedEnding& judgement) {
  if (ending.signal != 0 || judgement.refused) return;
  const std::string why = judgement.notes.empty() ? "the emulator wrote no counts" : judgement.notes.back();
  judgement.code = static_cast<int>(Exit::user_error), judgement.fault = "the emulator ended it: " + why, judgement.refused = true;
}

}  // namespace

EmulatedEnding run_emulated(const EmulatedRun& run, const LaunchMeeting& meeting, int rank) {
  const ProgramEnding ending = run_under_tool(run.tool);
  EmulatedEnding judgement{.code = ending.code,
                           .fault = ending.code == 0 ? "" : how_it_ended(ending),
                           .interrupted = ending.interrupted,
                           .wall_seconds = ending.wall_seconds};
  const std::string main_name = meeting.prefix(rank) + std::to_string(ending.process), main_log = main_name + ".log";
  std::vector<std::string> logs;
  for (const auto& file : fs::directory_iterator(meeting.folder()))
    if (const auto name = file.path().filename().string(); name.starts_with(meeting.prefix(rank)) && name.ends_with(".log"))
      logs.push_back(name);
  // The program's own comes last: its last words are those that count.
  std::sort(logs.begin(), logs.end(),
            [&](const auto& a, const auto& b) { return std::pair(a == main_log, a) < std::pair(b == main_log, b); });
  for (const auto& name : logs)
    judge_log(read_tool_log(contents(meeting.folder() / name)), fs::path(name).stem().extension().string().substr(1), name == main_log,
              ending, judgement);
  if (!fs::exists(meeting.folder() / (main_name + ".json"))) judge_silence(ending, judgement);
  return judgement;
}

// ------------------------------------------------------------------------------------------------- the first rank's table

namespace {

void note_open_regions(ProfileResult& result) {
  for (const auto& region : result.profile.regions)
    if (region.open)
      result.notes.push_back(fmt::format("region '{}' was still open when its process ended: counted to the end", region.name));
}

/// Gives each process the bytes that its reuse distances make on the caches.
void place_by_reuse(const ProfileOptions& options, const Launch& launch, ProfileResult& result) {
  EmulatedRun chosen;
  choose_caches(options, launch, chosen);
  std::set<std::string> conflicts;
  for (ProcessCounts& process : result.processes) {
    place_on(process.report, chosen.placed_on);
    for (auto& place : places_that_may_conflict(process.report, chosen.placed_on)) conflicts.insert(std::move(place));
  }
  for (const std::string& place : conflicts)
    result.notes.push_back(
        fmt::format("lines fall into few sets at a time in {}: conflicts may add to what crosses below, --caches={} simulates them", place,
                    WantedCaches(options.caches).geometry));
}

}  // namespace

ProfileResult collect_counts(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting,
                             const EmulatedRun& preparation) {
  ProfileResult result;
  const Person person = this_person();
  result.command = publishable(options.command, person);
  result.caches = preparation.caches;
  result.launched = launch.size;
  result.functions = options.functions;
  result.notes = preparation.notes;
  result.endings = gather_endings(meeting, options);
  if (!result.endings.empty() && result.caches.empty()) result.caches = result.endings.front().caches;
  result.processes = read_process_files<ProcessCounts>(meeting, read_tool_report, result.notes);
  for (auto& process : result.processes) process.report.command = publishable(process.report.command, person);
  if (WantedCaches(options.caches).by_reuse) place_by_reuse(options, launch, result);
  if (options.scale_work != 1) scale(result.processes, options.scale_work);
  result.profile = merge(result.processes);
  add_rank_notes(meeting, result.endings, launch, options, result.notes);
  note_open_regions(result);
  return result;
}

}  // namespace plumbline::app
