#include "app/session/watchdog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/terminal/progress.hpp"
#include "comm/waiting.hpp"
#include "core/error.hpp"
#include "measure/clock.hpp"
#include "measure/queued_time.hpp"

namespace plumbline::app {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double roll_seconds = 3;         // in which a rank that can run at all answers, and wakes
constexpr double other_nodes_seconds = 5;  // more for the node on which somebody hangs to end the job
constexpr double record_seconds = 30;      // a file system may be what hangs
constexpr double look_seconds = 1;
constexpr double starving_share = 0.2;  // of the CPU time that a process asks for
constexpr double waking_seconds = 5;    // in which a rank that was stopped ends by itself, also on a busy node
constexpr double poll_seconds = 0.05;
constexpr double glances = 10;  // within a deadline: of a stop, at most one glance's length goes unnoticed
constexpr double least_glance_seconds = 0.5;

/// Says a line at once, past stdio: its lock may be held by whoever hangs.
void say_at_once(const std::string& line) {
  const std::string text = "plumbline: " + line + "\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // there is nobody else to tell
}

/// The letter of /proc/PID/stat, behind the name in brackets; '-' where there is no such process.
char state_of(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(") ");
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '-' : text[name_end + 2];
}

std::string why_silent(int process) {
  switch (state_of(process)) {
    case 'T':
    case 't':
      return fmt::format("is stopped (process {}: SIGSTOP, or a debugger)", process);
    case '-':
    case 'Z':
    case 'X':
      return fmt::format("is gone (process {})", process);
    case 'D':
      return fmt::format("is stuck in the kernel (process {}: a disk or a file system that does not answer)", process);
    default:
      return fmt::format("does not answer (process {})", process);
  }
}

/// Whether a process is of this program: not another one that has got the number of one that is gone.
bool is_this_program(int process) {
  std::error_code none;
  const auto mine = std::filesystem::read_symlink("/proc/self/exe", none);
  return !none && std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), none) == mine;
}

}  // namespace

Watchdog::Watchdog(Group& local, int world_rank, std::string host, int nodes)
    : board_(local, world_rank), host_(std::move(host)), nodes_(nodes), until_(never), asleep_until_(never) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the first thread's
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  board_.knock(board_.mine());
  thread_.join();
}

void Watchdog::expect(Expectation expectation) {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    until_ = now_seconds() + expectation.seconds;
    expected_ = std::move(expectation);
    wake = until_ < asleep_until_;
  }
  if (wake) board_.knock(board_.mine());
}

void Watchdog::record_with(std::function<std::string(const Hang&)> record) {
  const std::scoped_lock lock(mutex_);
  record_ = std::move(record);
}

double Watchdog::stopped_seconds() const {
  const std::scoped_lock lock(mutex_);
  return stopped_seconds_;
}

/// Notices that ranks were stopped; called under the lock. Where all ranks were, none of them hangs: the deadline moves by as much. Where
/// others ran on, one of them has called the roll meanwhile.
double Watchdog::notice_a_stop() {
  const double late = now_seconds() - asleep_until_;
  if (late < roll_seconds) return 0;
  until_ += late;
  stopped_seconds_ += late;
  return late;
}

/// Looks for a second, once time is up. Where this rank, or the worker that it waits for, gets next to nothing of the CPU time that it asks
/// for, other programs have the node: nothing can be said of a hang, and it is waited for as long again.
bool Watchdog::waits_longer() {
  std::string name;
  double until = 0;
  {
    const std::scoped_lock lock(mutex_);
    name = expected_.name;
    until = until_;
  }
  auto processes = own_children();
  processes.push_back(getpid());
  std::vector<CpuTime> before;
  for (const int process : processes) before.push_back(cpu_time(process));
  usleep(static_cast<useconds_t>(1e6 * look_seconds));
  double share = 1;
  for (std::size_t i = 0; i < processes.size(); ++i) share = std::min(share, share_since(before[i], cpu_time(processes[i])));
  const std::scoped_lock lock(mutex_);
  if (until_ != until) return true;  // something else is expected by now
  if (share > starving_share) return false;
  until_ = now_seconds() + expected_.seconds;
  say_at_once(
      fmt::format("{} takes longer than {}, but rank {} on {} gets {:.0f} % of the CPU time that it asks for (other programs?): it is "
                  "waited for as long again",
                  name, duration_text(expected_.seconds), board_.world_rank(board_.mine()), host_, 100 * share));
  return true;
}

void Watchdog::watch() {
  for (;;) {
    const auto seen = board_.knocks();
    double left = never, glance = never, stopped = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (done_) return;
      stopped = notice_a_stop();
      left = until_ - now_seconds();
      glance = std::min(left, std::max(least_glance_seconds, expected_.seconds / glances));
      asleep_until_ = now_seconds() + glance;
    }
    if (board_.called()) leave_when_written();
    if (stopped > 0 && board_.mine() == 0)
      say_at_once(fmt::format("rank {} on {} stood still for {} (suspended?): its deadline moves by as much", board_.world_rank(0), host_,
                              duration_text(stopped)));
    if (left <= 0 && !waits_longer()) call_the_roll();
    board_.sleep(seen, glance);
  }
}

/// Calls the roll: where several ranks' time is up at once, one asks all.
void Watchdog::call_the_roll() {
  if (!board_.call()) leave_when_written();
  board_.give(waits_for_others() ? Answer::waits : Answer::works);
  const auto all_answered = [&] {
    for (int rank = 0; rank < board_.size(); ++rank)
      if (board_.answer(rank) == Answer::none) return false;
    return true;
  };
  for (const double end = now_seconds() + roll_seconds; !all_answered() && now_seconds() < end;)
    usleep(static_cast<useconds_t>(1e6 * poll_seconds));
  Hang hang = find_out();
  if (hang.ranks.empty()) usleep(static_cast<useconds_t>(1e6 * other_nodes_seconds));
  say_at_once(hang.message + record(hang));
  board_.tell_written();
  end_the_others();
  leave();
}

void Watchdog::leave_when_written() {
  board_.give(waits_for_others() ? Answer::waits : Answer::works);
  for (const double end = now_seconds() + roll_seconds + other_nodes_seconds + record_seconds; !board_.written() && now_seconds() < end;)
    usleep(static_cast<useconds_t>(1e6 * poll_seconds));
  leave();
}

Hang Watchdog::find_out() const {
  Hang hang;
  {
    const std::scoped_lock lock(mutex_);
    hang.expected = expected_;
  }
  for (int rank = 0; rank < board_.size(); ++rank) {
    const Answer answer = board_.answer(rank);
    if (answer == Answer::waits) continue;
    hang.ranks.push_back({board_.world_rank(rank), answer == Answer::works
                                                       ? fmt::format("still works (process {}: a loop without end?)", board_.process(rank))
                                                       : why_silent(board_.process(rank))});
  }
  std::vector<std::string> found;
  for (const auto& [rank, why] : hang.ranks) found.push_back(fmt::format("rank {} on {} {}", rank, host_, why));
  if (found.empty() && nodes_ > 1)
    found.push_back(fmt::format("all ranks of {} wait for another node: a dead link, or a rank that hangs there", host_));
  if (found.empty())
    found.push_back(fmt::format(
        "all ranks of {}, the only node, wait for each other: its MPI does not answer, or other programs leave them hardly a CPU", host_));
  hang.message = fmt::format("{} took longer than {} ({}): {}", hang.expected.name, duration_text(hang.expected.seconds),
                             hang.expected.rule, fmt::join(found, ", "));
  return hang;
}

std::string Watchdog::record(const Hang& hang) {
  const std::scoped_lock lock(mutex_);
  if (!record_) return "; nothing was measured yet";
  try {
    return "; " + record_(hang);
  } catch (const std::exception& failure) {
    return fmt::format("; that could not be recorded: {}", failure.what());
  }
}

std::vector<int> Watchdog::silent_processes() const {
  std::vector<int> processes;
  for (int rank = 0; rank < board_.size(); ++rank)
    if (const int process = board_.process(rank); board_.answer(rank) == Answer::none && is_this_program(process))
      processes.push_back(process);
  return processes;
}

/// A stopped rank is woken, so that it ends by itself with the same code; one that cannot end is killed.
void Watchdog::end_the_others() {
  for (const int process : silent_processes()) kill(process, SIGCONT);
  for (const double end = now_seconds() + waking_seconds; !silent_processes().empty() && now_seconds() < end;)
    usleep(static_cast<useconds_t>(1e6 * poll_seconds));
  for (const int process : silent_processes()) kill(process, SIGKILL);
}

/// The node's first rank leaves before the others: Hydra kills the others as soon as one leaves so, and ends with what became of the lowest
/// one (MPICH 4.0: 80 of 80 runs of two ranks ended with 75 when rank 0 left first, 19 of 80 with the signal's 9 when rank 1 did).
void Watchdog::leave() {
  const int first = board_.process(0);
  for (const double end = now_seconds() + 2 * waking_seconds; board_.mine() != 0 && is_this_program(first) && now_seconds() < end;)
    usleep(static_cast<useconds_t>(1e6 * poll_seconds));
  ::_exit(static_cast<int>(Exit::stopped_early));
}

}  // namespace plumbline::app
