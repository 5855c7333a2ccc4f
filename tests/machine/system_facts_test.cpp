#include "machine/system_facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "machine/kernel_options.hpp"
#include "system_tree.hpp"

namespace plumbline {
namespace {

std::map<std::string, Fact> facts_of(const SystemTree& tree) {
  std::map<std::string, Fact> by_name;
  for (const auto& fact : system_facts(tree.root())) by_name[fact.name] = fact;
  return by_name;
}

std::string cpu_file(int cpu, const std::string& name) { return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + name; }

TEST(system_facts, nothing_to_read_is_absent_with_a_reason_and_never_zero_or_empty) {
  const SystemTree bare;
  ASSERT_GT(facts_of(bare).size(), 40U);
  for (const auto& [name, fact] : facts_of(bare)) {
    EXPECT_FALSE(fact.value.has_value()) << name << " is " << fact.value.value_or("");
    EXPECT_FALSE(fact.reason.empty()) << name;
  }
  EXPECT_TRUE(mitigations(bare.root()).empty());
}

TEST(system_facts, this_machine_has_a_value_or_a_reason_for_each) {
  for (const auto& fact : system_facts()) {
    if (fact.value)
      EXPECT_FALSE(fact.value->empty()) << fact.name;
    else
      EXPECT_FALSE(fact.reason.empty()) << fact.name;
  }
}

TEST(system_facts, a_setting_that_not_all_cpus_share_names_both) {
  SystemTree tree;
  for (int cpu = 0; cpu < 4; ++cpu)
    tree.file(cpu_file(cpu, "cpufreq/scaling_governor"), cpu == 3 ? "powersave\n" : "performance\n")
        .file(cpu_file(cpu, "cpufreq/scaling_max_freq"), "2450000\n");
  const auto facts = facts_of(tree);
  EXPECT_EQ(facts.at("cpufreq_governor").value, "performance (3 CPUs), powersave (1 CPUs)");
  EXPECT_EQ(facts.at("cpufreq_max_khz").value, "2450000");
  EXPECT_TRUE(facts.at("cpufreq_max_khz").number);
}

TEST(system_facts, an_empty_list_of_cpus_is_none_and_an_empty_file_is_absent) {
  SystemTree tree;
  tree.file("sys/devices/system/cpu/isolated", "\n")
      .file("sys/devices/system/cpu/nohz_full", "  (null)\n")
      .file("sys/class/dmi/id/bios_version", "\n");
  const auto facts = facts_of(tree);
  EXPECT_EQ(facts.at("cpus_isolated").value, "none");
  EXPECT_EQ(facts.at("cpus_without_tick").value, "none");
  EXPECT_EQ(facts.at("bios_version").reason, "/sys/class/dmi/id/bios_version is empty");
}

TEST(system_facts, reads_what_the_kernel_writes) {
  SystemTree tree;
  tree.file("proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0x2b000590\nprocessor\t: 1\nmicrocode\t: 0x2b000590\n")
      .file("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
      .file("sys/kernel/mm/transparent_hugepage/defrag", "always defer [madvise] never\n")
      .file("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n")
      .file("sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0\n")
      .file(cpu_file(0, "cpuidle/state0/name"), "POLL\n")
      .file(cpu_file(0, "cpuidle/state1/name"), "C6\n")
      .file(cpu_file(0, "cpuidle/state1/disable"), "1\n")
      .file("proc/sys/vm/swappiness", "10\n")
      .file("proc/sys/kernel/numa_balancing", "lots\n")
      .file("sys/devices/system/edac/mc/mc0/ce_count", "3\n")
      .file("sys/devices/system/edac/mc/mc1/ce_count", "4\n");
  const auto facts = facts_of(tree);
  EXPECT_EQ(facts.at("microcode").value, "0x2b000590");
  EXPECT_EQ(facts.at("os").value, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(facts.at("thp_defrag").value, "madvise");
  EXPECT_EQ(facts.at("huge_pages_reserved").value, "0 x 1048576kB, 512 x 2048kB");
  EXPECT_EQ(facts.at("cpuidle_states").value, "POLL, C6 (disabled)");
  EXPECT_EQ(facts.at("swappiness").value, "10");
  EXPECT_EQ(facts.at("numa_balancing").reason, "/proc/sys/kernel/numa_balancing holds no number");
  EXPECT_EQ(facts.at("memory_errors_corrected").value, "7");
}

TEST(system_facts, a_container_sees_its_part_of_the_hierarchy) {
  SystemTree tree;
  tree.file("proc/self/cgroup", "0::/docker/one/job\n")
      .file("proc/self/mountinfo", "1 2 0:1 /docker/one /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
      .file("sys/fs/cgroup/job/cpu.max", "25000 100000\n");
  EXPECT_EQ(facts_of(tree).at("cpu_limit").value, "0.25 CPUs");
}

TEST(system_facts, the_tightest_control_group_around_this_process_limits_it) {
  SystemTree v2, v1;
  v2.file("proc/self/cgroup", "0::/job/step\n")
      .file("proc/self/mountinfo", "1 2 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
      .file("sys/fs/cgroup/job/cpu.max", "150000 100000\n")
      .file("sys/fs/cgroup/job/step/cpu.max", "max 100000\n")
      .file("sys/fs/cgroup/job/memory.max", "max\n");
  EXPECT_EQ(facts_of(v2).at("cpu_limit").value, "1.5 CPUs");
  EXPECT_EQ(facts_of(v2).at("memory_limit_bytes").value, "none");
  v1.file("proc/self/cgroup", "3:memory:/job\n4:cpu,cpuacct:/job\n")
      .file("proc/self/mountinfo",
            "1 2 0:1 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
            "3 2 0:2 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n")
      .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n")
      .file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(facts_of(v1).at("cpu_limit").value, "none");
  EXPECT_EQ(facts_of(v1).at("memory_limit_bytes").value, "1073741824");
}

std::string smbios_module(unsigned mebibytes, unsigned char type, unsigned speed) {
  std::string bytes(0x28, '\0');
  const auto put = [&](std::size_t at, unsigned value) {
    bytes[at] = static_cast<char>(value & 0xff);
    bytes[at + 1] = static_cast<char>(value >> 8);
  };
  put(0x0c, mebibytes);
  bytes[0x12] = static_cast<char>(type);
  put(0x20, speed);
  return bytes;
}

TEST(system_facts, memory_modules_of_one_kind_are_counted_together) {
  SystemTree tree;
  for (int slot = 0; slot < 3; ++slot)
    tree.file("sys/firmware/dmi/entries/17-" + std::to_string(slot) + "/raw", smbios_module(slot < 2 ? 16384 : 0, 0x22, 4800));
  EXPECT_EQ(facts_of(tree).at("memory_modules").value, "2 x 16 GiB DDR5 at 4800 MT/s, 1 slots empty");
}

TEST(kernel_options, only_those_about_speed_are_told_and_the_others_counted) {
  const std::string line =
      "root=/dev/nfs nfsroot=10.1.2.3:/srv mitigations=off isolcpus=2-7 spec-store-bypass-disable=on luks.password=hunter2 -- mem=1G";
  EXPECT_EQ(published_kernel_options(line), "mitigations=off isolcpus=2-7 spec-store-bypass-disable=on (5 others left out)");
  EXPECT_EQ(published_kernel_options("quiet"), "(1 options left out)");
  EXPECT_EQ(published_kernel_options(""), "none");
}

TEST(mitigations, are_what_the_kernel_says_of_each_vulnerability) {
  SystemTree tree;
  tree.file("sys/devices/system/cpu/vulnerabilities/retbleed", "Mitigation: untrained return thunk\n");
  const auto facts = mitigations(tree.root());
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].name, "retbleed");
  EXPECT_EQ(facts[0].value, "Mitigation: untrained return thunk");
}

}  // namespace
}  // namespace plumbline
