// The kernel's PMUs are listed in /sys/bus/event_source/devices: how their events are written, and on which CPUs a shared one counts.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.hpp"

namespace plumbline {

/// The place where a named part of an event goes: "config1:0-7,32" is word 1, bits 0 to 7 then 32.
struct FormatField {
  int word = 0;
  std::vector<std::pair<int, int>> bits = {};  // first and last, from the value's lowest bit on
};
std::optional<FormatField> parse_format(std::string_view text);

struct Pmu {
  std::string name = {};
  std::uint32_t type = 0;
  std::map<std::string, FormatField, std::less<>> formats = {};
  std::map<std::string, std::string, std::less<>> events = {};  // "cas_count_read": "event=0x04,umask=0x03"
  std::vector<int> cpus = {};                                   // one for each part that is shared by several; empty: each CPU has its own
};

/// The words that perf_event_open takes.
struct Encoding {
  std::uint32_t type = 0;
  std::array<std::uint64_t, 3> config = {};
  Availability problem = {};  // not ok: it could not be encoded, and why
};

inline constexpr const char* pmu_folder = "/sys/bus/event_source/devices";

/// Reads the PMUs; empty where there is no such folder. Files that cannot be read or understood are left out.
std::vector<Pmu> read_pmus(const std::filesystem::path& folder = pmu_folder);
/// Parses CPUs: "0-2,8" gives 0 1 2 8.
std::vector<int> parse_cpus(std::string_view text);
/// The PMUs of one kind: "uncore_imc" itself, uncore_imc_0, uncore_imc_1, ...; never uncore_imc_free_running_0.
std::vector<const Pmu*> instances_of(const std::vector<Pmu>& pmus, std::string_view kind);
/// Encodes an event. `written`: one that the PMU lists by name, or parts by its formats: "event=0x04,umask=0x03" (a part alone is 1).
Encoding encode(const Pmu& pmu, std::string_view written);

}  // namespace plumbline
