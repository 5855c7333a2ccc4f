// The command plumbline profile runs a program twice, natively with samples and under the emulator with counts, and places its functions
// under this machine's roofs.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "app/here/paths.hpp"
#include "app/programs/emulated_counts.hpp"
#include "app/programs/kept_roofs.hpp"
#include "app/programs/placed_table.hpp"
#include "app/programs/profile_columns.hpp"
#include "app/results/intensity.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/output_file.hpp"
#include "core/error.hpp"
#include "core/json_text.hpp"
#include "machine/publishable.hpp"
#include "measure/clock.hpp"
#include "model/ceilings/ceilings.hpp"
#include "profile/program.hpp"
#include "profile/timer_samples.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct NativeRun {
  ProgramEnding ending;
  Samples samples;
  double clock_hz;   // of the core, right after it
  std::string note;  // where the samples are not perf_event's
};

/// `why_wanted`: the refusal of perf_event.
fs::path find_timer_library(const std::string& why_wanted) {
  constexpr const char* library = "libplumbline_cpu_timer.so";
  const fs::path here = program_path().parent_path();
  for (const auto& folder : {here, here / ".." / "lib"})
    if (fs::exists(folder / library)) return fs::canonical(folder / library);
  throw user_error(
      fmt::format("the program cannot be sampled: {}{} is neither beside plumbline nor in ../lib; profile --count-only counts "
                  "without times",
                  why_wanted.empty() ? "" : why_wanted + "; and ", library));
}

NativeRun run_by_timers(const ProfileOptions& options, const fs::path& program, const LaunchMeeting& meeting, const std::string& why,
                        Symbols& symbols) {
  const TimerSampler sampler(find_timer_library(why), meeting.folder() / "samples");
  const ProgramEnding ending = run_program({.file = program, .words = options.command, .environment = sampler.environment()});
  const double clock_hz = core_clock_hz();
  Samples samples = sampler.take(symbols);
  std::string note = fmt::format(
      "times are by timers in the program's own threads (LD_PRELOAD), one sample every {}{}; what is linked statically or set-uid is not "
      "met",
      duration(samples.seconds_each), why.empty() ? "" : ", for the system refuses " + why);
  return {ending, std::move(samples), clock_hz, std::move(note)};
}

NativeRun run_natively(const ProfileOptions& options, const LaunchMeeting& meeting, Symbols& symbols) {
  const fs::path program = find_program(options.command.front());
  const std::string refusal = options.sampling == "auto" ? why_no_perf_event() : "";
  if (!refusal.empty() || options.sampling == "timer") return run_by_timers(options, program, meeting, refusal, symbols);
  Sampler sampler(symbols);
  const ProgramEnding ending = run_program({.file = program, .words = options.command, .environment = {}});
  return {ending, sampler.take(), core_clock_hz(), ""};
}

/// Standard input before the program reads it: the second run begins at the same place of the same file.
class Input {
 public:
  Input() {
    struct stat facts {};
    if (fstat(STDIN_FILENO, &facts) != 0) return;
    is_file_ = S_ISREG(facts.st_mode);
    is_used_up_ = S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode) || isatty(STDIN_FILENO) == 1;
    if (is_file_) begin_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
  }
  void give_again(ToolCommand& tool, std::vector<std::string>& notes) const {
    tool.input = is_file_ ? fmt::format("/proc/{}/fd/0", getpid()) : "/dev/null";
    tool.input_begin = begin_;
    if (is_used_up_)
      notes.emplace_back("standard input was a pipe or a terminal, which the timed run had to itself: the counted run had none");
  }

 private:
  bool is_file_ = false, is_used_up_ = false;
  std::int64_t begin_ = 0;
};

/// The last line that a program said on its standard error, in parentheses; empty where it said none.
std::string last_words(const fs::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last.empty() ? "" : fmt::format(" ({})", printable(last.substr(0, 200)));
}

/// Says why counts and times are not of the same work; empty where they are.
std::string why_not_joined(const NativeRun& native, const EmulatedEnding& counted, const fs::path& counted_errors) {
  if (native.ending.interrupted != 0)
    return fmt::format("signal {} ended the timed run, and nothing was counted", native.ending.interrupted);
  if (counted.interrupted != 0) return fmt::format("signal {} ended the counted run", counted.interrupted);
  if (counted.refused) return counted.fault;
  if (native.ending.code == counted.code) return "";
  return fmt::format("the timed run ended with exit {}, the counted one with exit {}{}: they did not do the same", native.ending.code,
                     counted.code, last_words(counted_errors));
}

void note_samples(const NativeRun& native, const TimedProfile& profile, std::vector<std::string>& notes) {
  constexpr std::uint64_t fewest = 100;
  constexpr double apart = 0.05, least_seconds = 0.02;
  if (!native.note.empty()) notes.push_back(native.note);
  if (profile.whole.sum.samples < fewest)
    notes.push_back(fmt::format("only {} samples were taken, one every {} of CPU time: shares are rough, take a longer case",
                                profile.whole.sum.samples, duration(native.samples.seconds_each)));
  if (native.samples.lost > 0) notes.push_back(fmt::format("{} samples found no room and are missing", native.samples.lost));
  const double sampled = profile.whole.cpu_seconds, user = native.ending.user_seconds;
  if (std::abs(sampled - user) > std::max(apart * user, least_seconds))
    notes.push_back(
        fmt::format("samples stand for {} of CPU time in user mode, and the system tells {}: what runs for less than a "
                    "millisecond at a time is not met ({} processes and {} threads were started), so that shares are of the "
                    "rest",
                    duration(sampled), duration(user), native.samples.processes, native.samples.threads));
  double waiting = 0;
  for (const TimedFunction& function : profile.functions)
    if (waits_for_threads(function)) waiting += share_of(function.sum.samples, profile.whole.sum.samples).part;
  if (waiting > apart)
    notes.push_back(
        fmt::format("{:.0f} % of the time OpenMP's library was at work, which is mostly waiting for other threads", 100 * waiting));
}

/// Says in what the runs differ that were joined.
void note_differences(const NativeRun& native, const PlacedProgram& placed, std::vector<std::string>& notes) {
  constexpr double much = 0.01, fewest_a_cycle = 0.05, most_a_cycle = 8;
  const TimedProfile& profile = placed.program.profile;
  if (profile.uncounted_part > much) {
    std::string names;
    for (const TimedFunction& function : profile.functions)
      if (!function.counts && function.sum.samples > 0 && std::ranges::count(names, ',') < 2)
        names += (names.empty() ? "" : ", ") + function.name;
    notes.push_back(fmt::format(
        "{:.1f} % of the time was spent in functions that the counted run did not execute ({}, ...): libraries choose code by the CPU, and "
        "the emulator's is one of AVX2 (OPENBLAS_CORETYPE=Haswell and the like make both runs choose the same)",
        100 * profile.uncounted_part, names));
  }
  const Profile& counted = placed.counted.profile;
  if (counted.processes != native.samples.processes || counted.threads != native.samples.threads)
    notes.push_back(fmt::format("the timed run had {} processes and {} threads, the counted one {} and {}: they may not have done the same",
                                native.samples.processes, native.samples.threads, counted.processes, counted.threads));
  const double a_cycle = event(placed.program.total, "instructions").value_or(absent) / (native.ending.user_seconds * native.clock_hz);
  if (profile.whole.sum.samples >= fewest_samples && (a_cycle < fewest_a_cycle || a_cycle > most_a_cycle))
    notes.push_back(
        fmt::format("{} instructions were counted for each cycle of the timed run: hardly did both do the same", plain(a_cycle)));
}

void write_results(const ProfileOptions& options, const Results& results) {
  const Intensities derived = derived_intensities(results);
  write_store(options.output, results, &derived);
}

PlacedProgram join_runs(const ProfileOptions& options, const NativeRun& native, ProfileResult counted, std::string why_not,
                        Symbols& symbols) {
  PlacedProgram placed{
      .program = {.name = fs::path(options.command.front()).filename().string(), .clock_hz = native.clock_hz, .ending = native.ending},
      .counted = std::move(counted),
      .placements = {},
      .loops = {},
      .notes = {}};
  ProfiledProgram& program = placed.program;
  program.why_not_joined = std::move(why_not);
  const bool joined = program.why_not_joined.empty();
  program.profile = join(native.samples, joined ? placed.counted.profile : Profile{}, symbols);
  if (joined) program.total = placed.counted.profile.total;
  const auto is_small = [&](const TimedCode& code) { return !is_worth_a_row(code, program.total); };
  std::erase_if(program.profile.functions, is_small);
  for (TimedFunction& function : program.profile.functions) std::erase_if(function.loops, is_small);
  return placed;
}

/// The placements in the order of the cases' table, which is the program's: the whole, then functions by time.
std::vector<RooflinePlacement> in_order_of_cases(const Results& results, std::vector<RooflinePlacement> placements) {
  std::vector<RooflinePlacement> ordered(results.cases.size());
  for (auto& placement : placements) ordered[static_cast<std::size_t>(placement.of->row)] = std::move(placement);
  return ordered;
}

PlacedLoops place_loops(const ProfiledProgram& program, const Results& roofs, const std::vector<Ceiling>& ceilings) {
  PlacedLoops loops{.results = loop_results(program, roofs)};
  loops.placements = in_order_of_cases(loops.results, place(measurements_of(loops.results), ceilings));
  return loops;
}

/// Names the functions of much time whose loops have no lines.
void note_loops_without_lines(const TimedProfile& profile, std::vector<std::string>& notes) {
  constexpr double much = 0.05;
  std::string names;
  for (const TimedFunction& function : profile.functions)
    if (function.loops_without_line > 0 && function.loops.empty() && std::ranges::count(names, ',') < 2 &&
        share_of(function.sum.samples, profile.whole.sum.samples).part > much)
      names += (names.empty() ? "" : ", ") + function.name;
  if (!names.empty())
    notes.push_back(fmt::format(
        "loops of {} have no source lines, for there is no debug information: build with -g, or install the package's (-dbgsym)", names));
}

/// A place without counts says why here they are missing: the roofline would look for them in other flavors.
void explain_missing_counts(PlacedProgram& placed) {
  const auto& functions = placed.program.profile.functions;
  for (std::size_t i = 0; i < placed.placements.size(); ++i)
    if (!(i == 0 ? placed.program.why_not_joined.empty() : functions[i - 1].counts.has_value())) {
      placed.placements[i].status = Status::unavailable;
      placed.placements[i].reason = why_no_counts(placed.program);
    }
}

std::string provenance_of(const PlacedProgram& placed) {
  return json_text(Json{{"profiled", {{"command", placed.counted.command}, {"caches", placed.counted.caches}, {"notes", placed.notes}}}});
}

/// Shows all, and writes a result file where that is asked for. False: the tables could not be shown.
bool show_placed(const ProfileOptions& options, const PlacedProgram& placed, const Results& results) {
  ProfileOptions shown = options;
  const bool is_store = options.output.ends_with(".h5");
  if (is_store) shown.output.clear();
  const bool told = show_profile(shown, placed_json(placed, options.output), placed_text(placed));
  if (is_store) write_results(options, results);
  return told;
}

}  // namespace

Exit profile_and_place(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  if (launch.size > 1)
    throw user_error(
        "profile places one process and what it starts; ranks are counted by --count-only (mpiexec -n 4 plumbline profile --count-only -- "
        "program), and their times are not taken yet");
  EmulatedRun emulated = prepare_emulated(options, launch, meeting);
  Symbols symbols;
  Roofs roofs = find_roofs(options.roofs);
  if (roofs.interrupted != 0) return static_cast<Exit>(128 + roofs.interrupted);
  std::vector<std::string> notes;
  const Input input;
  const NativeRun native = run_natively(options, meeting, symbols);
  if (native.ending.code != 0) tell(how_it_ended(native.ending), options, meeting);
  EmulatedEnding counted{.code = native.ending.code};
  const fs::path errors = meeting.folder() / "counted.errors";
  if (native.ending.interrupted == 0) {
    input.give_again(emulated.tool, notes);
    emulated.tool.tool_options.emplace_back("--loops=yes");
    emulated.tool.output = "/dev/null", emulated.tool.errors = errors.string();
    counted = run_emulated(emulated, meeting, launch.rank);
  }
  const std::string why_not = why_not_joined(native, counted, errors);
  meeting.leave({launch.rank, "", counted.code, counted.notes});
  PlacedProgram placed = join_runs(options, native, collect_counts(options, launch, meeting, emulated), why_not, symbols);
  note_samples(native, placed.program.profile, notes);
  if (why_not.empty())
    note_differences(native, placed, notes), note_loops_without_lines(placed.program.profile, notes);
  else
    notes.push_back("times and counts are not joined: " + why_not);
  for (const auto& source : {roofs.notes, placed.counted.notes}) notes.insert(notes.end(), source.begin(), source.end());
  placed.notes = std::move(notes);
  Results results = program_results(placed.program, std::move(roofs.results));
  results.provenance = provenance_of(placed);
  const auto ceilings = fit_ceilings(results.ceilings, node_facts(results, placed.notes));
  placed.placements = in_order_of_cases(results, place(measurements_of(results), ceilings));
  placed.loops = place_loops(placed.program, results, ceilings);
  explain_missing_counts(placed);
  const bool told = show_placed(options, placed, results);
  if (native.ending.code != 0) return static_cast<Exit>(native.ending.code);
  return told && why_not.empty() ? Exit::ok : Exit::io_or_failed_case;
}

}  // namespace plumbline::app
