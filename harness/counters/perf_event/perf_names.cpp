#include "counters/perf_event/perf_names.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <set>

#include "counters/tables/kernel_events.hpp"

namespace plumbline {
namespace {

PerfEvent event_of(const KernelEvent& one) {
  return {.name = one.name, .description = one.description, .openings = {{one.type, {one.config}}}, .in_kernel = one.in_kernel};
}

PerfEvent unresolved(std::string_view name, const std::string& why, bool unknown) {
  PerfEvent event;
  event.name = name;
  event.problem = {Status::unavailable, why};
  event.unknown = unknown;
  return event;
}

std::optional<PerfEvent> raw_event(std::string_view name) {
  std::uint64_t code = 0;
  if (name.size() < 2 || name.front() != 'r') return std::nullopt;
  const auto [stop, failed] = std::from_chars(name.data() + 1, name.data() + name.size(), code, 16);
  if (failed != std::errc() || stop != name.data() + name.size()) return std::nullopt;
  return PerfEvent{.name = std::string(name), .description = "raw code of this CPU's PMU", .openings = {{PERF_TYPE_RAW, {code}}}};
}

// The CPUs at which this rank opens a shared PMU: one for each socket that it reads.
std::vector<int> cpus_to_read(const Pmu& pmu, const PerfFacts& facts, std::set<int>& other_readers) {
  std::vector<int> mine;
  for (const int cpu : pmu.cpus) {
    const auto package = facts.package_of_cpu.find(cpu);
    const auto reader =
        package == facts.package_of_cpu.end() ? facts.reader_of_package.end() : facts.reader_of_package.find(package->second);
    if (reader == facts.reader_of_package.end() || reader->second == facts.rank)
      mine.push_back(cpu);
    else
      other_readers.insert(reader->second);
  }
  return mine;
}

std::string ranks_text(const std::set<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (const int rank : ranks) text += (rank == *ranks.begin() ? "" : ", ") + std::to_string(rank);
  return text;
}

// All instances of a PMU; `written` by its formats, or by a name that it lists; else `raw`.
PerfEvent event_of_pmu(std::string_view name, std::string_view kind, std::string_view written, std::optional<std::uint64_t> raw,
                       const PerfFacts& facts, const std::vector<Pmu>& pmus) {
  const auto instances = instances_of(pmus, kind);
  if (instances.empty())
    return unresolved(name,
                      "this kernel has no PMU '" + std::string(kind) + "' (virtual machine, driver not loaded, or another CPU); " +
                          pmu_folder + " lists those it has",
                      false);
  PerfEvent event;
  event.name = name;
  event.shared = !instances.front()->cpus.empty();
  std::set<int> other_readers;
  for (const Pmu* pmu : instances) {
    const Encoding code = raw ? Encoding{pmu->type, {*raw}, {}} : encode(*pmu, written);
    if (!code.problem.ok()) return unresolved(name, code.problem.reason, true);
    if (!event.shared) event.openings.push_back({code.type, code.config});
    for (const int cpu : cpus_to_read(*pmu, facts, other_readers)) event.openings.push_back({code.type, code.config, cpu});
  }
  if (event.openings.empty()) event.problem = {Status::skipped, "counted by " + ranks_text(other_readers)};
  return event;
}

const TableEvent* find_in_table(std::string_view name, const std::vector<TableCounter>& table) {
  for (const auto& row : table)
    for (const auto& event : row.events)
      if (event.name == name) return &event;
  return nullptr;
}

}  // namespace

/// A merge event holds two counters of the guest, and each of them as many of the host, who gives what it has without a word: seen on Zen 5
/// under KVM, where beside one such event `cycles` stood still, and of two only one counted, at times.
bool takes_several_slots(std::string_view name, const std::vector<TableCounter>& table) {
  return std::any_of(table.begin(), table.end(), [&](const TableCounter& row) {
    return row.slots > static_cast<int>(row.events.size()) &&
           std::any_of(row.events.begin(), row.events.end(), [&](const TableEvent& event) { return event.name == name; });
  });
}

PerfEvent resolve_event(std::string_view name, const PerfFacts& facts, const std::vector<Pmu>& pmus) {
  if (const KernelEvent* found = find_kernel_event(name)) return event_of(*found);
  if (const TableEvent* found = find_in_table(name, facts.table)) {
    if (!found->pmu.empty()) return event_of_pmu(name, found->pmu, found->name, found->raw, facts, pmus);
    return {.name = std::string(name),
            .description = "event table",
            .openings = {{PERF_TYPE_RAW, {*found->raw}}},
            .alone = facts.virtual_machine && takes_several_slots(name, facts.table)};
  }
  if (auto raw = raw_event(name)) {
    raw->alone = facts.virtual_machine && std::any_of(facts.table.begin(), facts.table.end(), [&](const TableCounter& row) {
                   return std::any_of(row.events.begin(), row.events.end(), [&](const TableEvent& event) {
                     return event.raw == raw->openings.front().config[0] && takes_several_slots(event.name, facts.table);
                   });
                 });
    return *raw;
  }
  if (const auto slash = name.find('/'); slash != name.npos && slash > 0 && name.ends_with('/') && slash + 1 < name.size())
    return event_of_pmu(name, name.substr(0, slash), name.substr(slash + 1, name.size() - slash - 2), std::nullopt, facts, pmus);
  return unresolved(name,
                    "perf_event has no event '" + std::string(name) +
                        "'; 'plumbline list counters' shows them, rCODE takes a raw code and PMU/EVENT/ any PMU's",
                    true);
}

std::vector<PerfEvent> events_of_kernel() {
  std::vector<PerfEvent> events;
  for (const KernelEvent& one : kernel_events()) events.push_back(event_of(one));
  return events;
}

PerfFacts facts_of_team(PerfFacts facts, const std::vector<RankCpus>& ranks, int rank) {
  facts.reader_of_package = choose_readers(ranks, facts.package_of_cpu);
  facts.rank = rank;
  return facts;
}

std::map<int, int> choose_readers(const std::vector<RankCpus>& ranks, const std::map<int, int>& package_of_cpu) {
  std::map<int, int> readers;
  if (ranks.empty()) return readers;
  const auto lowest = std::min_element(ranks.begin(), ranks.end(), [](const RankCpus& a, const RankCpus& b) { return a.rank < b.rank; });
  for (const auto& [cpu, package] : package_of_cpu) readers.emplace(package, lowest->rank);
  std::map<int, int> resident;
  for (const auto& one : ranks)
    for (const int cpu : one.cpus)
      if (const auto package = package_of_cpu.find(cpu); package != package_of_cpu.end()) {
        const auto [place, added] = resident.emplace(package->second, one.rank);
        if (!added) place->second = std::min(place->second, one.rank);
      }
  for (const auto& [package, rank] : resident) readers[package] = rank;
  return readers;
}

Availability judge_refusal(int error, const PerfEvent& event, std::optional<int> paranoid) {
  const std::string what = event.name + ": perf_event_open: " + std::strerror(error);
  const int needed = event.shared ? 0 : event.in_kernel ? 1 : 2;
  switch (error) {
    case EACCES:
    case EPERM:
      if (paranoid && *paranoid <= needed)
        return {Status::permission, what + " although kernel.perf_event_paranoid is " + std::to_string(*paranoid) +
                                        ": in a container allow the system call (docker --cap-add PERFMON, or its seccomp profile)"};
      return {Status::permission, what + (paranoid ? "; kernel.perf_event_paranoid is " + std::to_string(*paranoid) : "") +
                                      ", this event needs " + std::to_string(needed) +
                                      " or less: as root sysctl kernel.perf_event_paranoid=" + std::to_string(needed) +
                                      ", and in a container allow the system call"};
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
    case ENXIO:
      return {Status::unavailable, what + ": this machine shows no PMU for it (virtual machines often have none)"};
    case EINVAL:
      return {Status::unavailable, what + ": the PMU does not know this code, or cannot count it so"};
    case EMFILE:
    case ENFILE:
      return {Status::failed, what + ": raise the limit of open files (ulimit -n)"};
    case EBUSY:
    case ENOSPC:
      return {Status::stolen, what + ": another user holds the PMU"};
    case ENOSYS:
      return {Status::unavailable, what + ": this kernel was built without perf_event"};
    default:
      return {Status::failed, what};
  }
}

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (file >> level) return level;
  return std::nullopt;
}

}  // namespace plumbline
