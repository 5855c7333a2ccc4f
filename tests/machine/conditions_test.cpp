// The kernel's words on quotas, throttling and heat are read as they are; what it does not tell has a reason and no number.
#include "machine/conditions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "system_tree.hpp"

namespace plumbline {
namespace {

const Condition& of(const std::vector<Condition>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
}

TEST(Conditions, a_quota_of_control_groups_version_1_is_found_in_an_outer_group_too) {
  SystemTree system;
  system.file("proc/self/cgroup", "9:cpuset:/x\n8:cpu,cpuacct:/job/step\n");
  system.file("proc/self/mountinfo", "1 2 0:1 / /cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  for (const auto* group : {"cpu/job/step", "cpu"}) {
    system.file(std::string(group) + "/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
    system.file(std::string(group) + "/cpu.cfs_quota_us", "-1\n");
    system.file(std::string(group) + "/cpu.cfs_period_us", "100000\n");
  }
  EXPECT_EQ(of(read_conditions(system.root()), "cpu_quota_cores").reason, "no quota is set");
  system.file("cpu/job/cpu.stat", "nr_periods 90\nnr_throttled 7\nthrottled_time 1500000000\n");
  system.file("cpu/job/cpu.cfs_quota_us", "150000\n");
  system.file("cpu/job/cpu.cfs_period_us", "100000\n");
  const auto all = read_conditions(system.root());
  EXPECT_DOUBLE_EQ(of(all, "cpu_quota_cores").value, 1.5);
  EXPECT_DOUBLE_EQ(of(all, "throttled_periods").value, 7);
  EXPECT_DOUBLE_EQ(of(all, "throttled_seconds").value, 1.5);
}

TEST(Conditions, a_quota_of_control_groups_version_2) {
  SystemTree system;
  system.file("proc/self/cgroup", "0::/job\n");
  system.file("proc/self/mountinfo", "1 2 0:1 / /unified rw - cgroup2 cgroup2 rw\n");
  system.file("unified/job/cpu.stat", "usage_usec 5\nnr_periods 90\nnr_throttled 7\nthrottled_usec 250000\n");
  system.file("unified/job/cpu.max", "50000 100000\n");
  const auto all = read_conditions(system.root());
  EXPECT_DOUBLE_EQ(of(all, "cpu_quota_cores").value, 0.5);
  EXPECT_DOUBLE_EQ(of(all, "throttled_seconds").value, 0.25);
}

TEST(Conditions, heat_and_throttling_where_there_are_sensors) {
  SystemTree system;
  system.file("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
  system.file("sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count", "4\n");
  system.file("sys/class/hwmon/hwmon0/temp1_input", "61500\n");
  system.file("sys/class/thermal/thermal_zone0/temp", "48000\n");
  system.file("proc/stat", "cpu  100 0 50 1000 0 0 0 25 0 0\n");
  const auto all = read_conditions(system.root());
  EXPECT_DOUBLE_EQ(of(all, "thermal_throttle_events").value, 7);
  EXPECT_DOUBLE_EQ(of(all, "temperature_celsius").value, 61.5);
  EXPECT_GT(of(all, "steal_seconds").value, 0);
}

TEST(Conditions, what_is_not_there_is_absent_with_its_reason) {
  SystemTree system;
  const auto json = nlohmann::json::parse(conditions_json(read_conditions(system.root())));
  for (const auto* name :
       {"cpu_quota_cores", "throttled_periods", "steal_seconds", "thermal_throttle_events", "temperature_celsius", "load_average"}) {
    EXPECT_TRUE(json.at(name).at("value").is_null()) << name;
    EXPECT_FALSE(json.at(name).at("reason").get<std::string>().empty()) << name;
  }
}

TEST(Conditions, what_counts_up_is_told_by_how_much) {
  const std::vector<Condition> before{
      {"throttled_periods", 5, "", true}, {"cpu_quota_cores", 2, "", false}, {"steal_seconds", 0, "none", true}};
  const std::vector<Condition> after{
      {"throttled_periods", 12, "", true}, {"cpu_quota_cores", 1, "", false}, {"steal_seconds", 9, "", true}};
  auto sum = between(before, after);
  EXPECT_DOUBLE_EQ(sum[0].value, 7);
  EXPECT_DOUBLE_EQ(sum[1].value, 1);
  EXPECT_EQ(sum[2].reason, "none") << "of what was not known before, nobody knows by how much it rose";
  add_span(sum, between(before, after));
  EXPECT_DOUBLE_EQ(sum[0].value, 14);
  EXPECT_DOUBLE_EQ(sum[1].value, 1);
}

TEST(Conditions, this_machine_tells_its_own_cpu_time) {
  const auto all = read_conditions();
  EXPECT_GT(of(all, "own_cpu_seconds").value, 0);
}

}  // namespace
}  // namespace plumbline
