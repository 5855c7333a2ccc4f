#include "profile/program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/error.hpp"
#include "profile/launcher_words.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Finds a program on PATH; one that is named with its folder is where it says. Empty: there is none.
fs::path as_a_shell_finds_it(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const auto colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    std::error_code failed;
    if (fs::is_regular_file(candidate, failed) && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(colon == rest.npos ? rest.size() : colon + 1);
  }
  return {};
}

fs::path require_found(const std::string& name) {
  const fs::path program = as_a_shell_finds_it(name);
  if (program.empty()) throw user_error(fmt::format("'{}' was not found on PATH: name the program with its folder, ./{}", name, name));
  return program;
}

[[noreturn]] void refuse_program(const fs::path& program, const std::string& why) {
  throw user_error(fmt::format("cannot count {}: {}", program.string(), why));
}

void require_executable(const fs::path& program) {
  struct stat facts {};
  if (stat(program.c_str(), &facts) != 0) refuse_program(program, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) refuse_program(program, "it is a directory");
  if (access(program.c_str(), X_OK) != 0) refuse_program(program, "it is not executable for this user (chmod +x)");
}

void require_readable(const fs::path& program) {
  require_executable(program);
  if (access(program.c_str(), R_OK) != 0)
    refuse_program(program, "it is not readable for this user, and the emulator must read what it runs");
  struct stat facts {};
  stat(program.c_str(), &facts);
  const bool privileged = (facts.st_mode & (S_ISUID | S_ISGID)) != 0 || getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
  if (privileged)
    refuse_program(program, "it is set-uid, set-gid or has capabilities, which are lost under the emulator; count a copy without them");
}

// "#! /usr/bin/env -S python3" -> "/usr/bin/env"
std::string interpreter_of(const std::string& first_line) {
  const auto begin = first_line.find_first_not_of(" \t", 2);
  if (begin == first_line.npos) return "";
  return first_line.substr(begin, first_line.find_first_of(" \t\r\n", begin) - begin);
}

// Offsets into the head of an ELF file, and the values for which there is an emulator.
constexpr std::size_t elf_class = 4, elf_machine = 18;
constexpr char class_64 = 2, machine_x86_64 = 62;

void require_runnable(const fs::path& program, int depth) {
  require_readable(program);
  std::ifstream in(program, std::ios::binary);
  std::string head(256, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  constexpr int deepest = 4;  // the kernel's own limit on interpreters of interpreters
  if (head.starts_with("#!")) {
    const std::string interpreter = interpreter_of(head.substr(0, head.find('\n')));
    if (interpreter.empty() || depth == deepest) refuse_program(program, "its first line (#!) names no interpreter");
    if (!fs::exists(interpreter)) refuse_program(program, fmt::format("its interpreter {} is not there", interpreter));
    require_runnable(interpreter, depth + 1);
    return;
  }
  if (!head.starts_with("\x7f"
                        "ELF") ||
      head.size() < 20)
    refuse_program(program, "it is neither a program (ELF) nor a script whose first line names its interpreter (#!)");
  if (head[elf_class] != class_64) refuse_program(program, "it is a 32-bit program; the emulator runs 64-bit ones: build it with -m64");
  if (head[elf_machine] != machine_x86_64 || head[elf_machine + 1] != 0)
    refuse_program(program, "it is built for another kind of processor than x86-64");
}

}  // namespace

fs::path locate_program(const std::string& name, const std::string& way) {
  if (name.empty()) throw user_error(fmt::format("the program's name is empty: plumbline profile {} -- program args", way));
  const fs::path program = require_found(name);
  if (is_launcher(name))
    throw user_error(
        fmt::format("{0} is a launcher: put plumbline behind it, '{0} -n 4 plumbline profile {1} -- program args', so that each rank is "
                    "counted and the "
                    "ranks are merged",
                    name, way));
  require_executable(program);
  return program;
}

bool names_program(const std::string& word) {
  const fs::path program = as_a_shell_finds_it(word);
  std::error_code failed;
  return !program.empty() && fs::is_regular_file(program, failed) && access(program.c_str(), X_OK) == 0;
}

fs::path find_launcher(const std::string& name) {
  fs::path launcher = require_found(name);
  require_executable(launcher);
  return launcher;
}

fs::path find_program(const std::string& name) {
  const fs::path program = locate_program(name, "--count-only");
  require_runnable(program, 0);
  return program;
}

}  // namespace plumbline
