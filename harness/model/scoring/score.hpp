// Judging counters gives the rows of single cases, and for each counter its numbers, findings and grade.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "model/scoring/amounts.hpp"
#include "model/scoring/calibration.hpp"
#include "model/scoring/coverage.hpp"
#include "model/scoring/cross_talk.hpp"
#include "model/scoring/evidence.hpp"
#include "model/scoring/finding.hpp"
#include "model/scoring/invariance.hpp"
#include "model/scoring/regimes.hpp"
#include "model/scoring/repeatability.hpp"
#include "model/scoring/stability.hpp"
#include "model/statistics/interval.hpp"
#include "model/statistics/linearity.hpp"

namespace plumbline {

/// The score of one counter on one case and node.
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

/// The number of cases in which a counter was tried, and what came between.
struct Attempts {
  std::size_t tried = 0, counted = 0;
  std::map<Status, std::size_t> lost = {};  // by why there is no count
  std::size_t without_truth = 0;            // beside those tried: counted, but held against nothing (Formula::lacks_truth)
};

/// The same event counted in several groups.
struct Joint {
  double median = absent;  // of counted beside other events over counted first
  std::size_t cases = 0;
  std::size_t sharp = 0, disturbed = 0;  // sharp cases; those in which it is farther from 1 than a trusted counter may deviate
  double median_of_disturbed = absent;
};

/// The score of one counter over many cases.
struct CounterScore {
  std::string counter = {}, quantity = {};
  Convention convention = Convention::flow;
  std::size_t n = 0;                     // cases with a ratio
  std::size_t narrow = 0, unsteady = 0;  // of them, those whose model leaves no more than 5 % open, and of those the ones whose repetitions
                                         // differ too much
  std::size_t sharp = 0;                 // the steady narrow ones; bias and cv are theirs if they are three or more
  double bias = absent;                  // geometric mean of the ratios
  Interval bias_interval = {};           // of the bias (bias_interval.hpp); absent for one kernel
  std::vector<std::string> strays = {};  // ids of single cases that are far from the factor of all others, where there is one
  Interval steady_interval = {};         // of the bias without them; absent where there is no such factor
  double min = absent, max = absent, cv = absent;
  std::size_t zero_tests = 0, zero_failures = 0;
  Repeatability repeatability = {};
  std::vector<FactorEffect> invariance = {};  // the strongest factor first
  std::vector<Linearity> linearity = {};      // of all cases, then by regime
  CrossTalk cross_talk = {};
  Interval possible = {};  // the least and the most that it may have been off: a count inside a model's interval may be off by its width
  Joint joint = {};
  Attempts attempts = {};
  Coverage coverage = {};
  std::optional<Regimes> regimes = {};      // where it is good, if not everywhere
  std::optional<GoodAmounts> amounts = {};  // or for how much there is to count
  std::optional<LookUp> look_up = {};       // what it counts instead, value by value
  std::vector<HangsOn> hangs_on = {};
  Confirmation confirmation = {};
  std::vector<Finding> findings = {};
  std::optional<Calibration> calibration = {};  // of grade B, and of C by an offset
  bool is_calibration_confirmed = false;        // an offset: by kernels outside of where it was found
  char grade = '-';                             // A trusted, B calibratable, C in named regimes, D rejected, - not decided
  bool of_code = false;                         // of Counter::of_code: whatever its grade, it measured nothing
  std::string reason = {};
};

/// A counter that was counted but could not be held against anything.
struct Unscored {
  std::string counter = {}, reason = {};
};

/// The scores of all counters of a file.
struct Accuracy {
  std::vector<CaseScore> rows = {};
  std::vector<CounterScore> counters = {};  // in the order of the counter table, flow before paper
  std::vector<Unscored> unscored = {};      // the machine's own and those of registers, of which no model speaks
  std::size_t failed_exactness = 0;         // rows of exact counters whose ratio is not 1
};

}  // namespace plumbline
