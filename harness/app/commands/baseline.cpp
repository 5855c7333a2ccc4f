// The command plumbline baseline accept says that a new level is right from a night on; who said so, when and why is kept beside the
// history.
#include <fmt/format.h>
#include <fnmatch.h>
#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <set>

#include "app/commands/command.hpp"
#include "app/nights/accepted_levels.hpp"
#include "app/nights/history_index.hpp"
#include "app/terminal/streams.hpp"
#include "core/host_name.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct AcceptOptions {
  std::string from, reason, what = "*", node = "*";
};

std::string user_name() {
  const passwd* user = getpwuid(getuid());
  return user != nullptr ? user->pw_name : fmt::format("uid {}", getuid());
}

/// The night from which on the level counts: the file's, or the last of a folder.
Night accepted_night(const fs::path& from, fs::path& folder) {
  std::error_code unknown;
  if (!fs::is_directory(from, unknown)) {
    folder = folder_of(from);
    return night_of(from.string(), observe_file(from.string()));
  }
  folder = from;
  History history = load_history(from);
  if (history.nights.empty()) throw user_error(fmt::format("{} holds no result file whose level could be accepted", from.string()));
  return std::move(history.nights.back());
}

struct Named {
  std::set<SeriesKey> all, tonight;  // in any night of the folder up to the accepted one; in that one
};

/// The keys that the options name. A thing that is gone can be accepted too: the night that it is gone from has no row of it. Only the
/// night's cluster counts.
Named keys_named(const fs::path& folder, const Night& night, const AcceptOptions& options) {
  Named named;
  const auto add = [&](const Night& from, std::set<SeriesKey>& to) {
    for (const auto& row : from.rows)
      if (fnmatch(options.what.c_str(), row.key.what.c_str(), 0) == 0 && fnmatch(options.node.c_str(), row.key.node.c_str(), 0) == 0)
        to.insert(row.key);
  };
  for (const auto& one : load_history(folder).nights)
    if (one.started_unix_ns <= night.started_unix_ns && one.cluster == night.cluster) add(one, named.all);
  add(night, named.tonight);
  named.all.insert(named.tonight.begin(), named.tonight.end());
  return named;
}

/// Refuses a night of the future: its level would count for no night before that date, and then suddenly.
void refuse_future(const Night& night, std::int64_t now) {
  constexpr std::int64_t day_ns = 86'400LL * 1'000'000'000LL;
  if (night.started_unix_ns > now + day_ns)
    throw user_error(
        fmt::format("{} began in the future, {}, by the clock that it was measured with (it is {} here): its level would not "
                    "count before; accept another night's",
                    night.file, utc_text(night.started_unix_ns), utc_text(now)));
}

Exit accept(const AcceptOptions& options) {
  if (options.reason.find_first_not_of(" \t\r\n") == std::string::npos)
    throw user_error("--reason is empty: say why the new level is right, for whoever reads the history later");
  fs::path folder;
  const Night night = accepted_night(options.from, folder);
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  refuse_future(night, now);
  const Named named = keys_named(folder, night, options);
  if (named.all.empty())
    throw user_error(
        fmt::format("no case or ceiling of {}, or of the nights before it in {}, matches --case '{}' on --node '{}'; "
                    "'plumbline history' lists them",
                    night.file, folder.string(), options.what, options.node));
  append_accepted_level(folder, {.from_unix_ns = night.started_unix_ns,
                                 .from_file = fs::path(night.file).filename().string(),
                                 .what = options.what,
                                 .node = options.node,
                                 .cluster = night.cluster,
                                 .reason = options.reason,
                                 .who = user_name(),
                                 .host = host_name(),
                                 .accepted_unix_ns = now});
  const std::size_t gone = named.all.size() - named.tonight.size();
  print(fmt::format("accepted from {} on: {} cases and ceilings{}; kept in {}\n", utc_text(night.started_unix_ns), named.all.size(),
                    gone == 0 ? "" : fmt::format(" ({} of them were not measured that night and are no longer missed)", gone),
                    (folder / accepted_levels_name).string()));
  return Exit::ok;
}

}  // namespace

void add_baseline(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("baseline", "levels that later nights are held against");
  command->require_subcommand(1);
  auto* accepting = command->add_subcommand("accept", "a new level is right, from a night on: 'check' and 'history' begin there");
  auto options = std::make_shared<AcceptOptions>();
  accepting->add_option("FROM", options->from, "the first result file (.h5) at the new level, or a folder: its latest night")->required();
  accepting->add_option("--reason", options->reason, "why the new level is right")->required();
  accepting->add_option("--case", options->what, "only these cases and ceilings: a glob, e.g. 'ceiling/mem *'");
  accepting->add_option("--node", options->node, "only these nodes: a glob");
  accepting->callback([&chosen, options] { chosen = [options] { return accept(*options); }; });
}

}  // namespace plumbline::app
