// The candidates from which a set of counters is chosen.
#pragma once
#include "core/counter_set.hpp"

namespace plumbline {

/// A scored counter that may be chosen. What is simulated is chosen only where no counter of the machine is trusted (A) or steady (B).
struct Candidate {
  ChosenCounter chosen = {};
  bool simulated = false;
};

}  // namespace plumbline
