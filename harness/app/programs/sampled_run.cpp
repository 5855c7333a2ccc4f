#include "app/programs/sampled_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/programs/own_library.hpp"
#include "app/terminal/table.hpp"
#include "core/error.hpp"
#include "measure/clock.hpp"
#include "profile/preloading.hpp"
#include "profile/program.hpp"
#include "profile/region_times.hpp"
#include "profile/timer_samples.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// `why_wanted`: the refusal of perf_event.
fs::path find_timer_library(const std::string& why_wanted) {
  constexpr const char* library = "libplumbline_cpu_timer.so";
  if (fs::path found = own_library(library); !found.empty()) return found;
  throw user_error(
      fmt::format("the program cannot be sampled: {}{} is neither beside plumbline nor in ../lib; profile --count-only counts "
                  "without times",
                  why_wanted.empty() ? "" : why_wanted + "; and ", library));
}

/// The libraries that are loaded into a program, and what tells each what to do.
struct Preloaded {
  std::vector<fs::path> libraries = {};
  std::vector<SetVariable> environment = {};
  std::string why_no_regions = {};

  void add(const fs::path& library, const std::vector<SetVariable>& variables) {
    libraries.push_back(library);
    environment.insert(environment.end(), variables.begin(), variables.end());
  }
  void set(ProgramRun& program) const {
    program.environment = environment;
    if (!libraries.empty()) program.environment.push_back(preloading(libraries));
  }
};

Preloaded with_region_timer(const RunWindow& window, const fs::path& folder) {
  constexpr const char* name = "libplumbline_regions.so";
  Preloaded preloaded;
  const fs::path library = own_library(name);
  if (library.empty())
    preloaded.why_no_regions = fmt::format("{} is neither beside plumbline nor in ../lib", name);
  else if (!is_name_for_loader(library))
    preloaded.why_no_regions = fmt::format("the loader takes no library whose name has a blank or a colon, as {} has", library.string());
  else
    preloaded.add(library, {region_timing(folder)});
  if (const auto variable = region_window(window)) {
    if (library.empty() || !preloaded.why_no_regions.empty())
      throw user_error("--window=region: regions cannot be told apart natively: " + preloaded.why_no_regions);
    preloaded.environment.push_back(*variable);
  }
  return preloaded;
}

/// The things that a run is sampled with.
struct SampledBy {
  fs::path folder;
  Symbols* symbols;
  SampleWindow* window;  // null: the whole run
};

NativeRun run_by_timers(ProgramRun program, Preloaded preloaded, const std::string& why, const SampledBy& by) {
  const fs::path library = find_timer_library(why);
  const TimerSampler sampler(library, by.folder);
  preloaded.add(library, sampler.environment());
  preloaded.set(program);
  NativeRun run{.ending = run_program(program)};
  run.clock_hz = core_clock_hz();
  run.samples = sampler.take(*by.symbols, by.window);
  run.note = fmt::format(
      "times are by timers in the program's own threads (LD_PRELOAD), one sample every {}{}; what is linked statically or set-uid is not "
      "met",
      duration(run.samples.seconds_each), why.empty() ? "" : ", for the system refuses " + why);
  return run;
}

NativeRun run_natively(const ProfileOptions& options, const Preloaded& preloaded, const SampledBy& by) {
  const std::string& name = options.command.front();
  ProgramRun program{.file = options.time_only ? locate_program(name, "--time-only") : find_program(name), .words = options.command};
  std::string refusal = options.sampling == "auto" ? why_no_perf_event() : "";
  std::optional<Sampler> sampler;
  if (options.sampling == "perf")
    sampler.emplace(*by.symbols, by.window);
  else if (options.sampling == "auto" && refusal.empty())
    try {
      sampler.emplace(*by.symbols, by.window);
    } catch (const Error&) {  // users share what Linux lets them lock
      refusal = "memory for perf_event's samples (kernel.perf_event_mlock_kb)";
    }
  if (!sampler) return run_by_timers(program, preloaded, refusal, by);
  preloaded.set(program);
  NativeRun run{.ending = run_program(program)};
  run.samples = sampler->take();
  run.clock_hz = core_clock_hz();
  return run;
}

/// The time that the window was open; 0 where it never was, or the whole run is wanted.
double window_seconds(const RunWindow& window, const NativeRun& run) {
  if (window.is_of_time()) return std::max(0.0, std::min(window.end_seconds, run.ending.wall_seconds) - window.begin_seconds);
  const auto found = std::ranges::find(run.regions.regions, window.region, &RegionTimes::name);
  return window.is_whole() || found == run.regions.regions.end() ? 0 : found->seconds;
}

}  // namespace

NativeRun run_sampled(const ProfileOptions& options, const fs::path& folder, Symbols& symbols) {
  const Preloaded preloaded = with_region_timer(options.window, folder);
  SampleWindow window(options.window, folder);
  NativeRun run = run_natively(options, preloaded, {folder, &symbols, options.window.is_whole() ? nullptr : &window});
  run.regions = read_region_times(folder);
  run.regions.why_none = preloaded.why_no_regions;
  run.window_seconds = window_seconds(options.window, run);
  if (options.window.is_of_time()) run.regions.regions.clear();  // the times of their entries are not cut
  return run;
}

}  // namespace plumbline::app
