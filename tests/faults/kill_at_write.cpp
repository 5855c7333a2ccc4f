// kill_at_write FOLDER NUMBER PART -- COMMAND...: runs COMMAND and kills it with SIGKILL at its NUMBERth change of anything in FOLDER.
// PART: `before` the system call, `after` it, or `0.37`: a write stops after that part of its bytes and the process dies right there, as a
// machine that loses its power leaves a file. What was done (`before`, `inside`, `after`) is added to FOLDER.changes; with NUMBER 0, which
// kills nothing, how many changes there were. A seccomp filter stops COMMAND and what it forks at those calls alone, so that all else runs
// at full speed.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Change {
  long call;
  int descriptor, path;  // which argument names the file; -1: none
};
constexpr Change changes[] = {
    {SYS_write, 0, -1}, {SYS_pwrite64, 0, -1}, {SYS_fsync, 0, -1}, {SYS_fdatasync, 0, -1}, {SYS_ftruncate, 0, -1}, {SYS_rename, -1, 1},
    {SYS_mkdir, -1, 0}, {SYS_unlink, -1, 0},   {SYS_rmdir, -1, 0}, {SYS_unlinkat, 0, 1},   {SYS_open, -1, 0},      {SYS_openat, -1, 1},
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "kill_at_write: %s: %s\n", what, std::strerror(errno));
  std::_Exit(2);
}

void stop_at_changes() {
  constexpr std::size_t calls = std::size(changes);
  sock_filter filter[calls + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (std::size_t i = 0; i < calls; ++i)
    filter[1 + i] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(changes[i].call), static_cast<unsigned char>(calls - i), 0);
  filter[calls + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[calls + 2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  const sock_fprog program{.len = calls + 3, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) fail("seccomp");
}

unsigned long long argument(const user_regs_struct& registers, int number) {
  return number == 0 ? registers.rdi : number == 1 ? registers.rsi : registers.rdx;
}

std::string text_of(pid_t process, unsigned long long address) {
  std::string text;
  for (; text.size() < PATH_MAX; address += sizeof(long)) {
    errno = 0;
    const long word = ptrace(PTRACE_PEEKDATA, process, address, nullptr);
    if (errno != 0) break;
    char bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    const std::size_t length = strnlen(bytes, sizeof word);
    text.append(bytes, length);
    if (length < sizeof word) break;
  }
  return text;
}

std::string file_behind(pid_t process, const std::string& link) {
  char target[PATH_MAX];
  const ssize_t length = readlink(("/proc/" + std::to_string(process) + "/" + link).c_str(), target, sizeof target);
  return length < 0 ? "" : std::string(target, static_cast<std::size_t>(length));
}

/// The file that a stopped call is about to change; empty where it changes none.
std::string changed_file(pid_t process, const user_regs_struct& registers) {
  for (const auto& [call, descriptor, path] : changes) {
    if (static_cast<long>(registers.orig_rax) != call) continue;
    if (call == SYS_openat && (registers.rdx & O_CREAT) == 0) return "";
    if (call == SYS_open && (registers.rsi & O_CREAT) == 0) return "";
    const std::string folder = descriptor < 0
                                   ? file_behind(process, "cwd")
                                   : file_behind(process, "fd/" + std::to_string(static_cast<int>(argument(registers, descriptor))));
    if (path < 0) return folder;
    const std::string name = text_of(process, argument(registers, path));
    return name.starts_with('/') ? name : folder + "/" + name;
  }
  return "";
}

/// Lets the call come to its end, a write with that part of its bytes, and kills.
void kill_behind(pid_t process, user_regs_struct registers, double part) {
  if (part < 1) {
    registers.rdx = static_cast<unsigned long long>(static_cast<double>(registers.rdx) * part);
    ptrace(PTRACE_SETREGS, process, nullptr, &registers);
  }
  ptrace(PTRACE_SYSCALL, process, nullptr, nullptr);  // to the call's end
  int status = 0;
  waitpid(process, &status, __WALL);
  kill(process, SIGKILL);
}

void write_down(const std::string& folder, const std::string& line) {
  std::FILE* file = std::fopen((folder + ".changes").c_str(), "a");
  if (file == nullptr) fail("FOLDER.changes");
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

/// Answers what it did: a call that is no write has no inside.
const char* kill_at(pid_t process, const user_regs_struct& registers, const std::string& part) {
  const bool is_write = registers.orig_rax == SYS_write || registers.orig_rax == SYS_pwrite64;
  if (part == "before" || (part != "after" && !is_write)) {
    kill(process, SIGKILL);
    return "before";
  }
  kill_behind(process, registers, part == "after" ? 1.0 : std::atof(part.c_str()));
  return part == "after" ? "after" : "inside";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6 || std::strcmp(argv[4], "--") != 0) {
    std::fprintf(stderr, "usage: kill_at_write FOLDER NUMBER PART -- COMMAND...\n");
    return 2;
  }
  const std::string folder = argv[1], part = argv[3];
  const long wanted = std::atol(argv[2]);
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    stop_at_changes();
    execvp(argv[5], argv + 5);
    fail(argv[5]);
  }
  int status = 0;
  waitpid(child, &status, 0);
  constexpr long options =
      PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
  if (ptrace(PTRACE_SETOPTIONS, child, nullptr, options) != 0) fail("ptrace");
  ptrace(PTRACE_CONT, child, nullptr, nullptr);
  long seen = 0;
  for (;;) {
    const pid_t process = waitpid(-1, &status, __WALL);
    if (process < 0) return 2;
    if (process == child && (WIFEXITED(status) || WIFSIGNALED(status))) {
      if (wanted == 0 && seen > 0) write_down(folder, std::to_string(seen));
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (!WIFSTOPPED(status)) continue;
    const int event = status >> 16;
    int signal = event == 0 ? WSTOPSIG(status) : 0;
    if (signal == SIGTRAP || signal == SIGSTOP) signal = 0;  // of an exec, or of a process that was just forked
    if (event == PTRACE_EVENT_SECCOMP) {
      user_regs_struct registers{};
      ptrace(PTRACE_GETREGS, process, nullptr, &registers);
      if (changed_file(process, registers).starts_with(folder) && ++seen == wanted) write_down(folder, kill_at(process, registers, part));
    }
    ptrace(PTRACE_CONT, process, nullptr, signal);
  }
}
