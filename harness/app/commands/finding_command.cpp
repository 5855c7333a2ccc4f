#include "app/commands/finding_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "app/commands/command.hpp"
#include "app/terminal/interruption.hpp"
#include "app/terminal/streams.hpp"
#include "store/file_bytes.hpp"

extern char** environ;

namespace plumbline::app {
namespace {

void warn(const FindingCommand& command, const std::string& what) {
  static_cast<void>(say(fmt::format("plumbline: note: --on-finding '{}' {}; the verdict stands\n", command.line, what)));
}

/// A file without a name holds the document: a command that does not read it blocks nobody, as it would with a pipe.
FileDescriptor document_file(std::string_view document) {
  FileDescriptor file(memfd_create("findings", MFD_CLOEXEC));
  if (!file || !write_all(file.number(), document) || lseek(file.number(), 0, SEEK_SET) != 0) return FileDescriptor();
  return file;
}

/// The command gets a process group of its own, so that it can be ended with what it started. Answers 0, or the error.
int started(const std::string& line, int input, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t of_pipes;  // which a caller may ignore, and a shell's tools do not expect to be ignored
  sigemptyset(&of_pipes);
  sigaddset(&of_pipes, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &of_pipes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh", option = "-c", words = line;
  char* arguments[] = {shell.data(), option.data(), words.data(), nullptr};
  const int error = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Makes sure, while it lives, that a process that ended is waited for, though the caller of this program may ignore such.
class ChildrenAreWaitedFor {
 public:
  ChildrenAreWaitedFor() : before_(signal(SIGCHLD, SIG_DFL)) {}
  ~ChildrenAreWaitedFor() { signal(SIGCHLD, before_); }
  ChildrenAreWaitedFor(const ChildrenAreWaitedFor&) = delete;
  ChildrenAreWaitedFor& operator=(const ChildrenAreWaitedFor&) = delete;

 private:
  sighandler_t before_;
};

/// Waits for a process to end; false where it has not in that time, or where this program is told to stop. Nobody has waited for the
/// process: its number is still its.
bool ends_within(pid_t process, double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != process) {
    if (std::chrono::steady_clock::now() >= until || signal_received() != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace

void add_finding_options(CLI::App& command, FindingCommand& options) {
  auto* line =
      command.add_option("--on-finding", options.line,
                         "a command for sh that is run where something is found, with the findings as JSON (--json) on its standard input");
  line->type_name("COMMAND");
  command.add_option("--on-finding-seconds", options.patience_seconds, "after which that command is ended")
      ->check(number_within(0.1, 3600.0, "a number of seconds"))
      ->needs(line)
      ->capture_default_str();
}

void tell(const FindingCommand& command, std::string_view document) {
  if (command.line.empty()) return;
  const FileDescriptor input = document_file(document);
  if (!input) return warn(command, fmt::format("was not run: its input cannot be written ({})", std::strerror(errno)));
  const ChildrenAreWaitedFor waited;
  watch_for_signals();  // a Ctrl-C reaches this program alone
  pid_t process = 0;
  if (const int error = started(command.line, input.number(), process); error != 0)
    return warn(command, fmt::format("was not run ({})", std::strerror(error)));
  const bool ended = ends_within(process, command.patience_seconds);
  int status = 0;
  kill(-process, SIGKILL);  // and what it left in the background
  waitpid(process, &status, 0);
  if (const int number = signal_received(); number != 0) raise(number);  // which was only put off
  if (!ended) return warn(command, fmt::format("did not end in {:g} s and was ended", command.patience_seconds));
  if (WIFSIGNALED(status)) return warn(command, fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0) warn(command, fmt::format("failed with exit code {}", WEXITSTATUS(status)));
}

}  // namespace plumbline::app
