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
  double factor = 1;                  // counted x factor is the quantity; other than 1 for a calibrated counter (grade B)
  double ratio_lo = 1, ratio_hi = 1;  // counted x factor over the exact value: the least and the most of the scored cases
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
};

}  // namespace plumbline
