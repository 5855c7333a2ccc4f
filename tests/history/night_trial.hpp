// Nights with a fault, held against nights without one, and what `check` says of them counted.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/nights/check_report.hpp"
#include "night_kinds.hpp"

namespace plumbline::test {

struct NamedHost {
  const char* name;
  simulated::Host host;
};
const std::vector<NamedHost>& hosts();  // quiet, restless, busy, busy and told

/// A host's nights before the fault and with it, all as files have them.
struct FaultyNights {
  std::vector<Results> before = {}, faulty = {};
  std::vector<Befallen> befallen = {};  // in the last night
};
inline constexpr int most_before = 30, nights_with_fault = 4;
FaultyNights faulty_nights(const NightKind& kind, const NamedHost& host, std::uint64_t seed);

/// The report of `plumbline check` on tonight's file beside those before it.
app::CheckReport held(const Results& tonight, std::span<const Results> before);

/// Counts over nights of one kind on one host.
struct NightCount {
  std::string kind = {}, host = {};
  int nights = 0;            // checked
  int accused = 0;           // nights in which something is SLOWER that is not
  int trials = 0;            // with three nights before or more, where something was to be said
  int found = 0;             // trials in which it was, within four nights
  int named = 0;             // of those found: trials that say which rows, and why, rightly
  int wrong_factor = 0;      // of those found: trials in which an interval misses how much slower it is
  std::string example = {};  // of a false accusation, or a wrong name
};

/// Counts by seeds `first` to `last`; each with every number of nights before: 1, 2, 3, 7, 14, 30.
std::vector<NightCount> count_nights(std::span<const NightKind> kinds, std::uint64_t first, std::uint64_t last);

}  // namespace plumbline::test
