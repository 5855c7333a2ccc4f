// The names of perf_event's events say what the kernel is asked for: software and generic hardware events by perf's names, rows of the
// event tables, raw codes (r1f03), and PMU/event/ or PMU/format=value,.../ of any PMU in sysfs.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"
#include "counters/perf_event/pmu_sysfs.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline {

/// An opening is one perf_event_open.
struct PerfOpening {
  std::uint32_t type = 0;
  std::array<std::uint64_t, 3> config = {};
  int cpu = -1;  // -1: the calling thread, wherever it runs; else everything on that CPU's part of the node
};

/// An event by name: of a shared PMU, one opening for each of its instances and sockets, to be summed.
struct PerfEvent {
  std::string name = {};
  std::string description = {};
  std::vector<PerfOpening> openings = {};
  bool shared = false;     // of a PMU outside the cores
  bool in_kernel = false;  // happens in the kernel: leaving the kernel out would leave it out
  bool alone = false;      // shares a group with no other event
  Availability problem = {};
  bool unknown = false;  // there is no such event
};

/// The facts that perf_event has of the machine. Without any there is no event table, and this process reads every socket's shared PMUs.
struct PerfFacts {
  std::vector<TableCounter> table = {};       // of this CPU
  std::map<int, int> package_of_cpu = {};     // empty: not known
  std::map<int, int> reader_of_package = {};  // the rank that reads a socket's shared PMUs; empty: this process does
  int rank = 0;
  bool virtual_machine = false;
};

/// The events of counters/tables/kernel_events.hpp.
std::vector<PerfEvent> events_of_kernel();
PerfEvent resolve_event(std::string_view name, const PerfFacts& facts, const std::vector<Pmu>& pmus);

/// The CPUs of a node's rank. Each socket's shared PMUs are read by the lowest rank that runs on it, else by the lowest of the node. Both
/// lists are by rank of the node: its number and the CPUs it runs on.
struct RankCpus {
  int rank = 0;
  std::vector<int> cpus = {};
};
std::map<int, int> choose_readers(const std::vector<RankCpus>& ranks, const std::map<int, int>& package_of_cpu);
/// The facts where these ranks count at the same time on the node, and this one is `rank`: it reads only the sockets that are its own, and
/// says of others who counts them.
PerfFacts facts_of_team(PerfFacts facts, const std::vector<RankCpus>& ranks, int rank);

/// Judges an errno of perf_event_open: a status and a sentence; `paranoid` is kernel.perf_event_paranoid.
Availability judge_refusal(int error, const PerfEvent& event, std::optional<int> paranoid);
std::optional<int> perf_event_paranoid();

}  // namespace plumbline
