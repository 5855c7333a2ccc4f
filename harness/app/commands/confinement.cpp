#include "app/commands/confinement.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace plumbline::app {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
constexpr std::uint32_t architecture = AUDIT_ARCH_PPC64LE;
#else
constexpr std::uint32_t architecture = 0;
#endif

// A sanitizer's own calls and addresses are none that could be told beforehand.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

/// The calls of the system that taking memory, telling the time and ending need.
constexpr std::uint32_t allowed[] = {SYS_brk,    SYS_munmap,        SYS_mremap,    SYS_mprotect,     SYS_madvise, SYS_futex,
                                     SYS_getpid, SYS_clock_gettime, SYS_getrandom, SYS_rt_sigreturn, SYS_exit,    SYS_exit_group};

constexpr auto number_at = offsetof(seccomp_data, nr), architecture_at = offsetof(seccomp_data, arch);
/// The lower half of an argument of the call.
constexpr std::size_t argument_at(std::size_t number) { return offsetof(seccomp_data, args) + 8 * number; }

sock_filter load(std::size_t at) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at)); }
sock_filter answer(std::uint32_t what) { return BPF_STMT(BPF_RET | BPF_K, what); }
/// Steps over so many lines where what was loaded is another number, or has none of these bits.
sock_filter unless_equal(std::uint32_t number, std::uint8_t lines) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, lines); }
sock_filter unless_any(std::uint32_t bits, std::uint8_t lines) { return BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, lines); }

constexpr std::uint32_t yes = SECCOMP_RET_ALLOW, no = SECCOMP_RET_ERRNO | EPERM;

std::vector<sock_filter> filter() {
  std::vector<sock_filter> lines{load(architecture_at), unless_equal(architecture, 2), load(number_at)};
  lines.push_back(BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  lines.push_back(answer(no));  // another architecture's numbers
  for (const std::uint32_t call : allowed) {
    lines.push_back(unless_equal(call, 1));
    lines.push_back(answer(yes));
  }
  const sock_filter by_argument[] = {
      unless_equal(SYS_write, 4), load(argument_at(0)), unless_equal(STDOUT_FILENO, 1), answer(yes), answer(no),
      unless_equal(SYS_mmap, 3),  load(argument_at(3)), unless_any(MAP_ANONYMOUS, 1),   answer(yes), answer(no)};
  lines.insert(lines.end(), std::begin(by_argument), std::end(by_argument));
  return lines;
}

bool install_filter() {
  std::vector<sock_filter> lines = filter();
  const sock_fprog program{static_cast<unsigned short>(lines.size()), lines.data()};
  return architecture != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Limits a resource, not above what this process may have already. `patience`: between the first signal and the last.
void limit(decltype(RLIMIT_AS) resource, std::uint64_t amount, std::uint64_t patience = 0) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return;
  now.rlim_max = std::min<rlim_t>(amount + patience, now.rlim_max);
  now.rlim_cur = std::min<rlim_t>(amount, now.rlim_max);
  setrlimit(resource, &now);
}

/// Addresses that this process has taken, in bytes.
std::uint64_t addresses_taken() {
  unsigned long long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  const bool known = file != nullptr && std::fscanf(file, "%llu", &pages) == 1;
  if (file != nullptr) std::fclose(file);
  return known ? pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : std::uint64_t{1} << 40;
}

}  // namespace

bool confine(const Confinement& to) {
  limit(RLIMIT_CORE, 0);
  alarm(to.seconds);
  limit(RLIMIT_CPU, to.cpu_seconds, 5);
  if (sanitized) return false;
  limit(RLIMIT_AS, addresses_taken() + to.memory_bytes);
  return install_filter();
}

}  // namespace plumbline::app
