// The command plumbline health checks one node or many within a minute. Exit 3: one is worse than like ones or than before, 4: one computed
// wrong.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>

#include "app/commands/command.hpp"
#include "app/commands/finding_command.hpp"
#include "app/commands/open_metrics.hpp"
#include "app/nights/checked_file.hpp"
#include "app/nodes/health_report.hpp"
#include "app/results/stored_results.hpp"
#include "app/session/run_launch.hpp"
#include "app/session/run_session.hpp"
#include "app/terminal/interruption.hpp"
#include "app/terminal/output_file.hpp"
#include "app/terminal/streams.hpp"
#include "store/journal.hpp"
#include "store/session_hold.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct HealthOptions {
  std::string campaign = "health", output, baseline, history, open_metrics;
  double seconds = 60;
  NodeOptions nodes;
  FindingCommand on_finding;
  Format format = Format::text;
};

constexpr double seconds_to_judge = 5;  // of those that the user gives: what is at hand ends, and is written and judged

/// The places where the result lies while it is measured, and where it goes; known to rank 0. The others are told `measured`.
struct Places {
  fs::path measured = {};
  fs::path kept = {}, kept_if_found = {};  // empty: it is not kept; `kept` is `measured` where it stays
  fs::path folder_of_its_own = {};         // that goes with it; empty: none
};

std::string name_of_now(const std::string& host) {
  return fmt::format("{:%Y-%m-%dT%H%M%SZ}-{}-{}.h5", fmt::gmtime(std::time(nullptr)), host, getpid());
}

/// The process whose name_of_now() on this host began so; 0 where it is no such name.
pid_t process_named(const fs::path& file, const std::string& host) {
  const fs::path whole = file.extension() == ".partial" ? file.stem() : file;
  const std::string stem = whole.stem().string(), middle = "Z-" + host + "-";
  constexpr std::size_t time = std::string_view("2026-01-31T235959").size();
  if (stem.size() <= time + middle.size() || stem.compare(time, middle.size(), middle) != 0) return 0;
  pid_t process = 0;
  const char* end = stem.data() + stem.size();
  const auto [rest, wrong] = std::from_chars(stem.data() + time + middle.size(), end, process);
  return wrong == std::errc() && rest == end && process > 0 ? process : 0;
}

/// Removes what earlier checks on this host, by this user, that were killed a day ago or earlier, had begun. The day is for another host or
/// container of the same name, whose processes are not seen here.
void remove_left_behind(const fs::path& folder, const std::string& host) {
  const std::string a_day_ago = fmt::format("{:%Y-%m-%dT%H%M%SZ}", fmt::gmtime(std::time(nullptr) - 86'400));
  std::error_code none;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end; entry.increment(none)) {
    const pid_t process = process_named(entry->path(), host);
    const bool is_old = entry->path().filename().string() < a_day_ago;  // names begin with the time
    if (is_old && process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) left.push_back(entry->path());
  }
  for (const auto& path : left) {
    struct stat facts {};
    const bool is_ours = ::lstat(path.c_str(), &facts) == 0 && facts.st_uid == ::geteuid();
    if (is_ours && !holder_in(folder / (path.stem().string() + std::string(journal_suffix))))
      fs::remove_all(path, none);  // of another container it may be held
  }
}

/// Chooses the places. A result that is asked to be kept lies where it was asked for. A night that is not over is no part of a history, and
/// neither is one in which something was found: it would be what later ones are held against.
Places places_of(const HealthOptions& options, Communicator& ranks) {
  const std::string name = name_of_now(ranks.host());
  if (!options.output.empty()) return {.measured = options.output, .kept = options.output, .kept_if_found = options.output};
  if (!options.history.empty()) {
    const fs::path folder = options.history;
    remove_left_behind(folder / ".running", ranks.host());
    return {.measured = folder / ".running" / name, .kept = folder / name, .kept_if_found = folder / ".found" / name};
  }
  if (ranks.nodes() > 1) return {.measured = fs::path("plumbline-out") / ("." + name)};  // where all nodes see it
  std::string folder = (fs::temp_directory_path() / "plumbline-health-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw io_error(fmt::format("cannot make a folder in {}: set TMPDIR, or name a file with -o", fs::temp_directory_path().string()));
  return {.measured = fs::path(folder) / name, .folder_of_its_own = folder};
}

/// The result goes where it is kept, or away, with what else was made for it. Gives where it lies then; where it went away, where it was.
fs::path clear_up(const Places& places, bool found, bool whole) {
  std::error_code failed;
  const fs::path& to = found ? places.kept_if_found : places.kept;
  const bool keeps = !to.empty() && (whole || found || to == places.measured);
  if (keeps && to != places.measured) {
    fs::create_directories(to.parent_path(), failed);
    fs::rename(places.measured, to, failed);
    if (failed) throw io_error(fmt::format("cannot keep {} as {}: {}", places.measured.string(), to.string(), failed.message()));
  }
  if (to == places.measured) return to;
  fs::remove(places.measured, failed);
  fs::remove_all(journal_directory(places.measured), failed);
  if (!places.folder_of_its_own.empty()) fs::remove(places.folder_of_its_own, failed);
  return keeps ? to : places.measured;
}

/// Ends what stop_after() began, however that ends.
struct TimeIsNoLimitAfterwards {
  ~TimeIsNoLimitAfterwards() { time_is_no_limit_any_more(); }
};

/// Measures. What a session finds of nodes and cases rank 0 judges again from its file, while the others wait for it however long its
/// command for findings takes; what kept a rank from measuring is thrown on. Says in words why it stopped early; empty where it did not.
std::string measure(const RunOptions& run, RunInput& input, Communicator& ranks) {
  const TimeIsNoLimitAfterwards to_judge;
  try {
    run_session(run, input, ranks);
  } catch (const RunFindings&) {
    return {};
  } catch (const Error& error) {
    if (error.code() == Exit::stopped_early) return error.what();
    throw;
  }
  return {};
}

CheckWish check_wish(const HealthOptions& options, const fs::path& file) {
  const bool rolls = options.baseline.empty() && !options.history.empty();
  return {.file = file.string(),
          .baseline = rolls ? "rolling:14d" : options.baseline,
          .history = options.history,
          .false_alarms = options.nodes.false_alarms};
}

/// Chooses the places on rank 0: all ranks have to hear of what is wrong before anything is measured.
Places places_or(std::optional<Error>& error, const HealthOptions& options, Communicator& ranks) try {
  if (options.baseline.starts_with("rolling:") && options.history.empty() && options.output.empty())
    throw user_error(fmt::format("--baseline {} is of the nights in --history DIR, or of those beside -o FILE.h5, and neither is given",
                                 options.baseline));
  require_baseline(check_wish(options, {}));
  return places_of(options, ranks);
} catch (const Error& found) {
  error = found;
  return {};
} catch (const fs::filesystem_error& found) {
  error = io_error(fmt::format("there is no folder for the result ({}): set TMPDIR, or name a file with -o", found.what()));
  return {};
}

HealthReport judge_file(const HealthOptions& options, const fs::path& file, const std::string& stopped) {
  const Results results = load_cases(file);
  const CheckWish wish = check_wish(options, file);
  std::optional<CheckReport> earlier;
  if (!wish.baseline.empty()) earlier = check_file(wish);
  if (!stopped.empty() && earlier) earlier->missing.clear();  // what was not reached is not missing
  return judge_health(
      results, judge_nodes(results, file.string(), options.nodes), std::move(earlier),
      stopped.empty() ? "" : fmt::format("not everything was measured within {:g} s: nothing is said of the rest", options.seconds));
}

/// Judges and tells, on rank 0.
Exit judge_and_tell(const HealthOptions& options, const Places& places, const std::string& stopped) {
  HealthReport report = judge_file(options, places.measured, stopped);
  const Exit found = exit_of(report);
  const fs::path now =
      clear_up(places, found != Exit::ok && found != Exit::stopped_early, stopped.empty());  // before anything else can fail
  report.file = report.beside.file = now.string();
  if (report.earlier) report.earlier->file = now.string();
  if (options.format == Format::json) print(health_document(report));
  if (options.format == Format::text) {
    print(health_findings(report));
    say(health_remarks(report));
  }
  const Exit written = options.open_metrics.empty() ? Exit::ok : write_or_tell(options.open_metrics, open_metrics(report));
  if (found != Exit::ok && found != Exit::stopped_early) tell(options.on_finding, health_document(report));
  return found == Exit::ok ? written : found;
}

Exit health(const HealthOptions& options) {
  watch_for_signals();
  stop_after(std::max(1.0, options.seconds - seconds_to_judge));
  RunOptions asked;
  asked.campaign = options.campaign;
  asked.output = options.output;
  return launch_run(asked, [&](RunInput& input, Communicator& ranks) {
    if (input.error) throw *input.error;
    std::optional<Error> error;
    const Places places = ranks.rank() == 0 ? places_or(error, options, ranks) : Places();
    RunOptions run = asked;
    run.output = ranks.world().broadcast(places.measured.string());
    if (error) throw *error;
    if (run.output.empty()) return Exit::ok;  // rank 0 says why
    const double budget = options.seconds / 2;
    input.campaign.budget_seconds = std::min(budget, input.campaign.budget_seconds.value_or(budget));
    std::string stopped;
    try {
      stopped = measure(run, input, ranks);
    } catch (...) {
      if (!places.measured.empty()) clear_up(places, false, false);
      throw;
    }
    return ranks.rank() == 0 ? judge_and_tell(options, places, stopped) : Exit::ok;
  });
}

}  // namespace

void add_health(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("health",
                         "a node check of at most a minute, beside like nodes (mpiexec or srun) and against earlier nights: a line "
                         "for each bad node; exit 3 when one is worse, 4 for a wrong result");
  auto options = std::make_shared<HealthOptions>();
  command->add_option("CAMPAIGN", options->campaign, "what is measured: a campaign file (.toml), or the name of one")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "also keep the result file there");
  command
      ->add_option(
          "--history", options->history,
          "folder of earlier nights and accepted levels; the result becomes one of them where nothing was found, else it lies in its "
          ".found folder")
      ->type_name("DIR");
  command
      ->add_option(
          "--baseline", options->baseline,
          "what to hold it against: rolling:14d (of --history, which is the preset with it), or a folder; fewer than three nights, as one "
          "result file, find nothing")
      ->type_name("rolling:DAYSd|FILE|DIR");
  command->add_option("--seconds", options->seconds, "how long it may take, about; what is not measured by then is left out (exit 75)")
      ->check(number_within(10.0, 3600.0, "a number of seconds"))
      ->capture_default_str();
  command
      ->add_option("--false-alarms", options->nodes.false_alarms,
                   "findings that are expected in a check in which nothing is wrong, over all nodes and rows")
      ->check(number_within(1e-6, 0.5, "a number"))
      ->capture_default_str();
  add_open_metrics_option(*command, options->open_metrics);
  add_finding_options(*command, options->on_finding);
  command->add_flag_callback(
      "--json", [options] { options->format = Format::json; }, "the findings as JSON");
  command->callback([&chosen, options] { chosen = [options] { return health(*options); }; });
}

}  // namespace plumbline::app
