#include "profile/program_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "profile/signals_noted.hpp"

namespace plumbline {
namespace {

constexpr std::array passed_on{SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t running_program = 0, last_signal = 0;

// A terminal's Ctrl-C reaches the program by itself; what another process sent to this one alone is sent on.
void pass_on(int signal, siginfo_t* info, void*) {
  if (signal != SIGUSR1 && signal != SIGUSR2) last_signal = signal;
  if (running_program > 0 && info->si_code <= 0) kill(running_program, signal);
}

// Passes signals that would end this process on to the program while it lives; those ignored from the start (nohup) stay so.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < passed_on.size(); ++i) {
      sigaction(passed_on[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(passed_on[i], &action, nullptr);
    }
  }
  ~SignalsPassedOn() {
    running_program = 0;
    for (std::size_t i = 0; i < passed_on.size(); ++i) sigaction(passed_on[i], &before_[i], nullptr);
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

 private:
  std::array<struct sigaction, passed_on.size()> before_{};
};

// Signals wait while the process is doubled, so that none meets a half-made state.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : passed_on) sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { release(); }
  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

/// Puts a file in the place of a descriptor, where one is named. False: it cannot be opened.
bool put_in_place(const std::string& file, int flags, int descriptor, std::int64_t begin = 0) {
  if (file.empty()) return true;
  const int opened = open(file.c_str(), flags, 0600);
  if (opened >= 0 && begin > 0) lseek(opened, begin, SEEK_SET);
  return opened >= 0 && dup2(opened, descriptor) >= 0 && (opened == descriptor || close(opened) == 0);
}

[[noreturn]] void become_program(const ProgramRun& run, std::vector<std::string>& words, pid_t wrapper) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a wrapper that is killed takes the program along
  if (getppid() != wrapper) _exit(127);
  constexpr int anew = O_WRONLY | O_CREAT | O_TRUNC;
  const StandardStreams& streams = run.streams;
  if (!put_in_place(streams.input, O_RDONLY, STDIN_FILENO, streams.input_begin) || !put_in_place(streams.output, anew, STDOUT_FILENO) ||
      !put_in_place(streams.errors, anew, STDERR_FILENO))
    _exit(127);
  for (const auto& one : run.environment) setenv(one.name.c_str(), one.value.c_str(), one.replaces ? 1 : 0);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(run.file.c_str(), pointers.data());
  _exit(127);
}

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }

ProgramEnding wait_for(pid_t child, std::chrono::steady_clock::time_point start) {
  int status = 0;
  struct rusage used {};
  while (wait4(child, &status, 0, &used) < 0)
    if (errno != EINTR) throw io_error(fmt::format("cannot wait for the program: {}", std::strerror(errno)));
  ProgramEnding ending{.process = child, .code = WEXITSTATUS(status), .interrupted = last_signal};
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status), ending.code = 128 + WTERMSIG(status);
  ending.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ending.user_seconds = seconds(used.ru_utime), ending.system_seconds = seconds(used.ru_stime);
  return ending;
}

}  // namespace

ProgramEnding run_program(const ProgramRun& run) {
  end_if_signalled();
  std::vector<std::string> words = run.words;
  const pid_t wrapper = getpid();
  const SignalsHeld held;
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) throw io_error(fmt::format("cannot start the program: fork: {}", std::strerror(errno)));
  if (child == 0) {
    held.release();
    become_program(run, words, wrapper);
  }
  last_signal = 0;
  const SignalsPassedOn passing;
  running_program = child;
  held.release();
  return wait_for(child, start);
}

}  // namespace plumbline
