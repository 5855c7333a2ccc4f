#include "app/commands/history_prune.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <span>

#include "app/nights/retention.hpp"
#include "app/results/result_file.hpp"
#include "app/terminal/streams.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct PruneOptions {
  std::string folder;
  RetentionWish wish;
  bool dry_run = false;
};

constexpr double most_days = 36'500;

/// NaN is none either.
bool are_days(double days) { return days >= 1 && days <= most_days; }

std::int64_t now_unix_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The folder that holds `file`, a path below `folder`, reached without following a link below it.
FileDescriptor folder_below(const fs::path& folder, const fs::path& file) {
  FileDescriptor at = open_file(folder, O_RDONLY | O_DIRECTORY);
  for (const auto& step : file.parent_path()) {
    if (!at) break;
    at = FileDescriptor(openat(at.number(), step.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return at;
}

/// Whether the name stands for the very file that was read as a night, itself and not a link to it.
bool is_that_file(int folder, const std::string& name, const Night& night) {
  struct stat facts {};
  if (fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode)) return false;
  const auto modified_ns = static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 + facts.st_mtim.tv_nsec;
  return static_cast<std::uintmax_t>(facts.st_size) == night.bytes && modified_ns == night.modified_ns;
}

struct Removal {
  std::string kept_for = {};  // it is no file of its own: not to be removed
  std::string failed = {};    // it could not be removed
};

Removal remove_night(const PruneOptions& options, const Night& night) {
  const fs::path path = fs::path(options.folder) / night.file;
  if (!unfinished_note(path.string()).empty()) return {.kept_for = "its journal is beside it: it is not whole"};
  const FileDescriptor folder = folder_below(options.folder, night.file);
  const std::string name = fs::path(night.file).filename().string();
  if (!folder || !is_that_file(folder.number(), name, night)) return {.kept_for = "a link, or another file since it was read"};
  if (!options.dry_run && unlinkat(folder.number(), name.c_str(), 0) != 0)
    return {.failed = fmt::format("cannot remove {}: {}", path.string(), std::strerror(errno))};
  return {};
}

std::string about(const Night& night) {
  return fmt::format("{} ({}{}{}, {})", printable(night.file), utc_text(night.started_unix_ns),
                     night.campaign.empty() ? "" : ", campaign " + printable(night.campaign),
                     night.cluster.empty() ? "" : " on " + printable(night.cluster), size_in_bytes(static_cast<double>(night.bytes)));
}

/// A line that cannot be read may accept a night that would go.
std::vector<AcceptedLevel> all_accepted_levels(const std::set<fs::path>& folders) {
  std::vector<AcceptedLevel> levels;
  std::vector<std::string> unread;
  for (const auto& folder : folders) {
    auto found = read_accepted_levels(folder, unread);
    std::move(found.begin(), found.end(), std::back_inserter(levels));
  }
  if (!unread.empty()) throw user_error(unread.front() + ": nothing is removed before that line is mended or taken out");
  return levels;
}

/// The folders below the folder of nights in which a night lies, and those on the way there.
std::set<fs::path> folders_below(const std::string& folder, std::span<const Night> nights) {
  std::set<fs::path> folders;
  for (const auto& night : nights)
    for (fs::path below = fs::path(night.file).parent_path(); !below.empty(); below = below.parent_path())
      folders.insert(fs::path(folder) / below);
  return folders;
}

Exit prune(const PruneOptions& options) {
  History history = load_history(options.folder);
  const auto levels = all_accepted_levels({fs::path(options.folder)}),
             below = all_accepted_levels(folders_below(options.folder, history.nights));
  if (history.nights.empty()) print("no result files yet\n");
  std::size_t removed = 0, young = 0;
  double bytes = 0;
  std::string text, failed;
  for (const auto& [night, kept_for, is_young] : fates_of(history.nights, levels, options.wish, now_unix_ns(), below)) {
    young += is_young ? 1 : 0;
    if (is_young) continue;
    const Removal removal = kept_for.empty() ? remove_night(options, *night) : Removal{.kept_for = kept_for};
    failed += removal.failed.empty() ? "" : fmt::format("plumbline: {}\n", removal.failed);
    if (!removal.kept_for.empty()) text += fmt::format("keeps {}: {}\n", about(*night), removal.kept_for);
    if (!removal.kept_for.empty() || !removal.failed.empty()) continue;
    text += fmt::format("{} {}\n", options.dry_run ? "would remove" : "removed", about(*night));
    ++removed;
    bytes += static_cast<double>(night->bytes);
  }
  if (!history.nights.empty())
    text += fmt::format("{} of {} nights {}, {}; {} begun within {:g} days\n", removed, history.nights.size(),
                        options.dry_run ? "would be removed" : "removed", size_in_bytes(bytes), young, options.wish.keep_days);
  print(text + note_lines(history.notes));
  if (failed.empty()) return Exit::ok;
  static_cast<void>(say(failed));
  return Exit::io_or_failed_case;
}

}  // namespace

CLI::App* add_history_prune(CLI::App& history, Action& chosen) {
  auto* command = history.add_subcommand(
      "prune", "removes old nights, but for accepted ones and the last that measured what no later one has; says what it removes");
  auto options = std::make_shared<PruneOptions>();
  command->add_option("DIR", options->folder, "folder of result files (.h5)")->required();
  command
      ->add_option("--keep-days", options->wish.keep_days,
                   "nights begun within so many days before the last one of their campaign (on their cluster) stay")
      ->required()
      ->check([](const std::string& text) {
        double days = 0;
        return CLI::detail::lexical_cast(text, days) && are_days(days) ? "" : fmt::format("'{}' is not 1 to {} days", text, most_days);
      })
      ->type_name("DAYS");
  command->add_flag("--keep-monthly", options->wish.keep_monthly, "of older ones the first night of each month stays");
  command->add_flag("--dry-run", options->dry_run, "says what would be removed; removes nothing");
  command->callback([&chosen, options] { chosen = [options] { return prune(*options); }; });
  return command;
}

}  // namespace plumbline::app
