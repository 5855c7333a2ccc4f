// The counters that later measurement relies on, each with what its scores say of it, and the groups in which their events are counted.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/counter.hpp"

namespace plumbline {

/// A counter and its evidence.
struct ChosenCounter {
  Counter counter = {};
  char grade = '-';
  double factor = 1;  // (counted - offset) x factor is the quantity; other than 1 and 0 for a calibrated counter (grade B)
  double offset = 0, offset_lo = 0, offset_hi = 0;  // of a sweep, in the counter's unit, and its 95 % interval
  double ratio_lo = 1, ratio_hi = 1;  // (counted - offset) x factor over the exact value: the least and the most of the scored cases
  std::size_t cases = 0;              // that could tell
  std::string evidence = {};          // the score's reason, in words; of grade C it names the regimes
};

/// Events of one backend that are counted in one pass.
struct ChosenGroup {
  std::string backend = {};
  std::vector<std::string> events = {};
};

/// A quantity for which no counter is trusted, and why.
struct Uncovered {
  std::string quantity = {}, reason = {};
};

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
