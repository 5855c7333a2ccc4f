// The command plumbline profile counts what a program does, on all its ranks, processes and threads. The program keeps its standard
// streams, its environment and its exit code; what is told about it goes to standard error.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <regex>

#include "app/commands/command.hpp"
#include "app/commands/schemas.hpp"
#include "app/expectations/formula.hpp"
#include "app/gpu_kernels/kernel_table.hpp"
#include "app/gpu_kernels/profile_kernels.hpp"
#include "app/programs/own_library.hpp"
#include "app/programs/placed_table.hpp"
#include "app/programs/profile_document.hpp"
#include "app/programs/profile_table.hpp"
#include "app/programs/profile_ways.hpp"
#include "profile/launcher_words.hpp"
#include "profile/signals_noted.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// Whether a text has letters that are not a number's exponent.
bool has_words(const std::string& text) {
  static const std::regex exponent("([0-9.])[eE][+-]?[0-9]"), letter("[A-Za-z_]");
  return std::regex_search(std::regex_replace(text, exponent, "$1"), letter);
}

/// The factor of --scale-work. Throws Error (user).
double factor_in(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    return user_error(fmt::format(
        "--scale-work: '{}' is no factor: {}; give a number, or numbers with + - * / and ( ), as (200/100)*(200/100)", text, why));
  };
  if (has_words(text)) throw refuse("it has words, of which none is known here");
  double factor = 0;
  try {
    const Numbers numbers = evaluate(parse_formula(text, {}), [](const Formula&) { return Numbers{}; });
    if (!numbers.empty()) factor = numbers.front();
  } catch (const FormulaFault& fault) {
    throw refuse(fmt::format("it cannot be read from column {} on", fault.column));
  } catch (const NoValue& why) {
    throw refuse(why.what());
  }
  if (!std::isfinite(factor)) throw refuse("it divides by zero, or is beyond what a number can be");
  if (factor <= 0) throw refuse(fmt::format("it is {:g}, and not above zero", factor));
  return factor;
}

/// Refuses work that is scaled where nothing is, and a smaller input whose work nobody scales.
void require_scaled_work(const ProfileOptions& options) {
  if (options.scale_work == 1 && options.count_arguments.empty()) return;
  if (options.scale_work == 1 || options.count_arguments.empty())
    throw user_error(
        "--count-args gives the counted run a smaller input, and --scale-work says how much more the timed one does: both, or none");
  if (options.count_only || options.time_only || options.gpu || is_known_launcher(options.command.front()))
    throw user_error(
        "--scale-work multiplies counts of the emulator that are joined with times: it goes neither with --count-only, --time-only nor "
        "--gpu, and not with a launcher such as mpiexec");
}

/// An option that does nothing in some way of profiling, and why it is refused there.
struct PartialOption {
  const char* name;
  bool (*applies)(const ProfileOptions&);
  const char* what;
};
constexpr PartialOption partial_options[] = {
    {"--launches", [](const ProfileOptions& options) { return options.gpu; },
     "says how many launches of each GPU kernel are counted: it goes with --gpu alone"},
    {"--caches", [](const ProfileOptions& options) { return !options.gpu && !options.time_only; },
     "says which caches of a CPU are simulated while the emulator counts: it goes neither with --gpu nor with times alone (--time-only, or "
     "--window of a stretch of time)"},
    {"--sampling", [](const ProfileOptions& options) { return !options.gpu && !options.count_only; },
     "says how a program's functions are timed: it goes neither with --gpu nor with --count-only"},
    {"--roofs", [](const ProfileOptions& options) { return options.gpu || !options.count_only; },
     "says under which roofs times are placed: it does not go with --count-only, which has no times"},
    {"--avx2", [](const ProfileOptions& options) { return !options.gpu; },
     "is for libraries whose code for CPUs the emulator shall count: it does not go with --gpu"},
};

/// Whether an option's value leaves things as they are in every way of profiling: "no", "auto".
bool asks_for_nothing(const std::vector<std::string>& values) { return values.size() == 1 && (values[0] == "no" || values[0] == "auto"); }

/// Refuses an option that the user gave and that would do nothing.
void require_options_that_apply(const ProfileOptions& options) {
  for (const auto& option : partial_options)
    if (!option.applies(options) && std::ranges::find(options.told, option.name) != options.told.end())
      throw user_error(fmt::format("{} {}", option.name, option.what));
}

Exit profile(const ProfileOptions& options) {
  if (options.window.is_of_time() && options.count_only)
    throw user_error("--window takes a stretch of time, by which counts cannot be cut: --window=region:NAME cuts them");
  if (!options.subtract.empty() && options.count_only && !options.gpu)
    throw user_error("--subtract takes a profile of times and counts away: it does not go with --count-only");
  if (options.time_only && options.count_only) throw user_error("--time-only counts nothing: it does not go with --count-only");
  if (options.count_only && !options.gpu && fs::path(options.output).extension() == ".h5")
    throw user_error(fmt::format(
        "-o {} would be a result file, which needs times, and --count-only has none: name a .json file, or leave it out", options.output));
  require_options_that_apply(options);
  if (!options.window.is_whole() && options.gpu) throw user_error("--window does not go with --gpu");
  if (options.command.empty())
    throw user_error(fmt::format("profile needs a program: plumbline profile{} -- program args", options.gpu          ? " --gpu"
                                                                                                 : options.count_only ? " --count-only"
                                                                                                                      : ""));
  require_scaled_work(options);
  const Launch launch = find_launch(process_environment()).value_or(Launch{});
  const bool starts_ranks = (!options.count_only || options.gpu) && launch.size == 1 && is_known_launcher(options.command.front());
  const SignalsNoted noted;  // whose folder is removed before this process ends
  const LaunchMeeting meeting(launch, options.counts, (fs::current_path() / options.output).parent_path(), starts_ranks);
  return leave_faults(launch, meeting, [&] {
    if (options.gpu) return profile_kernels(options, launch, meeting);
    mark_nvtx_ranges();
    return options.count_only ? profile_by_emulator(options, launch, meeting) : profile_and_place(options, launch, meeting);
  });
}

// ------------------------------------------------------------------------------------------------------ the command line

/// Refuses an option without a value: "--caches= -- program" and "-o -- program" would take the -- for it.
CLI::Validator a_value(const std::string& wanted) {
  return CLI::Validator(
      [=](const std::string& text) { return text.empty() || text == "--" ? fmt::format("it wants {}", wanted) : std::string(); }, "");
}

}  // namespace

Json profile_schema() {
  Json kinds = profile_row_schemas();
  for (auto& more : {placed_row_schemas(), kernel_row_schemas()})
    for (const auto& kind : more) kinds.push_back(kind);
  return profile_document_schema(kinds);
}

void add_profile(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("profile", "places a program's functions under this machine's roofs: plumbline profile [options] -- program args");
  auto options = std::make_shared<ProfileOptions>();
  command->add_flag("--count-only", options->count_only,
                    "count without timing: by the emulator (some 10 to 100 times slower than native), or with --gpu by CUPTI");
  command->add_flag("--time-only", options->time_only, "sample the native run, without counting: where the time goes, in that time");
  command->add_flag("--avx2", options->avx2,
                    "make libraries that choose their code by the CPU take that of AVX2 in both runs, which the emulator can count");
  command->add_flag(
      "--gpu", options->gpu,
      "time all launches of GPU kernels by CUPTI's activities, then count them in a second run, where CUPTI runs each again for each "
      "pass (needs a GPU and the right to profile; with --time-only the GPU alone)");
  command
      ->add_option("--launches", options->most_launches,
                   "with --gpu: count the first so many launches of each kernel in each marked region, and scale them to all; or all")
      ->capture_default_str()
      ->transform(CLI::Validator(
          [](std::string& text) {
            if (text == "all") text = "0";
            return std::string();
          },
          ""))
      ->check(number_within(std::uint64_t{0}, std::uint64_t{1'000'000'000}, "all, or a whole number"));
  command
      ->add_option("--caches", options->caches,
                   "auto: simulate this machine's; no: none; or a geometry (a TOML file, or one of those that come along); reuse, or "
                   "reuse:GEOMETRY: count reuse distances, and place them on fully associative caches of those sizes")
      ->capture_default_str()
      ->check(a_value("auto, no, reuse, or a geometry"));
  command
      ->add_option("--roofs", options->roofs,
                   "auto: this machine's, measured once and kept; measure: anew; no: none; or a result file with ceilings")
      ->capture_default_str()
      ->check(a_value("auto, measure, no, or a result file"));
  command
      ->add_option(
          "--sampling", options->sampling,
          "perf: times by perf_event; timer: by timers in the program's threads; auto: the first where the system does not refuse it")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "perf", "timer"}));
  command
      ->add_option("--functions", options->functions,
                   "so many functions by time; with --count-only by FLOPs, and by bytes; with --gpu so many kernels by time")
      ->capture_default_str()
      ->check(number_within(0, 1'000'000, "a whole number"));
  command
      ->add_option("-o,--output", options->output,
                   "write JSON to this file; a name that ends with .h5 gets a result file (not with --count-only, which has no times; with "
                   "--gpu it has)")
      ->check(a_value("the name of a file"));
  command
      ->add_option_function<std::string>(
          "--window",
          [options](const std::string& text) {
            options->window = parse_window(text);
            if (options->window.is_of_time()) options->time_only = true;
          },
          "profile a part of the run: 10s:20s for times alone, region:NAME for what happens in a marked region, region:NAME:3-5 in some "
          "of each thread's entries")
      ->type_name("PART")
      ->check(a_value("a part of the run"));
  command
      ->add_option_function<std::string>(
          "--count-args", [options](const std::string& text) { options->count_arguments = CLI::detail::split_up(text); },
          "count with these arguments, of a smaller input, in place of the program's; with --scale-work")
      ->type_name("WORDS");
  command
      ->add_option_function<std::string>(
          "--scale-work", [options](const std::string& text) { options->scale_work = factor_in(text); },
          "with --count-args: every count is multiplied by this, a number or a formula of numbers, as (200/100)*(200/100)")
      ->type_name("FACTOR");
  command
      ->add_option("--subtract", options->subtract,
                   "take an earlier profile of the same program (a result file) away, one without the part that is looked for, or with "
                   "fewer rounds of it: what is left is the part's")
      ->type_name("FILE.h5")
      ->check(a_value("a result file"));
  command->add_flag("--json", options->json, "print JSON in place of the tables, on standard error as they are");
  command->add_option("--counts", options->counts, "leave each process's counts in this folder, which all ranks see")
      ->check(a_value("a folder"));
  command->add_option("--wait", options->wait_seconds, "seconds that rank 0 waits for the other ranks after its own program has ended")
      ->capture_default_str()
      ->check(number_within(0.0, 1e9, "a number of seconds"));
  command->add_option("program", options->command, "the program and, behind --, its arguments");
  command->positionals_at_end();
  command->callback([&chosen, options, command] {
    for (const auto& option : partial_options)
      if (const auto* given = command->get_option(option.name); given->count() > 0 && !asks_for_nothing(given->results()))
        options->told.emplace_back(option.name);
    chosen = [options] { return profile(*options); };
  });
}

}  // namespace plumbline::app
