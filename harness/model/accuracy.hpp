// Scoring counters: what was counted against what the arithmetic says, case by case, and what that makes of each counter.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "model/bootstrap.hpp"
#include "model/coverage.hpp"
#include "model/cross_talk.hpp"
#include "model/evidence.hpp"
#include "model/invariance.hpp"
#include "model/linearity.hpp"
#include "model/measured.hpp"
#include "model/regimes.hpp"
#include "model/repeatability.hpp"
#include "model/stability.hpp"

namespace plumbline {

/// The emulator's counters, and the paper's candidates formed from the same events. Kwack et al., "Roofline Analysis with Cray
/// Performance Analysis Tools (CrayPat)", CUG 2018: DCR_GOOD, refills of 64 bytes; L1_DCA, accesses of one 16-byte vector.
std::span<const Counter> known_counters();

/// Those, and the counters of PAPI whose events were all counted somewhere. An event without a claim is none.
std::vector<Counter> counters_in(const Measurements& measurements);

/// One counter on one case and node.
struct CaseScore {
  std::string case_id = {}, node = {}, counter = {}, quantity = {};
  Convention convention = Convention::flow;
  double measured = absent, exact_lo = absent, exact_hi = absent;
  double ratio = absent;  // 1 inside the interval, else measured / nearer edge
  Status status = Status::ok;
  std::string reason = {};
  bool exact = false;  // of Counter::exact
  ZeroTest zero = ZeroTest::no;
  double zero_bound = absent;  // a zero test allows so much beyond the model's interval
  double scatter = absent;     // of the repetitions, as a part of their median
  double joint = absent;       // counted beside other events over counted first

  bool was_measured() const { return measured == measured; }
  bool tests_exactness() const { return exact && was_measured(); }
  bool fails_exactness() const { return tests_exactness() && ratio != 1; }
};

/// Something that the evidence says of a counter, and the word under which a program finds it.
struct Finding {
  std::string kind = {};  // "zero_test", "offset", "unclaimed_flow", ... (diagnosis.cpp)
  std::string words = {};
  double value = absent;
};

/// What many cases say about one counter.
struct CounterScore {
  std::string counter = {}, quantity = {};
  Convention convention = Convention::flow;
  std::size_t n = 0;      // cases with a ratio
  std::size_t sharp = 0;  // of them, those whose model leaves no more than 5 % open; bias and cv are theirs if they are three or more
  double bias = absent;   // geometric mean of the ratios
  Interval bias_interval = {};
  double min = absent, max = absent, cv = absent;
  std::size_t zero_tests = 0, zero_failures = 0;
  Repeatability repeatability = {};
  std::vector<FactorEffect> invariance = {};  // the strongest factor first
  std::vector<Linearity> linearity = {};      // of all cases, then by regime
  CrossTalk cross_talk = {};
  double joint = absent;  // median of counted beside other events over counted first
  std::size_t joint_cases = 0;
  Coverage coverage = {};
  std::optional<Regimes> regimes = {};  // where it is good, if not everywhere
  std::vector<HangsOn> hangs_on = {};
  Confirmation confirmation = {};
  std::vector<Finding> findings = {};
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
