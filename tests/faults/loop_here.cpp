// loop_here PID SECONDS: makes the first thread of a running process loop for ever at the next place where it is found inside its own
// program (rather than in a library, or in the kernel): what a kernel with a wrong loop condition does. Exit 1: never found there in that
// time.
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

#if defined(__x86_64__)
constexpr long jump_to_itself = 0xfeeb, its_bytes = 0xffff;
unsigned long long counter_of(const user_regs_struct& registers) { return registers.rip; }
#elif defined(__aarch64__)
constexpr long jump_to_itself = 0x14000000, its_bytes = 0xffffffff;
unsigned long long counter_of(const user_regs_struct& registers) { return registers.pc; }
#endif

/// Whether the address lies in the program's own code.
bool is_own_code(const std::string& process, unsigned long long address) {
  char program[PATH_MAX] = {};
  if (readlink(("/proc/" + process + "/exe").c_str(), program, sizeof program - 1) < 0) return false;
  std::FILE* maps = std::fopen(("/proc/" + process + "/maps").c_str(), "r");
  if (maps == nullptr) return false;
  bool found = false;
  char line[PATH_MAX + 200];
  while (!found && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long long from = 0, to = 0;
    found =
        std::sscanf(line, "%llx-%llx r-xp", &from, &to) == 2 && std::strstr(line, program) != nullptr && address >= from && address < to;
  }
  std::fclose(maps);
  return found;
}

/// Whether the process loops now.
bool loops(pid_t process) {
  if (ptrace(PTRACE_ATTACH, process, nullptr, nullptr) != 0) return false;
  int status = 0;
  waitpid(process, &status, __WALL);
  user_regs_struct registers{};
  iovec into{&registers, sizeof registers};
  bool done = false;
  if (ptrace(PTRACE_GETREGSET, process, NT_PRSTATUS, &into) == 0 && is_own_code(std::to_string(process), counter_of(registers))) {
    const long there = ptrace(PTRACE_PEEKTEXT, process, counter_of(registers), nullptr);
    done = ptrace(PTRACE_POKETEXT, process, counter_of(registers), (there & ~its_bytes) | jump_to_itself) == 0;
  }
  ptrace(PTRACE_DETACH, process, nullptr, nullptr);
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  constexpr int tries_a_second = 200;
  for (int left = std::atoi(argv[2]) * tries_a_second; left > 0; --left) {
    if (loops(std::atoi(argv[1]))) return 0;
    usleep(1'000'000 / tries_a_second);
  }
  return 1;
}
