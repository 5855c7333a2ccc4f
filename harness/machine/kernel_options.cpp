#include "machine/kernel_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "machine/system_file.hpp"

namespace plumbline {
namespace {

// The options about speed in the kernel's admin-guide/kernel-parameters, with "_" for "-".
constexpr std::string_view about_speed[] = {
    // mitigations of CPU vulnerabilities
    "mitigations", "gather_data_sampling", "indirect_target_selection", "kvm_intel.vmentry_l1d_flush", "l1tf", "kpti", "mds",
    "mmio_stale_data", "nopti", "nosmt", "nospec_store_bypass_disable", "nospectre_v1", "nospectre_v2", "pti", "reg_file_data_sampling",
    "retbleed", "spec_rstack_overflow", "spec_store_bypass_disable", "spectre_bhi", "spectre_v2", "spectre_v2_user", "srbds", "tsa", "tsx",
    "tsx_async_abort", "vmscape",
    // options for who runs on which CPU, and what interrupts it
    "idle", "irqaffinity", "isolcpus", "maxcpus", "nmi_watchdog", "nohz", "nohz_full", "nosoftlockup", "nowatchdog", "nr_cpus", "preempt",
    "rcu_nocbs", "rcu_nocb_poll", "skew_tick", "threadirqs", "workqueue.power_efficient",
    // memory
    "default_hugepagesz", "hugepages", "hugepagesz", "init_on_alloc", "init_on_free", "mem", "memmap", "nokaslr", "norandmaps", "numa",
    "numa_balancing", "swiotlb", "transparent_hugepage", "iommu", "iommu.passthrough", "iommu.strict", "intel_iommu", "amd_iommu",
    "page_poison", "slub_debug",
    // clocks and power
    "acpi_pad.disable", "amd_pstate", "amd_prefcore", "clocksource", "cpufreq.default_governor", "cpufreq.off", "cpuidle.governor",
    "cpuidle.off", "cpuidle_haltpoll.force", "haltpoll.guest_halt_poll_ns", "intel_idle.max_cstate", "intel_pstate", "pcie_aspm",
    "processor.max_cstate", "tsc", "split_lock_detect", "audit", "cgroup_disable", "systemd.unified_cgroup_hierarchy"};

bool is_about_speed(std::string_view option) {
  std::string name(option.substr(0, option.find('=')));
  std::replace(name.begin(), name.end(), '-', '_');  // the kernel takes them for the same
  return std::find(std::begin(about_speed), std::end(about_speed), name) != std::end(about_speed);
}

}  // namespace

std::string published_kernel_options(const std::string& command_line) {
  std::istringstream words(command_line);
  std::vector<std::string> told;
  std::size_t others = 0;
  bool for_init = false;  // what follows "--" is init's
  for (std::string word; words >> word;) {
    for_init = for_init || word == "--";
    if (!for_init && is_about_speed(word))
      told.push_back(word);
    else
      ++others;
  }
  if (others > 0) told.push_back(fmt::format("({} {} left out)", others, told.empty() ? "options" : "others"));
  return told.empty() ? "none" : fmt::format("{}", fmt::join(told, " "));
}

Fact kernel_options(const std::filesystem::path& root) {
  const auto line = first_line(root / "proc/cmdline");
  if (!line) return unknown("kernel_options", "/proc/cmdline cannot be read");
  return known("kernel_options", published_kernel_options(*line));
}

}  // namespace plumbline
