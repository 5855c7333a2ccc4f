// Scoring counters: what was counted against what the arithmetic says, case by case, and what that makes of each counter.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "model/measured.hpp"

namespace plumbline {

/// The emulator's counters, and the paper's candidates formed from the same events. Kwack et al., "Roofline Analysis with Cray
/// Performance Analysis Tools (CrayPat)", CUG 2018: DCR_GOOD, refills of 64 bytes; L1_DCA, accesses of one 16-byte vector.
std::span<const Counter> known_counters();

/// One counter on one case and node.
struct CaseScore {
  std::string case_id = {}, node = {}, counter = {}, quantity = {};
  Convention convention = Convention::flow;
  double measured = absent, exact_lo = absent, exact_hi = absent;
  double ratio = absent;  // 1 inside the interval, else measured / nearer edge
  Status status = Status::ok;
  std::string reason = {};
  bool exact = false;  // of Counter::exact

  bool was_measured() const { return measured == measured; }
  bool tests_exactness() const { return exact && was_measured(); }
  bool fails_exactness() const { return tests_exactness() && ratio != 1; }
};

/// What many cases say about one counter.
struct CounterScore {
  std::string counter = {}, quantity = {};
  Convention convention = Convention::flow;
  std::size_t n = 0;     // cases with a ratio
  double bias = absent;  // geometric mean of the ratios
  double min = absent, max = absent, cv = absent;
  std::size_t zero_tests = 0, zero_failures = 0;
  char grade = '-';  // A trusted, B calibratable, C in named regimes, D rejected, - not decided
  std::string reason = {};
};

struct Accuracy {
  std::vector<CaseScore> rows = {};
  std::vector<CounterScore> counters = {};  // in the order of the counter table, flow before paper
  std::size_t failed_exactness = 0;         // rows of exact counters whose ratio is not 1
};

Accuracy score(const Measurements& measurements, std::span<const Counter> counters);

}  // namespace plumbline
