// A confined process may still do some things, tried in a child of the test's; and it has limits.
#include "app/commands/confinement.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <memory>

#include "tests/sanitized.hpp"

namespace plumbline::app {
namespace {

constexpr std::uint64_t gibibyte = 1U << 30;
constexpr int no_filter = 100;

/// The ending of a confined child that does this: its exit code is what `work` answers, `no_filter` where the kernel has none.
int ending_of(const Confinement& to, const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    const bool filtered = confine(to);
    _exit(filtered ? work() : no_filter);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int code_of(const std::function<int()>& work) {
  const int status = ending_of({gibibyte, 60, 600}, work);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

class Confined : public testing::Test {
 protected:
  void SetUp() override {
    if (code_of([] { return 0; }) == no_filter) GTEST_SKIP() << "SKIP: this kernel has no filter of system calls (seccomp)";
  }
};

TEST_F(Confined, may_compute_take_memory_and_write_to_standard_output) {
  if (address_sanitized) GTEST_SKIP() << "SKIP: a sanitizer takes memory by calls of its own";
  EXPECT_EQ(code_of([] {
              const auto memory = std::make_unique<std::array<char, 1U << 24>>();  // by mmap
              memory->fill(7);
              return memory->back() == 7 && write(STDOUT_FILENO, "", 0) == 0 ? 0 : 1;
            }),
            0);
}

TEST_F(Confined, may_open_connect_start_signal_and_map_nothing) {
  const pid_t parent = getpid();
  const std::function<int()> refused[] = {
      [] { return open("/etc/passwd", O_RDONLY) < 0 ? errno : 0; },
      [] { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; },
      [] { return fork() < 0 ? errno : 0; },
      [&] { return kill(parent, SIGKILL) != 0 ? errno : 0; },
      [] { return execl("/bin/true", "true", nullptr) != 0 ? errno : 0; },
      [] { return write(STDERR_FILENO, "x", 1) < 0 ? errno : 0; },
      [] { return mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0) == MAP_FAILED ? errno : 0; },
      [] { return unlink("/nowhere/to/be/found") != 0 ? errno : 0; },
  };
  for (std::size_t i = 0; i < std::size(refused); ++i) EXPECT_EQ(code_of(refused[i]), EPERM) << "call " << i;
}

TEST_F(Confined, gets_no_more_memory_than_it_was_given) {
  if (address_sanitized) GTEST_SKIP() << "SKIP: a sanitizer ends a program that asks for too much";
  EXPECT_EQ(code_of([] { return mmap(nullptr, gibibyte / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0; }),
            0);
  EXPECT_EQ(code_of([] { return mmap(nullptr, 2 * gibibyte, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0; }),
            ENOMEM);
}

TEST_F(Confined, that_comes_to_no_end_is_ended) {
  const int busy = ending_of({gibibyte, 1, 600}, [] {
    for (volatile bool on = true; on;) {
    }
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(busy) && WTERMSIG(busy) == SIGXCPU);
  const int waiting = ending_of({gibibyte, 60, 1}, [] {
    const int never = 0;
    for (;;) syscall(SYS_futex, &never, FUTEX_WAIT, 0, nullptr, nullptr, 0);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(waiting) && WTERMSIG(waiting) == SIGALRM);
}

}  // namespace
}  // namespace plumbline::app
