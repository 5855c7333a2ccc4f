#include "measure/queued_time.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "measure/clock.hpp"

namespace plumbline {
namespace {

TEST(queued_time, a_share_is_of_the_time_in_which_a_process_could_have_run) {
  EXPECT_DOUBLE_EQ(share_since({1, 1}, {2, 4}), 0.25);
  EXPECT_DOUBLE_EQ(share_since({1, 1}, {1, 1}), 1) << "it slept";
  EXPECT_DOUBLE_EQ(share_since({1, 1}, {}), 1) << "it is gone";
}

TEST(queued_time, is_the_second_number_in_nanoseconds) {
  const auto root = std::filesystem::path(testing::TempDir()) / "queued_time";
  std::filesystem::create_directories(root / "proc/42");
  std::ofstream(root / "proc/42/schedstat") << "123456789 2500000000 17\n";
  EXPECT_DOUBLE_EQ(cpu_time(42, root).run_seconds, 0.123456789);
  EXPECT_DOUBLE_EQ(cpu_time(42, root).queued_seconds, 2.5);
  EXPECT_EQ(cpu_time(43, root).queued_seconds, 0) << "no such process";
}

TEST(queued_time, grows_while_another_process_has_the_cpu) {
  if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "this kernel keeps no queue's time (CONFIG_SCHED_INFO)";
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const CpuTime queued_before = cpu_time(getpid());
  const pid_t other = fork();
  while (other == 0) static_cast<void>(getppid());
  ASSERT_GT(other, 0);
  const double end = now_seconds() + 20;
  while (cpu_time(getpid()).queued_seconds == queued_before.queued_seconds && now_seconds() < end) {
  }
  const auto children = own_children();
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_GT(cpu_time(getpid()).queued_seconds, queued_before.queued_seconds);
  EXPECT_LT(share_since(queued_before, cpu_time(getpid())), 1);
  if (std::filesystem::exists("/proc/self/task/" + std::to_string(getpid()) + "/children")) {
    EXPECT_NE(std::find(children.begin(), children.end(), other), children.end());
  }
}

}  // namespace
}  // namespace plumbline
