#include "app/programs/sampled_run.hpp"

#include <fmt/format.h>

#include <optional>

#include "app/here/paths.hpp"
#include "app/terminal/table.hpp"
#include "core/error.hpp"
#include "measure/clock.hpp"
#include "profile/program.hpp"
#include "profile/timer_samples.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

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

NativeRun run_by_timers(ProgramRun program, const fs::path& folder, const std::string& why, Symbols& symbols) {
  const TimerSampler sampler(find_timer_library(why), folder);
  program.environment = sampler.environment();
  NativeRun run{.ending = run_program(program)};
  run.clock_hz = core_clock_hz();
  run.samples = sampler.take(symbols);
  run.note = fmt::format(
      "times are by timers in the program's own threads (LD_PRELOAD), one sample every {}{}; what is linked statically or set-uid is not "
      "met",
      duration(run.samples.seconds_each), why.empty() ? "" : ", for the system refuses " + why);
  return run;
}

}  // namespace

NativeRun run_sampled(const ProfileOptions& options, const fs::path& folder, Symbols& symbols) {
  const std::string& name = options.command.front();
  const ProgramRun program{.file = options.time_only ? locate_program(name, "--time-only") : find_program(name), .words = options.command};
  std::string refusal = options.sampling == "auto" ? why_no_perf_event() : "";
  std::optional<Sampler> sampler;
  if (options.sampling == "perf")
    sampler.emplace(symbols);
  else if (options.sampling == "auto" && refusal.empty())
    try {
      sampler.emplace(symbols);
    } catch (const Error&) {  // users share what Linux lets them lock
      refusal = "memory for perf_event's samples (kernel.perf_event_mlock_kb)";
    }
  if (!sampler) return run_by_timers(program, folder, refusal, symbols);
  NativeRun run{.ending = run_program(program)};
  run.samples = sampler->take();
  run.clock_hz = core_clock_hz();
  return run;
}

}  // namespace plumbline::app
