// The command plumbline profile runs a program twice, natively with samples and under the emulator with counts, and places its functions
// under this machine's roofs.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/programs/emulated_counts.hpp"
#include "app/programs/kept_roofs.hpp"
#include "app/programs/placed_table.hpp"
#include "app/results/intensity.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/output_file.hpp"
#include "core/error.hpp"
#include "machine/publishable.hpp"
#include "measure/clock.hpp"
#include "model/ceilings/ceilings.hpp"
#include "profile/program.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct NativeRun {
  ProgramEnding ending;
  Samples samples;
  double clock_hz;  // of the core, right after it
};

NativeRun run_natively(const ProfileOptions& options) {
  const fs::path program = find_program(options.command.front());
  Sampler sampler;
  const ProgramEnding ending = run_program({.file = program, .words = options.command, .environment = {}});
  return {ending, sampler.take(), core_clock_hz()};
}

/// The input of the second run: the same file from its begin; nothing, where the first run has read what there was.
std::string input_again(std::vector<std::string>& notes) {
  struct stat facts {};
  if (fstat(STDIN_FILENO, &facts) != 0) return "/dev/null";
  if (S_ISREG(facts.st_mode)) return fmt::format("/proc/{}/fd/0", getpid());
  if (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode))
    notes.emplace_back("standard input was a pipe, which the timed run had to itself: the counted run had none; take a file (< FILE)");
  return "/dev/null";
}

void note_samples(const NativeRun& native, const TimedProfile& profile, std::vector<std::string>& notes) {
  constexpr std::uint64_t fewest = 100;
  constexpr double much = 0.01, apart = 0.05;
  if (profile.samples < fewest)
    notes.push_back(
        fmt::format("only {} samples were taken, one a millisecond of CPU time: shares are rough, take a longer case", profile.samples));
  if (native.samples.lost > 0) notes.push_back(fmt::format("{} samples found no room and are missing", native.samples.lost));
  if (profile.uncounted_part > much)
    notes.push_back(fmt::format(
        "{:.1f} % of the time was spent in functions that the counted run did not execute: libraries choose code by the CPU, and the "
        "emulator's is one of AVX2 (OPENBLAS_CORETYPE=Haswell and the like make both runs choose the same)",
        100 * profile.uncounted_part));
  const double sampled = native.samples.seconds_each * static_cast<double>(profile.samples);
  if (const double user = native.ending.user_seconds; profile.samples >= fewest && std::abs(sampled - user) > apart * user)
    notes.push_back(
        fmt::format("samples stand for {} of CPU time in user mode, and the system tells {}", duration(sampled), duration(user)));
}

/// Says in what else than speed the two runs differed. False: so much that their numbers are of different work.
bool are_alike(const NativeRun& native, const EmulatedEnding& counted, std::vector<std::string>& notes) {
  if (native.ending.code == counted.code) return true;
  notes.push_back(
      fmt::format("the timed run ended with exit {}, the counted one with exit {}: they did not do the same, so that counts and "
                  "times are not joined",
                  native.ending.code, counted.code));
  return false;
}

void write_results(const ProfileOptions& options, const Results& results) {
  const Intensities derived = derived_intensities(results);
  write_store(options.output, results, &derived);
}

PlacedProgram place_program(const ProfileOptions& options, NativeRun native, ProfileResult counted, bool joined) {
  Symbols symbols;
  PlacedProgram placed{
      .program = {.name = fs::path(options.command.front()).filename().string(), .clock_hz = native.clock_hz, .ending = native.ending},
      .counted = std::move(counted),
      .placements = {},
      .notes = {}};
  placed.program.profile = join(native.samples, joined ? placed.counted.profile : Profile{}, symbols);
  if (joined) placed.program.total = placed.counted.profile.total;
  std::erase_if(placed.program.profile.functions, [&](const auto& one) { return !is_worth_a_row(one, placed.program.total); });
  return placed;
}

/// The placements in the order of the cases' table, which is the program's: the whole, then functions by time.
std::vector<RooflinePlacement> in_order_of_cases(const Results& results, std::vector<RooflinePlacement> placements) {
  std::vector<RooflinePlacement> ordered(results.cases.size());
  for (auto& placement : placements) ordered[static_cast<std::size_t>(placement.of->row)] = std::move(placement);
  return ordered;
}

std::string provenance_of(const PlacedProgram& placed) {
  return Json{{"profiled", {{"command", placed.counted.command}, {"caches", placed.counted.caches}, {"notes", placed.notes}}}}.dump();
}

}  // namespace

Exit profile_and_place(const ProfileOptions& options, const Launch& launch, const LaunchMeeting& meeting) {
  if (launch.size > 1)
    throw user_error(
        "profile places one process and what it starts; ranks are counted by --count-only (mpiexec -n 4 plumbline profile --count-only -- "
        "program), and their times are not taken yet");
  const bool is_store = options.output.ends_with(".h5");
  EmulatedRun emulated = prepare_emulated(options, launch, meeting);
  Roofs roofs = find_roofs(options.roofs);
  const NativeRun native = run_natively(options);
  if (native.ending.code != 0) tell(how_it_ended(native.ending), options, meeting);
  std::vector<std::string> notes;
  emulated.tool.input = input_again(notes), emulated.tool.output = "/dev/null";
  const EmulatedEnding counted = run_emulated(emulated, meeting, launch.rank);
  if (counted.refused || counted.code != native.ending.code) tell(counted.fault, options, meeting);
  meeting.leave({launch.rank, "", counted.code, counted.notes});
  const bool joined = are_alike(native, counted, notes) && !counted.refused;
  PlacedProgram placed = place_program(options, native, collect_counts(options, launch, meeting, emulated), joined);
  note_samples(native, placed.program.profile, notes);
  for (const auto& source : {roofs.notes, placed.counted.notes}) notes.insert(notes.end(), source.begin(), source.end());
  placed.notes = std::move(notes);
  Results results = program_results(placed.program, std::move(roofs.results));
  results.provenance = provenance_of(placed);
  const auto ceilings = fit_ceilings(results.ceilings, node_facts(results, placed.notes));
  placed.placements = in_order_of_cases(results, place(measurements_of(results), ceilings));
  if (is_store) write_results(options, results);
  ProfileOptions shown = options;
  if (is_store) shown.output.clear();
  const bool told = show_profile(shown, placed_json(placed, options.output), placed_text(placed));
  if (native.ending.code != 0) return static_cast<Exit>(native.ending.code);
  return told && joined ? Exit::ok : Exit::io_or_failed_case;
}

}  // namespace plumbline::app
