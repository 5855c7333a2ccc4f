#include "machine/capability.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace plumbline {
namespace {

TEST(pmu, a_counter_that_opens_is_usable) {
  EXPECT_EQ(judge_pmu({.error = 0, .paranoid = 2, .virtual_machine = false}).status, Status::ok);
}

TEST(pmu, a_refusal_is_a_matter_of_permission_and_says_what_to_set) {
  const auto row = judge_pmu({.error = EACCES, .paranoid = 4, .virtual_machine = false});
  EXPECT_EQ(row.status, Status::permission);
  EXPECT_NE(row.found.find("perf_event_paranoid is 4"), std::string::npos);
  EXPECT_NE(row.next.find("sysctl kernel.perf_event_paranoid"), std::string::npos);
}

TEST(pmu, a_container_that_refuses_what_the_kernel_allows_is_told_what_to_allow) {
  const auto row = judge_pmu({.error = EPERM, .paranoid = 2, .virtual_machine = false});
  EXPECT_EQ(row.status, Status::permission);
  EXPECT_EQ(row.next.find("sysctl"), std::string::npos) << "it is low enough already";
  EXPECT_NE(row.next.find("allow the system call perf_event_open"), std::string::npos);
}

TEST(pmu, a_virtual_machine_without_a_pmu_is_told_as_such) {
  const auto row = judge_pmu({.error = ENOENT, .paranoid = 2, .virtual_machine = true});
  EXPECT_EQ(row.status, Status::unavailable);
  EXPECT_NE(row.found.find("virtual machine"), std::string::npos);
  EXPECT_NE(row.next.find("emulated"), std::string::npos);
}

TEST(pmu, a_counter_that_stays_at_zero_is_not_usable) {
  EXPECT_EQ(judge_pmu({.error = ENODATA, .paranoid = 0, .virtual_machine = true}).status, Status::unavailable);
}

TEST(capabilities, every_row_says_what_was_found) {
  const auto rows = machine_capabilities(this_topology(), this_cpu(), this_node_state());
  EXPECT_GE(rows.size(), 8U);
  for (const auto& row : rows) EXPECT_FALSE(row.found.empty()) << row.what;
}

TEST(capabilities, fewer_cpus_than_the_node_has_are_told) {
  auto node = this_topology();
  node.cpus.front().allowed = false;
  for (const auto& row : machine_capabilities(node, this_cpu(), {})) {
    if (row.what == "binding") {
      EXPECT_NE(row.next, "");
    }
    if (row.what == "memory") {
      EXPECT_EQ(row.status, Status::unavailable) << "nobody said how much there is";
    }
  }
}

}  // namespace
}  // namespace plumbline
