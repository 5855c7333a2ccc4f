#include "app/nights/accepted_levels.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "app/terminal/table.hpp"
#include "core/error.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* baseline_schema = "plumbline-baseline/1";

AcceptedLevel level_from(const Json& line) {
  if (line.at("schema") != baseline_schema) throw user_error("another schema");
  AcceptedLevel level{.from_unix_ns = line.at("from_unix_ns"),
                      .from_file = line.at("from_file"),
                      .what = line.at("what"),
                      .node = line.at("node"),
                      .reason = line.at("reason"),
                      .who = line.at("who"),
                      .host = line.at("host"),
                      .accepted_unix_ns = line.at("accepted_unix_ns")};
  if (line.contains("cluster")) level.cluster = line.at("cluster").get<std::string>();
  return level;
}

Json line_of(const AcceptedLevel& level) {
  Json line{{"schema", baseline_schema},
            {"from_unix_ns", level.from_unix_ns},
            {"from_file", level.from_file},
            {"what", level.what},
            {"node", level.node},
            {"reason", level.reason},
            {"who", level.who},
            {"host", level.host},
            {"accepted_unix_ns", level.accepted_unix_ns}};
  if (level.cluster) line["cluster"] = *level.cluster;
  return line;
}

bool matches(const std::string& glob, const std::string& text) { return fnmatch(glob.c_str(), text.c_str(), 0) == 0; }

/// Whether a writer before us was killed within its line.
bool ends_within_a_line(int descriptor) {
  const off_t end = lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  return end > 0 && pread(descriptor, &last, 1, end - 1) == 1 && last != '\n';
}

}  // namespace

std::vector<AcceptedLevel> read_accepted_levels(const fs::path& folder, std::vector<std::string>& notes) {
  std::vector<AcceptedLevel> levels;
  const fs::path path = folder / accepted_levels_name;
  std::error_code none;
  std::istringstream file(fs::exists(path, none) ? read_bytes(path, "list of accepted levels") : "");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    try {
      levels.push_back(level_from(Json::parse(line)));
    } catch (const std::exception&) {
      notes.push_back(
          fmt::format("{}:{} is no accepted level and was skipped (a writer may have been killed there)", path.string(), number));
    }
  }
  return levels;
}

void append_accepted_level(const fs::path& folder, const AcceptedLevel& level) {
  const fs::path path = folder / accepted_levels_name;
  const FileDescriptor file = open_file(behind_links(path), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW);
  if (!file) throw io_error(fmt::format("cannot write {}: {}", path.string(), errno_advice(errno)));
  flock(file.number(), LOCK_EX);  // where the file system knows none, a line is still one write
  const std::string line = (ends_within_a_line(file.number()) ? "\n" : "") + line_of(level).dump() + "\n";
  if (!write_all(file.number(), line) || !sync_file(file.number()))
    throw io_error(fmt::format("cannot write {}: {}", path.string(), errno_advice(errno)));
}

std::vector<AcceptedLevel> levels_of_cluster(std::vector<AcceptedLevel> levels, const std::string& cluster) {
  std::erase_if(levels, [&](const AcceptedLevel& level) { return level.cluster && *level.cluster != cluster; });
  return levels;
}

const AcceptedLevel* level_of(const std::vector<AcceptedLevel>& levels, const SeriesKey& key) {
  const AcceptedLevel* latest = nullptr;
  for (const auto& level : levels)
    if (matches(level.what, key.what) && matches(level.node, key.node) && (latest == nullptr || level.from_unix_ns >= latest->from_unix_ns))
      latest = &level;
  return latest;
}

}  // namespace plumbline::app
