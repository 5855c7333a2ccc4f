#include "profile/launch_meeting.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "core/json_text.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

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
  if (!failed) return folder;
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})  // in the standard library's order
    if (const char* value = std::getenv(name))
      throw user_error(fmt::format("{} names '{}', which is no folder: set it to one that you may write to", name, value));
  throw io_error("there is no folder /tmp for temporary files: set TMPDIR to a folder that you may write to");
}

fs::path own_folder() {
  const fs::path parent = temporary_folder();
  std::string name = (parent / "plumbline-profile-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw io_error(fmt::format("cannot make a folder in {}: {}; set TMPDIR to another folder", parent.string(), std::strerror(errno)));
  return name;
}

fs::path common_folder(const Launch& launch, const fs::path& shared) {
  const std::string key = launch_key(process_environment());
  if (key.empty())
    throw user_error(
        fmt::format("{} says {} ranks were launched, but nothing tells this launch from others: name an empty folder that all ranks "
                    "see with --counts=DIR",
                    launch.by, launch.size));
  const bool one_node = launch.local_size == launch.size;
  return (one_node ? temporary_folder() : shared) / ("plumbline-profile-" + as_file_name(key));
}

void make(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || access(folder.c_str(), W_OK) != 0)
    throw io_error(fmt::format("cannot write into {}: {}; name another folder with --counts=DIR", folder.string(),
                               failed ? failed.message() : std::strerror(errno)));
}

std::optional<RankEnding> read_ending(const fs::path& file, int rank) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  const Json document = Json::parse(in, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  return RankEnding{rank, document.at("host"), document.at("code"), document.at("notes")};
}

}  // namespace

std::string launch_key(const Environment& environment) {
  if (const auto port = hydra_control_port(); !port.empty()) return "hydra-" + port;
  if (const auto space = environment("PMIX_NAMESPACE")) return "pmix-" + *space;
  const auto job = environment("SLURM_JOB_ID"), step = environment("SLURM_STEP_ID");
  if (job && step) return fmt::format("slurm-{}.{}", *job, *step);
  return "";
}

LaunchMeeting::LaunchMeeting(const Launch& launch, const fs::path& named, const fs::path& shared) : launch_(launch), keep_(!named.empty()) {
  if (keep_)
    folder_ = fs::absolute(named);
  else
    folder_ = launch.size > 1 ? common_folder(launch, shared) : own_folder();
  make(folder_);
  std::vector<fs::path> earlier;  // of a launch that was killed, or whose folder the user names again
  for (const auto& file : fs::directory_iterator(folder_))
    if (file.path().filename().string().starts_with(prefix(launch.rank))) earlier.push_back(file.path());
  for (const auto& file : earlier) fs::remove(file);
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
  const fs::path file = folder_ / (prefix(ending.rank) + "ending"), whole = file.string() + ".partial";
  std::ofstream(whole) << json_text(Json{{"host", host_name()}, {"code", ending.code}, {"notes", ending.notes}});
  std::error_code failed;
  fs::rename(whole, file, failed);
  if (failed) throw io_error(fmt::format("rank {} cannot leave its counts in {}: {}", ending.rank, folder_.string(), failed.message()));
}

std::vector<RankEnding> LaunchMeeting::gather(double patience_seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(patience_seconds);
  std::vector<RankEnding> endings;
  for (int rank = 0; rank < launch_.size; ++rank) {
    auto ending = read_ending(folder_ / (prefix(rank) + "ending"), rank);
    while (!ending && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ending = read_ending(folder_ / (prefix(rank) + "ending"), rank);
    }
    if (ending) endings.push_back(std::move(*ending));
  }
  return endings;
}

}  // namespace plumbline
