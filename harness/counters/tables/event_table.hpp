// Event tables say which hardware events could count which quantity on which CPU or GPU. They are data, not code (events/README.md).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counter.hpp"

namespace plumbline {

/// The identity of the CPU that counts. x86: CPUID's vendor, family and model, extended parts added. Arm: "implementer 0x41", the part as
/// model. POWER: "IBM", the version of the processor (PVR) as model. 0 where there is no such number.
struct CpuIdentity {
  std::string vendor = {};
  int family = 0, model = 0, stepping = 0;
};

/// The CPUs that a table is for; numbers from .. to, both included.
struct CpuMatch {
  std::string vendor = {};
  std::optional<int> family = {};
  int first_model = 0, last_model = 0;
  int first_stepping = 0, last_stepping = 1 << 16;

  bool fits(const CpuIdentity& cpu) const;
};

/// The scope of a counter: a core or a whole socket of a CPU; the SMs of a GPU, or what all of the device shares (L2, memory, link to the
/// host).
enum class Scope { core, socket, sm, device };
std::string_view to_string(Scope scope);

/// An event as the kernel has to be asked for it.
struct TableEvent {
  std::string name = {};
  std::string pmu = {};                   // empty: the core's own, by raw code; else its name in sysfs, without the _NUMBER of an instance
  std::optional<std::uint64_t> raw = {};  // perf_event_attr.config; absent: the driver of `pmu` gives it by the event's name
  std::vector<int> only_slots = {};       // numbers of the hardware counters that can count it; empty: any
  bool is_line = false;                   // one count is a cache line: the term's weight is the machine's, 64 where it is not known
  std::string libpfm4 = {};               // the PMU by which libpfm4 encodes it; empty: libpfm4 does not know it
};

/// A row: a counter, the events of its terms (in their order), and what is known of it.
struct TableCounter {
  Counter counter = {};  // backend "perf_event", "papi" or "cupti"
  std::vector<TableEvent> events = {};
  int slots = 1;  // hardware counters that it takes at once; a merge pair takes two. No meaning on a GPU: CUPTI plans its passes
  Scope scope = Scope::core;
  std::vector<std::string> not_with = {};  // counters of the same CPU that are wrong, or cannot be had, beside this one
  std::vector<std::string> errata = {};
  std::string source = {}, checked = {};
  std::string written_at = {};  // "amd-zen4.toml:12"
  std::string table_hash = {};  // of the table's text (FNV-1a, 64 bits)
  bool of_user = false;         // `checked` is then what its author says
};

/// A table as it was read from one file.
struct EventTable {
  std::string file = {}, hash = {}, family = {}, backend = "perf_event";
  std::vector<CpuMatch> matches = {};   // none: any CPU
  std::vector<std::string> chips = {};  // a table of GPUs, which fits no CPU: "GH100"
  std::vector<TableCounter> counters = {};

  bool fits(const CpuIdentity& cpu) const;
};

/// The tables of a folder, by name of the file, and those of `users`: files and folders separated by colons (PLUMBLINE_EVENTS_PATH).
/// Throws Error (user) with file, line, key and what is allowed.
struct EventTables {
  std::vector<EventTable> ours = {}, users = {};
};
EventTables read_event_tables(const std::filesystem::path& folder, std::string_view users);
EventTable read_event_table(const std::filesystem::path& file);

/// The counters that the tables know of one CPU.
struct KnownCounters {
  std::vector<std::string> chips = {};  // of GPUs
  std::string family = {};              // of our table, else of the first of the users'; empty: no table knows this CPU
  std::vector<TableCounter> counters = {};
  std::vector<std::string> notes =
      {};  // which row of a user replaced one of ours, which table is for another CPU, what not_with names in vain
};
/// The counters of one backend's tables for a CPU. Throws Error (user) where two rows call different codes by the same name.
KnownCounters counters_for(const EventTables& tables, const CpuIdentity& cpu, std::string_view backend = "perf_event");
/// The counters for a GPU, by its chip.
KnownCounters counters_for_chip(const EventTables& tables, std::string_view chip);
/// The counters of a family by name; Error (user) that lists the families when there is no such one.
KnownCounters counters_of_family(const EventTables& tables, std::string_view family);

}  // namespace plumbline
