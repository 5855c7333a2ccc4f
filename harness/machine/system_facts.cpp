#include "machine/system_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>

#include "machine/control_group.hpp"
#include "machine/kernel_options.hpp"
#include "machine/memory_modules.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

enum class Form { text, number, chosen };  // chosen: the word in brackets of "always [madvise] never"

struct OneLine {
  const char* name;
  const char* path;
  Form form = Form::text;
  const char* when_empty = nullptr;  // what an empty line means; null: nothing
};

constexpr OneLine one_line_files[] = {
    {"kernel_release", "proc/sys/kernel/osrelease"},
    {"kernel_version", "proc/sys/kernel/version"},
    {"cpus_online", "sys/devices/system/cpu/online"},
    {"cpus_isolated", "sys/devices/system/cpu/isolated", Form::text, "none"},
    {"cpus_without_tick", "sys/devices/system/cpu/nohz_full", Form::text, "none"},
    {"smt_control", "sys/devices/system/cpu/smt/control"},
    {"smt_active", "sys/devices/system/cpu/smt/active", Form::number},
    {"numa_nodes_online", "sys/devices/system/node/online"},
    {"numa_balancing", "proc/sys/kernel/numa_balancing", Form::number},
    {"zone_reclaim_mode", "proc/sys/vm/zone_reclaim_mode", Form::number},
    {"thp_enabled", "sys/kernel/mm/transparent_hugepage/enabled", Form::chosen},
    {"thp_defrag", "sys/kernel/mm/transparent_hugepage/defrag", Form::chosen},
    {"thp_shared_memory", "sys/kernel/mm/transparent_hugepage/shmem_enabled", Form::chosen},
    {"swappiness", "proc/sys/vm/swappiness", Form::number},
    {"overcommit_memory", "proc/sys/vm/overcommit_memory", Form::number},
    {"address_randomization", "proc/sys/kernel/randomize_va_space", Form::number},
    {"perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid", Form::number},
    {"nmi_watchdog", "proc/sys/kernel/nmi_watchdog", Form::number},
    {"sched_autogroup", "proc/sys/kernel/sched_autogroup_enabled", Form::number},
    {"clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"cpufreq_driver", "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
    {"cpufreq_boost", "sys/devices/system/cpu/cpufreq/boost", Form::number},
    {"intel_no_turbo", "sys/devices/system/cpu/intel_pstate/no_turbo", Form::number},
    {"cpuidle_driver", "sys/devices/system/cpu/cpuidle/current_driver"},
    {"cpuidle_governor", "sys/devices/system/cpu/cpuidle/current_governor_ro"},
    {"bios_vendor", "sys/class/dmi/id/bios_vendor"},
    {"bios_version", "sys/class/dmi/id/bios_version"},
    {"bios_date", "sys/class/dmi/id/bios_date"},
    {"system_vendor", "sys/class/dmi/id/sys_vendor"},
    {"system_product", "sys/class/dmi/id/product_name"},
    {"tuned_profile", "etc/tuned/active_profile"},
};

bool is_integer(const std::string& text) {
  long long value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && failure == std::errc() && end == text.data() + text.size();
}

Fact read(const OneLine& one, const fs::path& root) {
  const fs::path path = root / one.path;
  errno = 0;
  auto line = first_line(path);
  const int error = errno;
  const std::string shown = fmt::format("/{}", one.path);
  std::error_code missing;
  if (!line && fs::exists(path, missing) && error == 0) line = "";  // a file without a line
  if (!line) return unknown(one.name, fmt::format("{}: {}", shown, std::strerror(error == 0 ? ENOENT : error)));
  if (*line == "(null)") line = "";  // how the kernel prints an empty list of CPUs
  if (line->empty()) return one.when_empty ? known(one.name, one.when_empty) : unknown(one.name, fmt::format("{} is empty", shown));
  if (one.form == Form::text) return known(one.name, *line);
  if (one.form == Form::number) {
    if (!is_integer(*line)) return unknown(one.name, fmt::format("{} holds no number", shown));
    return {one.name, *line, "", true};
  }
  const auto word = bracketed(line);
  return word ? known(one.name, *word) : unknown(one.name, fmt::format("{} marks no choice", shown));
}

/// Tells the value that all CPUs have, "performance", or where not all agree "performance (126 CPUs), powersave (2 CPUs)".
std::string told(const std::map<std::string, int>& how_many) {
  if (how_many.size() == 1) return how_many.begin()->first;
  std::vector<std::string> parts;
  for (const auto& [value, cpus] : how_many) parts.push_back(fmt::format("{} ({} CPUs)", value, cpus));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// CPUs go online and offline; so which there are is asked each time.
Fact of_all_cpus(const char* name, const fs::path& root, const char* file) {
  std::map<std::string, int> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "sys/devices/system/cpu", ignored)) {
    const std::string cpu = entry.path().filename().string();
    if (!cpu.starts_with("cpu") || !is_integer(cpu.substr(3))) continue;
    if (const auto line = first_line(entry.path() / file); line && !line->empty()) ++found[*line];
  }
  if (found.empty()) return unknown(name, fmt::format("no CPU has /sys/devices/system/cpu/cpu*/{}", file));
  Fact fact = known(name, told(found));
  fact.number = found.size() == 1 && is_integer(*fact.value);
  return fact;
}

Fact microcode(const fs::path& root) {
  std::map<std::string, int> found;
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("microcode"))
      if (const auto colon = line.find(": "); colon != line.npos) ++found[line.substr(colon + 2)];
  return found.empty() ? unknown("microcode", "/proc/cpuinfo names no microcode") : known("microcode", told(found));
}

Fact operating_system(const fs::path& root) {
  std::ifstream file(root / "etc/os-release");
  constexpr std::string_view key = "PRETTY_NAME=";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::string name = line.substr(key.size());
    std::erase(name, '"');
    if (!name.empty()) return known("os", name);
  }
  return unknown("os", "/etc/os-release names no PRETTY_NAME");
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

Fact idle_states(const fs::path& root) {
  std::vector<std::string> states;
  for (const auto& state : sorted_entries(root / "sys/devices/system/cpu/cpu0/cpuidle")) {
    const auto name = first_line(state / "name");
    if (!name || name->empty()) continue;
    states.push_back(*name + (first_line(state / "disable") == "1" ? " (disabled)" : ""));
  }
  if (states.empty()) return unknown("cpuidle_states", "CPU 0 has no /sys/devices/system/cpu/cpu0/cpuidle/state*/name");
  return known("cpuidle_states", fmt::format("{}", fmt::join(states, ", ")));
}

Fact huge_pages(const fs::path& root) {
  std::vector<std::string> sizes;
  constexpr std::string_view prefix = "hugepages-";
  for (const auto& size : sorted_entries(root / "sys/kernel/mm/hugepages")) {
    const std::string name = size.filename().string();
    const auto pages = first_line(size / "nr_hugepages");
    if (name.starts_with(prefix) && pages && !pages->empty()) sizes.push_back(fmt::format("{} x {}", *pages, name.substr(prefix.size())));
  }
  if (sizes.empty()) return unknown("huge_pages_reserved", "no /sys/kernel/mm/hugepages: the kernel has no huge pages");
  return known("huge_pages_reserved", fmt::format("{}", fmt::join(sizes, ", ")));
}

/// The number of memory errors, summed over the memory controllers.
Fact memory_errors(const char* name, const char* file, const fs::path& root) {
  long long sum = 0;
  bool any = false;
  for (const auto& controller : sorted_entries(root / "sys/devices/system/edac/mc")) {
    const auto count = first_line(controller / file);
    if (!count || !is_integer(*count)) continue;
    sum += std::stoll(*count);
    any = true;
  }
  return any ? known_number(name, sum) : unknown(name, "no memory controller under /sys/devices/system/edac/mc counts errors");
}

}  // namespace

Facts system_facts(const fs::path& root) {
  Facts facts;
  facts.push_back(operating_system(root));
  for (const auto& one : one_line_files) facts.push_back(read(one, root));
  facts.push_back(kernel_options(root));
  facts.push_back(microcode(root));
  facts.push_back(of_all_cpus("cpufreq_governor", root, "cpufreq/scaling_governor"));
  facts.push_back(of_all_cpus("cpufreq_min_khz", root, "cpufreq/scaling_min_freq"));
  facts.push_back(of_all_cpus("cpufreq_max_khz", root, "cpufreq/scaling_max_freq"));
  facts.push_back(of_all_cpus("cpufreq_hardware_max_khz", root, "cpufreq/cpuinfo_max_freq"));
  facts.push_back(of_all_cpus("energy_preference", root, "cpufreq/energy_performance_preference"));
  facts.push_back(idle_states(root));
  facts.push_back(huge_pages(root));
  facts.push_back(cpu_limit(root));
  facts.push_back(memory_limit(root));
  facts.push_back(memory_modules(root));
  facts.push_back(memory_errors("memory_errors_corrected", "ce_count", root));
  facts.push_back(memory_errors("memory_errors_uncorrected", "ue_count", root));
  return facts;
}

Facts mitigations(const fs::path& root) {
  Facts facts;
  for (const auto& file : sorted_entries(root / "sys/devices/system/cpu/vulnerabilities")) {
    const auto line = first_line(file);
    const std::string name = file.filename().string();
    facts.push_back(line && !line->empty() ? known(name, *line) : unknown(name, "the kernel says nothing"));
  }
  return facts;
}

}  // namespace plumbline
