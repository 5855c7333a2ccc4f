// Two result files are held beside each other: what is the same, what changed, and what cannot be compared.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/comparing/observation.hpp"
#include "model/statistics/threshold.hpp"

namespace plumbline {

/// A side of a comparison.
struct Side {
  std::vector<Observation> observations = {};
  std::map<std::string, std::string> machines = {};  // node -> what kind of machine it is, in words: equal words, like nodes
};

/// A row of two sides, with its verdict.
struct Compared {
  SeriesKey key = {};  // node: "a" or, over like nodes of other names, "a, b -> c"
  std::string row_class = {}, unit = {};
  double before = absent, after = absent;  // medians, in `unit`
  std::size_t n_before = 0, n_after = 0;   // samples
  Judged judged = {};
  double threshold = absent;
  double clock_before_hz = absent, clock_after_hz = absent;
  Verdict verdict = Verdict::ambiguous;
  bool disturbed_before = false, disturbed_after = false;  // in every sample: what took part there took too long
  std::string explanation = {};  // another loop that is a ceiling's best, a clock that differs, a side that was disturbed
  Status status = Status::ok;    // not ok: not comparable, for `reason`
  std::string reason = {};
};

struct ClassSummary {
  std::string row_class = {};
  std::size_t rows = 0;
  double threshold = absent;            // a part
  double spread = absent;               // of a session (of a sample, where each side has but one session): a part
  double smallest_detectable = absent;  // a part, named in 8 of 10 comparisons
};

struct Comparison {
  std::vector<Compared> rows = {};
  std::vector<ClassSummary> classes = {};
  std::size_t sessions_before = 0, sessions_after = 0;  // the most that a row has
};

/// Compares two sides. Rows are matched by name and node; what then is left of a name is put together over the nodes of either side that
/// are of one kind. The threshold of a class is `threshold` (a part), or without it the practical one or three times the spread, whichever
/// is more; SAME takes an interval within the practical one. A side that was disturbed throughout makes nothing FASTER or SLOWER than it.
Comparison compare(const Side& before, const Side& after, std::optional<double> threshold);

/// Says "clock 3.10 -> 2.60 GHz (-16 %)" and whether that alone would explain the slowdown; empty where the clocks agree within 2 % or are
/// unknown.
std::string clock_explanation(double before_hz, double after_hz, double slowdown);

}  // namespace plumbline
