// Scoring counters: what was counted against what the arithmetic says, case by case, and what that makes of each counter.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/measured.hpp"

namespace plumbline {

/// One event of a counter, and what one count of it stands for (bytes, operations).
struct Term {
  std::string event = {};
  double weight = 1;
};

enum class Convention {
  flow,  // what crosses a boundary, or the arithmetic as implemented: this harness's own model
  paper  // what the study that the kernel comes from calls exact
};
std::string_view to_string(Convention convention);

enum class Kind { flops, bytes };

/// An expression over events, and the quantities it claims to see: data, not code.
struct Counter {
  std::string name = {};
  std::string backend = {};
  std::vector<Term> terms = {};
  std::vector<std::string> quantities = {};  // their sum is what it claims
  Convention convention = Convention::flow;
  Kind kind = Kind::bytes;
  bool exact = false;  // this harness's own witness: any deviation is a failed exactness check

  /// "bytes.L1-L2.demand_read + rfo"
  std::string claim() const;
};

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
