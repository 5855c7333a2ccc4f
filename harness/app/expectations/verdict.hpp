// An expectation is held against result files: confirmed, or it differs, or it cannot be measured here, each with what it rests on.
#pragma once
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/expectations/expectation_file.hpp"
#include "app/expectations/measured_file.hpp"

namespace plumbline::app {

enum class ExpectationVerdict { confirmed, differs, not_measurable };
std::string_view to_string(ExpectationVerdict verdict);

struct JudgedExpectation {
  const PaperExpectation* of = nullptr;
  ExpectationVerdict verdict = ExpectationVerdict::not_measurable;
  double measured = absent;                           // the one that is farthest from what is expected, or nearest to its edge
  double measured_lo = absent, measured_hi = absent;  // over all that was compared, with the intervals of their counters
  std::size_t comparisons = 0;                        // that decided: by node, precision, flavor, team and what `by` names
  std::size_t left_out = 0;                           // that could not, beside those
  bool is_explained = false;                          // it differs, and for a reason that is known
  std::string reason = {};                            // why it differs, where that is known, or why it cannot be measured
  std::set<std::string> by = {};                      // who told the numbers: counters with their grades, times, ceilings
  std::string file = {};                              // that decided
};

using MeasuredFiles = std::vector<std::unique_ptr<MeasuredFile>>;

/// Loads the files; each node's grades of counters that one of them leaves undecided are another's. Throws Error (user).
MeasuredFiles load_measured(const std::vector<std::string>& paths);

/// Judges by each file in turn: it differs where one of them says so, is confirmed where one does and none differs.
JudgedExpectation judge(const PaperExpectation& expectation, const MeasuredFiles& files);

}  // namespace plumbline::app
