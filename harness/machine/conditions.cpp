#include "machine/conditions.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "machine/control_group.hpp"
#include "machine/system_file.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

Condition condition(std::string name, double value, bool counts_up = false) { return {std::move(name), value, {}, counts_up}; }
Condition no_condition(std::string name, std::string reason, bool counts_up = false) {
  return {std::move(name), 0, std::move(reason), counts_up};
}

std::optional<double> number_in(const std::string& path) {
  const auto line = first_line(path);
  if (!line || line->empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(line->c_str(), &end);
  return end == line->c_str() ? std::nullopt : std::optional(value);
}

// ------------------------------------------------------------------------------------------------------------- control groups

/// A number of cpu.stat; nullopt where the kernel does not tell it by that name.
std::optional<double> stat_of(const fs::path& group, std::string_view name) {
  std::ifstream file(group / "cpu.stat");
  double value = 0;
  for (std::string key; file >> key >> value;)
    if (key == name) return value;
  return std::nullopt;
}

void add_control_group(const fs::path& root, std::vector<Condition>& all) {
  const auto groups = control_groups("cpu", root);
  const auto quota = cpu_quota(groups);
  if (!quota)
    all.push_back(no_condition("cpu_quota_cores", "no cpu control group is visible here"));
  else
    all.push_back(std::isfinite(*quota) ? condition("cpu_quota_cores", *quota) : no_condition("cpu_quota_cores", "no quota is set"));
  bool told = false;
  double periods = 0, seconds = 0;
  for (const auto& group : groups) {
    const auto throttled = stat_of(group, "nr_throttled");
    if (!throttled) continue;
    told = true;
    periods += *throttled;
    const auto microseconds = stat_of(group, "throttled_usec"), nanoseconds = stat_of(group, "throttled_time");  // version 2, version 1
    seconds += microseconds ? 1e-6 * *microseconds : 1e-9 * nanoseconds.value_or(0);
  }
  constexpr const char* untold = "no cpu control group that shows here says how often it throttled";
  all.push_back(told ? condition("throttled_periods", periods, true) : no_condition("throttled_periods", untold, true));
  all.push_back(told ? condition("throttled_seconds", seconds, true) : no_condition("throttled_seconds", untold, true));
}

// ----------------------------------------------------------------------------------------------------------------- CPU time

void add_cpu_time(const fs::path& root, std::vector<Condition>& all) {
  std::ifstream file(root / "proc/stat");
  std::string cpu;
  std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
  file >> cpu;
  for (double& one : ticks) file >> one;
  const double per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (cpu == "cpu" && file) {
    all.push_back(condition("busy_cpu_seconds", (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / per_second, true));
    all.push_back(condition("steal_seconds", ticks[7] / per_second, true));
  } else {
    all.push_back(no_condition("busy_cpu_seconds", "/proc/stat cannot be read", true));
    all.push_back(no_condition("steal_seconds", "/proc/stat cannot be read", true));
  }
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
  all.push_back(condition("own_cpu_seconds", seconds(own.ru_utime) + seconds(own.ru_stime), true));
  const auto load = number_in(root / "proc/loadavg");
  all.push_back(load ? condition("load_average", *load) : no_condition("load_average", "/proc/loadavg cannot be read"));
}

// ---------------------------------------------------------------------------------------------------------------------- heat

std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(prefix)) found.push_back(at->path());
  return found;
}

void add_throttling(const fs::path& root, std::vector<Condition>& all) {
  bool any = false;
  double events = 0;
  for (const auto& cpu : entries(root / "sys/devices/system/cpu", "cpu"))
    for (const auto* counter : {"core_throttle_count", "package_throttle_count"})
      if (const auto count = number_in(cpu / "thermal_throttle" / counter)) any = true, events += *count;
  all.push_back(any ? condition("thermal_throttle_events", events, true)
                    : no_condition("thermal_throttle_events", "the kernel counts none here (no thermal_throttle in sysfs)", true));
}

void add_temperature(const fs::path& root, std::vector<Condition>& all) {
  std::optional<double> hottest;
  const auto take = [&](const fs::path& file) {
    if (const auto millidegrees = number_in(file)) hottest = std::max(1e-3 * *millidegrees, hottest.value_or(1e-3 * *millidegrees));
  };
  for (const auto& zone : entries(root / "sys/class/thermal", "thermal_zone")) take(zone / "temp");
  for (const auto& sensor : entries(root / "sys/class/hwmon", "hwmon"))
    for (const auto& file : entries(sensor, "temp"))
      if (file.filename().string().ends_with("_input")) take(file);
  all.push_back(hottest ? condition("temperature_celsius", *hottest)
                        : no_condition("temperature_celsius", "no sensor is visible here (neither hwmon nor a thermal zone)"));
}

}  // namespace

std::vector<Condition> read_conditions(const fs::path& root) {
  std::vector<Condition> all;
  add_control_group(root, all);
  add_cpu_time(root, all);
  add_throttling(root, all);
  add_temperature(root, all);
  return all;
}

std::vector<Condition> between(const std::vector<Condition>& before, const std::vector<Condition>& after) {
  std::vector<Condition> span = after;
  for (std::size_t i = 0; i < span.size() && i < before.size(); ++i) {
    if (!span[i].counts_up || !span[i].reason.empty()) continue;
    if (before[i].reason.empty())
      span[i].value -= before[i].value;
    else
      span[i].reason = before[i].reason;
  }
  return span;
}

void add_span(std::vector<Condition>& sum, const std::vector<Condition>& span) {
  if (sum.empty()) {
    sum = span;
    return;
  }
  for (std::size_t i = 0; i < sum.size() && i < span.size(); ++i) {
    const double earlier = sum[i].value;
    const bool add = sum[i].counts_up && sum[i].reason.empty();
    sum[i] = span[i];
    if (add && sum[i].reason.empty()) sum[i].value += earlier;
  }
}

std::string conditions_json(const std::vector<Condition>& conditions) {
  auto all = nlohmann::ordered_json::object();
  for (const auto& one : conditions) {
    if (one.reason.empty())
      all[one.name] = {{"value", one.value}};
    else
      all[one.name] = {{"value", nullptr}, {"reason", one.reason}};
  }
  return all.dump();
}

}  // namespace plumbline
