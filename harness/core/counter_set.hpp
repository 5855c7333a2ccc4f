// The counters that later measurement relies on, each with what its scores say of it, and the groups in which their events are counted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/counter.hpp"
#include "core/enumerators.hpp"

namespace plumbline {

/// Says who adds a constant to a count: the team once a sweep, each of its ranks, or each of their threads.
enum class OffsetPer { team, rank, thread };
constexpr std::string_view to_string(OffsetPer per) { return enumerator_name(per); }
constexpr double offsets_in(OffsetPer per, std::int64_t ranks, std::int64_t threads) {
  return static_cast<double>(per == OffsetPer::team ? 1 : per == OffsetPer::rank ? ranks : ranks * threads);
}

/// A counter and its evidence.
struct ChosenCounter {
  Counter counter = {};
  char grade = '-';
  double factor = 1;  // (counted - offsets) x factor is the quantity; other than 1 and 0 for a calibrated counter
  double offset = 0, offset_lo = 0, offset_hi = 0;  // of a sweep, in the counter's unit, and its 95 % interval
  OffsetPer offset_per = OffsetPer::team;
  double good_up_to = std::numeric_limits<double>::infinity();  // of a sweep: a larger count may be where it stops counting
  double ratio_lo = 1, ratio_hi = 1;  // (counted - offset) x factor over the exact value: the least and the most of the scored cases
  std::size_t cases = 0;              // that could tell
  std::string evidence = {};          // the score's reason, in words; of grade C it names the regimes
};

/// The events of one backend that are counted in one pass.
struct ChosenGroup {
  std::string backend = {};
  std::vector<std::string> events = {};
};

/// A quantity for which no counter is trusted, and why.
struct Uncovered {
  std::string quantity = {}, reason = {};
};

/// The set that `plumbline score --choose` writes.
struct CounterSet {
  std::string machine = {};  // on which it was scored: host and CPU
  std::string file = {};     // the scored result file
  std::vector<ChosenCounter> counters = {};
  std::vector<ChosenGroup> groups = {};
  std::vector<Uncovered> uncovered = {};

  /// Whether a CPU of this name was among those that were scored; true where the name is not known.
  bool chosen_on(const std::string& cpu) const { return cpu.empty() || machine.find(cpu) != machine.npos; }
};

}  // namespace plumbline
