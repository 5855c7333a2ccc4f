#include "measure/emulator_installation.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "counters/emulated.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

// What `program --version` prints first, in an environment of its own: the user's Valgrind settings are not for this question.
std::string first_line_of_version(const fs::path& program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string name = program.string(), flag = "--version", path = "PATH=/usr/bin:/bin";
  char* const arguments[] = {name.data(), flag.data(), nullptr};
  char* const environment[] = {path.data(), nullptr};
  pid_t child = -1;
  const bool started = posix_spawn(&child, name.c_str(), &actions, nullptr, arguments, environment) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char buffer[256];
  for (ssize_t n = 0; started && (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  if (started) waitpid(child, nullptr, 0);
  return text.substr(0, text.find('\n'));
}

std::string version_of(const fs::path& valgrind) {
  const std::string line = first_line_of_version(valgrind), prefix = "valgrind-";
  return line.starts_with(prefix) ? line.substr(prefix.size()) : "";
}

// Written beside the tool when it is built (harness/emulator/CMakeLists.txt): "valgrind 3.19.0" and "abi 1", a line each.
void read_record(EmulatorInstallation& found) {
  std::ifstream in(found.tool_directory / "plumbline-built-with");
  for (std::string word; in >> word;) {
    if (word == "valgrind") in >> found.tool_version;
    if (word == "abi") in >> found.tool_abi;
  }
}

// Valgrind preloads a library out of this folder, and LD_PRELOAD separates names by blanks and colons.
bool can_be_preloaded_from(const fs::path& folder) { return folder.string().find_first_of(" \t\n:") == std::string::npos; }

std::string disagreement(const EmulatorInstallation& found) {
  const std::string tool = "the emulator in " + found.tool_directory.string();
  if (!can_be_preloaded_from(found.tool_directory))
    return tool +
           " cannot be used: Valgrind takes no folder with a blank or colon in its name; set PLUMBLINE_EMULATOR_DIR to a link to it " +
           "without, or install elsewhere";
  if (found.tool_version.empty() || found.tool_abi == 0)
    return tool + " does not say what it was built with (plumbline-built-with is missing there): build it again";
  if (found.tool_abi != emulator_abi())
    return tool + " has interface " + std::to_string(found.tool_abi) + ", this program wants " + std::to_string(emulator_abi()) +
           ": build both from one source tree, or set PLUMBLINE_EMULATOR_DIR to the right one";
  if (found.valgrind_version.empty())
    return found.valgrind.string() + " does not tell its version: put valgrind " + found.tool_version + " first on PATH";
  if (found.valgrind_version != found.tool_version)
    return found.valgrind.string() + " is version " + found.valgrind_version + ", but " + tool + " is linked with " + found.tool_version +
           ": put valgrind " + found.tool_version + " first on PATH, or build plumbline again with this one";
  return "";
}

}  // namespace

fs::path find_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / program;
    std::error_code failed;
    if (fs::is_regular_file(candidate, failed) && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return {};
}

EmulatorInstallation find_emulator() {
  EmulatorInstallation found;
  const char* named = std::getenv("PLUMBLINE_EMULATOR_DIR");
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "plumbline" / "valgrind";
  found.tool_directory = named ? fs::path(named) : beside;
  found.valgrind = find_on_path("valgrind");
  const auto refuse = [&](const std::string& reason) { found.availability = {Status::unavailable, reason}; };
  if (emulated_events().empty()) {
    found.availability = emulated_backend()->availability();
  } else if (found.valgrind.empty()) {
    refuse("no valgrind on PATH: install the package valgrind");
  } else if (!fs::exists(found.tool_directory / "plumbline-amd64-linux")) {
    refuse("no emulator in " + found.tool_directory.string() + ": build with PLUMBLINE_WITH_EMULATOR=ON, or set PLUMBLINE_EMULATOR_DIR");
  } else {
    read_record(found);
    found.valgrind_version = version_of(found.valgrind);
    if (const auto reason = disagreement(found); !reason.empty()) refuse(reason);
  }
  return found;
}

}  // namespace plumbline
