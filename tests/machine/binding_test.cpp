#include "machine/binding.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "machine/topology.hpp"

namespace plumbline {
namespace {

TEST(binding, a_bound_thread_runs_where_it_was_bound) {
  for (const int cpu : this_topology().allowed_cpus())
    std::thread([cpu] {
      EXPECT_EQ(bind_this_thread(cpu), "");
      EXPECT_EQ(sched_getcpu(), cpu);
    }).join();
}

TEST(binding, a_cpu_that_is_not_there_is_a_reason) {
  std::thread([] { EXPECT_NE(bind_this_thread(1000).find("CPU 1000"), std::string::npos); }).join();
}

}  // namespace
}  // namespace plumbline
