#include "profile/launch_meeting.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "core/host_name.hpp"
#include "core/json_text.hpp"
#include "core/own_file.hpp"
#include "profile/signals_noted.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> command_line(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

pid_t parent_of(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("PPid:")) return static_cast<pid_t>(std::strtol(line.c_str() + 5, nullptr, 10));
  return 0;
}

// Hydra starts a proxy on each node, and tells all of them the one address of its control port.
std::string hydra_control_port() {
  for (pid_t process = getppid(); process > 1; process = parent_of(process)) {
    const auto words = command_line(process);
    if (words.empty() || words.front().find("hydra") == std::string::npos) continue;
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == "--control-port") return words[i + 1];
  }
  return "";
}

std::string as_file_name(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return text;
}

fs::path temporary_folder() {
  std::error_code failed;
  const fs::path folder = fs::temp_directory_path(failed);
  if (!failed) return fs::absolute(folder);
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})  // in the standard library's order
    if (const char* value = std::getenv(name))
      throw user_error(fmt::format("{} names '{}', which is no folder: set it to one that you may write to", name, value));
  throw io_error("there is no folder /tmp for temporary files: set TMPDIR to a folder that you may write to");
}

fs::path own_folder(const fs::path& parent, const char* prefix = "") {
  std::string name = (parent / fmt::format("{}plumbline-profile-XXXXXX", prefix)).string();
  if (mkdtemp(name.data()) == nullptr)
    throw io_error(fmt::format("cannot make a folder in {}: {}; set TMPDIR to another folder", parent.string(), std::strerror(errno)));
  return name;
}

/// A folder that other nodes see, most likely; that for temporary files where nobody may write there.
fs::path folder_of_launcher(const fs::path& shared) {
  try {
    return own_folder(shared, ".");
  } catch (const Error&) {
    return own_folder(temporary_folder());
  }
}

fs::path common_folder(const Launch& launch, const fs::path& shared) {
  const std::string key = launch_key(process_environment());
  if (key.empty())
    throw user_error(
        fmt::format("{} says {} ranks were launched, but nothing tells this launch from others: name an empty folder that all ranks "
                    "see with --counts=DIR",
                    launch.by, launch.size));
  const bool one_node = launch.local_size == launch.size;
  return (one_node ? temporary_folder() : shared) / fmt::format("plumbline-profile-{}-{}", geteuid(), as_file_name(key));
}

[[noreturn]] void refuse_folder(const fs::path& folder, const std::string& why) {
  throw io_error(fmt::format("cannot write into {}: {}; name another folder with --counts=DIR", folder.string(), why));
}

void make(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) refuse_folder(folder, failed.message());
  if (access(folder.c_str(), W_OK) != 0) refuse_folder(folder, std::strerror(errno));
}

/// Throws where the folder's place does not keep its name: where everybody may write and no sticky bit is set, everybody may put another
/// folder there at any time. (A group that shares a folder trusts its members.)
void require_place_keeps_names(const fs::path& folder) {
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : ".";
  make(parent);
  struct stat facts {};
  if (stat(parent.c_str(), &facts) != 0) refuse_folder(parent, std::strerror(errno));
  if ((facts.st_mode & S_IWOTH) != 0 && (facts.st_mode & S_ISVTX) == 0)
    refuse_folder(parent, "everybody may write there and replace what others made (it has no sticky bit)");
}

/// The folder of a launch whose name others can foretell: made by this user, who alone may write there. Every rank comes here.
void make_private(const fs::path& folder) {
  require_place_keeps_names(folder);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) refuse_folder(folder, std::strerror(errno));
  struct stat facts {};
  if (lstat(folder.c_str(), &facts) != 0) refuse_folder(folder, std::strerror(errno));
  if (!S_ISDIR(facts.st_mode)) refuse_folder(folder, "a link or a file has the name of this launch's folder");
  if (facts.st_uid != geteuid()) refuse_folder(folder, fmt::format("it belongs to another user ({})", facts.st_uid));
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse_folder(folder, "others may write there");
}

std::optional<RankEnding> read_ending(const fs::path& file, int rank) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  try {
    const Json document = Json::parse(in);
    return RankEnding{
        rank, document.at("host"), document.at("code"), document.at("notes"), document.at("caches"), document.value("wall_seconds", 0.0)};
  } catch (const Json::exception&) {  // another's, in a folder that the user named
    return std::nullopt;
  }
}

}  // namespace

std::string launch_key(const Environment& environment) {
  if (const auto port = hydra_control_port(); !port.empty()) return "hydra-" + port;
  // Open MPI's mpirun tells all its ranks the addresses of its first daemon, ports included. Its name space alone is a hash of 16 bits.
  if (const auto daemon = environment("OMPI_MCA_orte_hnp_uri")) return fmt::format("openmpi-{:016x}", std::hash<std::string>{}(*daemon));
  if (const auto space = environment("PMIX_NAMESPACE")) return "pmix-" + *space;
  const auto job = environment("SLURM_JOB_ID"), step = environment("SLURM_STEP_ID");
  if (job && step) return fmt::format("slurm-{}.{}", *job, *step);
  return "";
}

LaunchMeeting::LaunchMeeting(const Launch& launch, const fs::path& named, const fs::path& shared, bool starts_ranks)
    : launch_(launch), keep_(!named.empty()) {
  if (keep_)
    make(folder_ = fs::absolute(named));
  else if (launch.size > 1)
    make_private(folder_ = common_folder(launch, shared));
  else
    folder_ = starts_ranks ? folder_of_launcher(shared) : own_folder(temporary_folder());
  std::vector<fs::path> earlier;  // of a launch that was killed, or whose folder the user names again
  for (const auto& file : fs::directory_iterator(folder_))
    if (const auto name = file.path().filename().string();
        starts_ranks ? name.starts_with("rank-") || name.starts_with("said-") : name.starts_with(prefix(launch.rank)))
      earlier.push_back(file.path());
  for (const auto& file : earlier) fs::remove_all(file);
}

LaunchMeeting::~LaunchMeeting() {
  std::error_code ignored;
  if (launch_.rank == 0 && !keep_) fs::remove_all(folder_, ignored);
}

std::string LaunchMeeting::prefix(int rank) const { return fmt::format("rank-{}.", rank); }

bool LaunchMeeting::first_to_say(const std::string& message) const {
  const auto name = folder_ / fmt::format("said-{:016x}", std::hash<std::string>{}(message));
  const int file = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) return errno != EEXIST;
  close(file);
  return true;
}

void LaunchMeeting::leave(const RankEnding& ending) const {
  const std::string text = json_text(Json{{"host", host_name()},
                                          {"code", ending.code},
                                          {"notes", ending.notes},
                                          {"caches", ending.caches},
                                          {"wall_seconds", ending.wall_seconds},
                                          {"ranks", launch_.size}});
  if (!write_own_file(folder_ / (prefix(ending.rank) + "ending"), text))
    throw io_error(fmt::format("rank {} cannot leave its counts in {}: {}", ending.rank, folder_.string(), std::strerror(errno)));
}

int LaunchMeeting::told_ranks() const {
  for (const auto& file : fs::directory_iterator(folder_)) {
    if (file.path().extension() != ".ending") continue;
    std::ifstream in(file.path());
    const Json document = Json::parse(in, nullptr, false);
    if (const int ranks = document.is_object() ? document.value("ranks", 0) : 0; ranks > 0) return ranks;
  }
  return 0;
}

std::vector<RankEnding> LaunchMeeting::gather(double patience_seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(patience_seconds);
  std::vector<RankEnding> endings;
  for (int rank = 0; rank < launch_.size; ++rank) {
    auto ending = read_ending(folder_ / (prefix(rank) + "ending"), rank);
    end_if_signalled();
    while (!ending && Clock::now() < deadline) {
      end_if_signalled();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ending = read_ending(folder_ / (prefix(rank) + "ending"), rank);
    }
    if (ending) endings.push_back(std::move(*ending));
  }
  return endings;
}

}  // namespace plumbline
