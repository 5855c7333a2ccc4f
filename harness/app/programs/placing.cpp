#include "app/programs/placing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "app/programs/stored_profile.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/streams.hpp"
#include "machine/cpu.hpp"
#include "model/ceilings/ceilings.hpp"
#include "profile/runtime_libraries.hpp"

namespace plumbline::app {
namespace {

int number_of_nodes(const std::vector<NativeRank>& ranks) {
  std::set<std::string> hosts;
  for (const auto& rank : ranks) hosts.insert(rank.host);
  return static_cast<int>(std::max<std::size_t>(1, hosts.size()));
}

/// Says what both runs cost, where that is known.
void note_cost(const ProgramRuns& runs, std::vector<std::string>& notes) {
  const double read = runs.native.samples.reading_seconds, native = runs.native.ending.wall_seconds, counted = runs.counted_seconds;
  std::string note = read > 0 ? fmt::format("following the samples took {} of CPU time beside the program", duration(read)) : "";
  if (counted > 0)
    note += fmt::format("{}the counted run took {}, {} times as long as the timed one", note.empty() ? "" : "; ", duration(counted),
                        plain(counted / native));
  if (!note.empty()) notes.push_back(std::move(note));
}

void note_samples(bool is_whole, const NativeRun& native, const TimedProfile& profile, std::vector<std::string>& notes) {
  constexpr std::uint64_t fewest = 100;
  constexpr double apart = 0.05, least_seconds = 0.02, much_unnamed = 0.1;
  if (!native.note.empty()) notes.push_back(native.note);
  if (profile.whole.sum.samples < fewest)
    notes.push_back(fmt::format("only {} samples were taken, one every {} of CPU time: shares are rough, take a longer case",
                                profile.whole.sum.samples, duration(native.samples.seconds_each)));
  if (native.samples.lost > 0) notes.push_back(fmt::format("{} samples found no room and are missing", native.samples.lost));
  const double sampled = profile.whole.cpu_seconds, user = native.ending.user_seconds;
  if (is_whole && std::abs(sampled - user) > std::max(apart * user, least_seconds))
    notes.push_back(fmt::format(
        "samples stand for {} of CPU time in user mode, and the system tells {}: {} is not met ({} process{} and {} thread{} were "
        "there), so that shares are of the rest",
        duration(sampled), duration(user),
        native.note.empty() ? "what runs for less than a millisecond at a time" : "what has no timer, or runs for less than its distance",
        native.samples.processes, native.samples.processes == 1 ? "" : "es", native.samples.threads,
        native.samples.threads == 1 ? "" : "s"));
  double waiting = 0, unnamed = 0;
  for (const TimedFunction& function : profile.functions)
    if (runs_threads(function.object))
      waiting += share_of(function.sum.samples, profile.whole.sum.samples).part;
    else if (!function.is_named())
      unnamed += share_of(function.sum.samples, profile.whole.sum.samples).part;
  if (unnamed > much_unnamed)
    notes.push_back(fmt::format(
        "{:.0f} % of the time was spent in functions without a name, whose files are stripped: their debug symbols (of Debian the packages "
        "NAME-dbgsym) name them",
        100 * unnamed));
  if (waiting > apart)
    notes.push_back(
        fmt::format("{:.0f} % of the time OpenMP's library was at work, which is mostly waiting for other threads", 100 * waiting));
}

/// Says in what the runs differ that were joined.
void note_differences(const ProfileOptions& options, const NativeRun& native, const PlacedProgram& placed,
                      std::vector<std::string>& notes) {
  constexpr double much = 0.01, fewest_a_cycle = 0.05, most_a_cycle = 8;
  const TimedProfile& profile = placed.program.profile;
  if (profile.uncounted_part > much) {
    constexpr std::size_t most_names = 3;
    std::vector<std::string> names;
    for (const TimedFunction& function : profile.functions)
      if (!function.counts && function.sum.samples > 0) names.push_back(function.name);
    if (names.size() > most_names) names.resize(most_names), names.emplace_back("...");
    notes.push_back(fmt::format(
        "{:.1f} % of the time was spent in functions that the counted run did not execute ({}): libraries choose code by the CPU, and the "
        "emulator's is one of AVX2{}",
        100 * profile.uncounted_part, fmt::join(names, ", "),
        options.avx2 ? "" : " (--avx2 makes both runs choose that where OpenBLAS, MKL, oneDNN, XLA and their like choose)"));
  }
  const Profile& counted = placed.counted.profile;
  if (options.window.is_whole() && (counted.processes != native.samples.processes || counted.threads != native.samples.threads))
    notes.push_back(
        fmt::format("the timed run had {} process{} and {} thread{}, the counted one {} and {}: they may not have done the same",
                    native.samples.processes, native.samples.processes == 1 ? "" : "es", native.samples.threads,
                    native.samples.threads == 1 ? "" : "s", counted.processes, counted.threads));
  const double a_cycle = event(placed.program.total, "instructions").value_or(absent) / (placed.program.cpu_seconds() * native.clock_hz);
  if (profile.whole.sum.samples >= fewest_samples && (a_cycle < fewest_a_cycle || a_cycle > most_a_cycle))
    notes.push_back(
        fmt::format("{} instructions were counted for each cycle of the timed run: hardly did both do the same", plain(a_cycle)));
}

/// Whether other threads surely worked while a region was open: they had more CPU time than all the program's threads can have beside it.
/// Of one rank.
bool others_worked_beside(const TimedRegion& region, const PlacedProgram& placed) {
  constexpr double much = 0.05;
  const ProfiledProgram& program = placed.program;
  int threads = 0;
  for (const auto& rank : placed.counted.profile.ranks) threads += rank.threads;
  const double at_once = std::min(threads, static_cast<int>(std::thread::hardware_concurrency()));
  const double all = program.profile.whole.cpu_seconds, others = all - region.cpu_seconds;
  const double beside = std::max(0.0, program.seconds() - region.seconds) * at_once;
  return program.ranks == 1 && region.why_no_time.empty() && others > beside + much * all;
}

/// Says of regions what their times do not; what is the same of several is said once.
void note_regions(const ProgramRuns& runs, const PlacedProgram& placed, std::vector<std::string>& notes) {
  constexpr double much = 0.02;
  const TimedRegions& timed = runs.native.regions;
  if (timed.lost > 0) notes.push_back(fmt::format("{} entries of regions found no room and are missing", timed.lost));
  std::map<std::string, std::vector<std::string>> untimed, uncounted;  // names by reason
  std::vector<std::string> brief, alone;
  for (const TimedRegion& region : placed.program.regions) {
    const std::string name = fmt::format("'{}'", region.name);
    if (!region.why_no_time.empty()) untimed[region.why_no_time].push_back(name);
    if (!region.why_no_counts.empty() && placed.program.why_not_joined.empty()) uncounted[region.why_no_counts].push_back(name);
    if (region.counts && others_worked_beside(region, placed)) alone.push_back(name);
    const double each = region.seconds * region.sum.cores / static_cast<double>(region.entries);
    if (region.why_no_time.empty() && timed.mark_seconds > much * each)
      brief.push_back(fmt::format("{} ({} entr{} of {} each)", name, region.entries, region.entries == 1 ? "y" : "ies", duration(each)));
  }
  for (const auto& [why, names] : untimed) notes.push_back(fmt::format("not timed: region {}: {}", fmt::join(names, ", "), why));
  for (const auto& [why, names] : uncounted) notes.push_back(fmt::format("times alone: region {}: {}", fmt::join(names, ", "), why));
  if (!alone.empty())
    notes.push_back(fmt::format(
        "counted in the threads that entered it alone, while others worked beside them: region {}; around a parallel loop mark in "
        "each thread",
        fmt::join(alone, ", ")));
  if (!brief.empty())
    notes.push_back(fmt::format("short beside its marks, which cost {} besides each time, of which some is in it: region {}",
                                duration(timed.mark_seconds), fmt::join(brief, ", ")));
}

/// Says where a window of entries opened less often than it might have.
void note_missing_entries(const RunWindow& window, const NativeRun& native, std::vector<std::string>& notes) {
  const auto found = std::ranges::find(native.regions.regions, window.region, &RegionTimes::name);
  if (window.last == 0 || found == native.regions.regions.end()) return;
  const std::uint64_t wanted = window.last - window.first + 1;
  const auto threads = static_cast<std::uint64_t>(std::max(found->threads, 1));
  if (found->entries < wanted * threads)
    notes.push_back(fmt::format("--window: entries {} to {} of region '{}' are asked for, {} of {}, and it was entered {} times there",
                                window.first, window.last, window.region, wanted,
                                threads == 1 ? "its thread" : fmt::format("each of {} threads", threads), found->entries));
}

/// Says what the counts of a window are not.
void note_window(const ProfileOptions& options, const NativeRun& native, const PlacedProgram& placed, std::vector<std::string>& notes) {
  if (options.window.is_of_time())
    notes.emplace_back(
        "--window: regions are not told, since the times of their entries are not cut (--window=region:NAME cuts by entries)");
  note_missing_entries(options.window, native, notes);
  if (options.window.region.empty() || !placed.program.why_not_joined.empty() || options.caches == "no") return;
  notes.emplace_back("--window: the simulated caches stand still outside of the window, and are empty where it opens for the first time");
}

/// Says that counts are those of a model.
void note_scaled_work(const ProfileOptions& options, std::vector<std::string>& notes) {
  if (options.scale_work != 1)
    notes.push_back(
        fmt::format("--scale-work: every count is that of a smaller input times {:g}, which nobody has checked; bytes below L1 "
                    "are those of the smaller one's caches, times the same",
                    options.scale_work));
}

PlacedProgram join_runs(const ProfileOptions& options, ProgramRuns& runs, Symbols& symbols) {
  const std::string cpu = runs.counted.timed.empty() ? this_cpu().name : runs.counted.timed.front().cpu;
  PlacedProgram placed{.program = {.name = runs.name,
                                   .ranks = static_cast<int>(std::max<std::size_t>(1, runs.counted.timed.size())),
                                   .nodes = number_of_nodes(runs.counted.timed),
                                   .clock_hz = runs.native.clock_hz,
                                   .ending = runs.native.ending,
                                   .why_not_joined = runs.why_not_joined,
                                   .window = options.window.text,
                                   .window_seconds = runs.native.window_seconds,
                                   .work_scale = options.scale_work},
                       .counted = std::move(runs.counted),
                       .placements = {},
                       .loops = {},
                       .notes = {},
                       .count_arguments = options.count_arguments,
                       .cpu = cpu};
  ProfiledProgram& program = placed.program;
  const bool joined = program.why_not_joined.empty();
  program.profile = join(runs.native.samples, joined ? placed.counted.profile : Profile{}, symbols);
  if (joined) program.total = placed.counted.profile.total;
  program.regions = join_regions(runs.native.regions, placed.counted.profile.regions, program.why_not_joined);
  const auto is_small = [&](const TimedCode& code) { return !is_worth_a_row(code, program.total); };
  std::erase_if(program.profile.functions, is_small);
  for (TimedFunction& function : program.profile.functions) std::erase_if(function.loops, is_small);
  return placed;
}

/// The placements in the order of the cases' table, which is the program's: the whole, then functions by time, then regions.
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

/// Leaves loops without a bound: reuse distances are counted of functions and regions, and L1 and arithmetic alone would bind.
void leave_unbound(PlacedLoops& loops) {
  for (RooflinePlacement& one : loops.placements) {
    one.bound.clear(), one.bound_ceiling.clear();
    one.roof_gflops = one.percent_of_roof = absent;
    one.bound_status = Status::unavailable;
    one.bound_reason = "reuse distances are of functions and regions: what a loop moves behind L1 is not known";
  }
}

/// Names the functions of much time whose loops have no lines.
void note_loops_without_lines(const TimedProfile& profile, std::vector<std::string>& notes) {
  constexpr double much = 0.05;
  std::string names;
  for (const TimedFunction& function : profile.functions)
    if (function.loops_without_line > 0 && function.loops.empty() && std::ranges::count(names, ',') < 2 &&
        !is_for_waiting(function.object) && share_of(function.sum.samples, profile.whole.sum.samples).part > much)
      names += (names.empty() ? "" : ", ") + function.name;
  if (!names.empty())
    notes.push_back(fmt::format(
        "loops of {} have no source lines, for there is no debug information: build with -g, or install the package's (-dbgsym)", names));
}

/// A place without counts says why here they are missing: the roofline would look for them in other flavors.
void explain_missing_counts(PlacedProgram& placed) {
  const auto explain = [&](std::size_t i, const std::string& why) {
    placed.placements[i].status = Status::unavailable, placed.placements[i].reason = why;
  };
  const auto& functions = placed.program.profile.functions;
  if (!placed.program.why_not_joined.empty()) explain(0, placed.program.why_not_joined);
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (!functions[i].counts) explain(1 + i, why_no_counts(placed.program));
  for (std::size_t i = 0; i < placed.program.regions.size(); ++i)
    if (!placed.program.regions[i].counts) explain(1 + functions.size() + i, placed.program.regions[i].why_no_counts);
}

/// Shows all, and writes a result file where that is asked for. False: the tables could not be shown.
bool show_placed(const ProfileOptions& options, const PlacedProgram& placed, Results results) {
  ProfileOptions shown = options;
  const bool is_store = options.output.ends_with(".h5");
  if (is_store) shown.output.clear();
  const bool told = show_profile(shown, placed_json(placed, options.output), placed_text(placed));
  if (is_store) write_profile(options.output, std::move(results), placed_rows(placed), words_of(placed));
  return told;
}

}  // namespace

Exit place_and_show(const ProfileOptions& options, ProgramRuns runs, Symbols& symbols) {
  end_if_signalled();
  PlacedProgram placed = join_runs(options, runs, symbols);
  std::vector<std::string> notes = std::move(runs.notes);
  if (const int nodes = placed.program.nodes; nodes > 1)
    notes.push_back(fmt::format("the ranks ran on {} nodes: rates and places under the roofs are those of one node, the mean", nodes));
  note_cost(runs, notes);
  note_samples(options.window.is_whole(), runs.native, placed.program.profile, notes);
  if (placed.program.why_not_joined.empty())
    note_differences(options, runs.native, placed, notes), note_loops_without_lines(placed.program.profile, notes);
  else if (!options.time_only)
    notes.push_back("times and counts are not joined: " + placed.program.why_not_joined);
  note_regions(runs, placed, notes);
  note_window(options, runs.native, placed, notes);
  note_scaled_work(options, notes);
  if (options.caches == "no" && placed.program.why_not_joined.empty() && !runs.roofs.results.ceilings.empty())
    notes.emplace_back(
        "bounds are of arithmetic and L1 alone: without simulated caches (--caches=no) nobody knows what crosses the others");
  for (const auto& source : {runs.roofs.notes, placed.counted.notes}) notes.insert(notes.end(), source.begin(), source.end());
  const std::string why_not_less = runs.minus ? subtract(*runs.minus, placed, notes) : "";
  if (!why_not_less.empty()) {
    say(fmt::format("plumbline: --subtract: nothing was taken away: {}\n", why_not_less));
    notes.insert(notes.begin(), "--subtract: nothing was taken away, all of this is the whole run's: " + why_not_less);
  }
  placed.notes = std::move(notes);
  Results results = program_results(placed.program, std::move(runs.roofs.results));
  const auto ceilings = fit_ceilings(results.ceilings, node_facts(results, placed.notes));
  placed.placements = in_order_of_cases(results, place(measurements_of(results), ceilings));
  placed.loops = place_loops(placed.program, results, ceilings);
  if (placed.counted.profile.reuse) leave_unbound(placed.loops);
  explain_missing_counts(placed);
  const bool told = show_placed(options, placed, std::move(results));
  if (runs.native.ending.code != 0) return static_cast<Exit>(runs.native.ending.code);
  if (!why_not_less.empty()) return Exit::user_error;
  return told && runs.is_whole && (options.time_only || placed.program.why_not_joined.empty()) ? Exit::ok : Exit::io_or_failed_case;
}

}  // namespace plumbline::app
