#include "measure/emulator_installation.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "counters/emulated/emulated.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

// The first line that `program --version` prints, in an environment of its own: the user's Valgrind settings are not for this question. A
// Valgrind that may have been moved finds its own files in the folder `library`; empty: where it was built for.
std::string first_line_of_version(const fs::path& program, const fs::path& library) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string name = program.string(), flag = "--version", path = "PATH=/usr/bin:/bin", own = "VALGRIND_LIB=" + library.string();
  char* const arguments[] = {name.data(), flag.data(), nullptr};
  char* const environment[] = {path.data(), library.empty() ? nullptr : own.data(), nullptr};
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

std::string version_of(const fs::path& valgrind, const fs::path& library) {
  const std::string line = first_line_of_version(valgrind, library), prefix = "valgrind-";
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

bool is_executable(const fs::path& file) {
  std::error_code failed;
  return fs::is_regular_file(file, failed) && access(file.c_str(), X_OK) == 0;
}

// Valgrind preloads a library out of this folder, and LD_PRELOAD separates names by blanks and colons.
bool can_be_preloaded_from(const fs::path& folder) { return folder.string().find_first_of(" \t\n:") == std::string::npos; }

std::string disagreement(const EmulatorInstallation& found) {
  const std::string tool = "the emulator in " + found.tool_directory.string();
  const std::string remedy = found.valgrind == find_on_path("valgrind") ? "put valgrind " + found.tool_version + " first on PATH"
                                                                        : "put valgrind " + found.tool_version + " in its place";
  if (!can_be_preloaded_from(found.tool_directory))
    return tool +
           " cannot be used: Valgrind takes no folder with a blank or colon in its name; set PLUMBLINE_EMULATOR_DIR to a link to it " +
           "without, or install elsewhere";
  if (found.tool_version.empty() || found.tool_abi == 0)
    return tool + " does not say what it was built with (plumbline-built-with is missing there): build it again";
  if (found.tool_abi != emulator_abi())
    return tool + " has interface " + std::to_string(found.tool_abi) + ", this program wants " + std::to_string(emulator_abi()) +
           ": build both from one source tree, or set PLUMBLINE_EMULATOR_DIR to the right one";
  if (found.valgrind_version.empty()) return found.valgrind.string() + " does not tell its version: " + remedy;
  if (found.valgrind_version != found.tool_version)
    return found.valgrind.string() + " is version " + found.valgrind_version + ", but " + tool + " is linked with " + found.tool_version +
           ": " + remedy + ", or build plumbline again with this one";
  return "";
}

}  // namespace

fs::path find_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / program;
    if (is_executable(candidate)) return candidate;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return {};
}

fs::path find_valgrind(const fs::path& program_folder, const fs::path& tool_directory) {
  for (const auto& folder : {program_folder, tool_directory})
    if (is_executable(folder / "valgrind")) return folder / "valgrind";
  return find_on_path("valgrind");
}

EmulatorInstallation find_emulator() {
  EmulatorInstallation found;
  const char* named = std::getenv("PLUMBLINE_EMULATOR_DIR");
  const fs::path program_folder = fs::read_symlink("/proc/self/exe").parent_path();
  found.tool_directory = named ? fs::path(named) : program_folder.parent_path() / "lib" / "plumbline" / "valgrind";
  found.valgrind = find_valgrind(program_folder, found.tool_directory);
  const bool from_path = found.valgrind == find_on_path("valgrind");
  const auto refuse = [&](const std::string& reason) { found.availability = {Status::unavailable, reason}; };
  if (emulated_events().empty()) {
    found.availability = emulated_backend()->availability();
  } else if (found.valgrind.empty()) {
    refuse("no valgrind on PATH: install the package valgrind, or build one by jobs/valgrind.sh");
  } else if (!fs::exists(found.tool_directory / "plumbline-amd64-linux")) {
    refuse("no emulator in " + found.tool_directory.string() + ": build with PLUMBLINE_WITH_EMULATOR=ON, or set PLUMBLINE_EMULATOR_DIR");
  } else {
    read_record(found);
    found.valgrind_version = version_of(found.valgrind, from_path ? fs::path() : found.tool_directory);
    if (const auto reason = disagreement(found); !reason.empty()) refuse(reason);
  }
  return found;
}

std::string core_option(const CorePipes& core) {
  std::string option = "--core=";
  for (const int number : {core.width, core.window, core.registers, core.add, core.mul, core.vectors, core.loads, core.stores,
                           core.add_latency, core.mul_latency, core.fma_latency, core.code_bytes})
    option += (option.back() == '=' ? "" : ",") + std::to_string(number);
  return option;
}

}  // namespace plumbline
