// A finding is something that is said of a counter: its kind, a number, and words.
#pragma once
#include <string>
#include <string_view>

#include "core/records.hpp"

namespace plumbline {

/// The kinds of findings: those of a diagnosis, then those that only a reason has.
enum class FindingKind {
  always_nothing,       // counted nothing in all cases that have something
  nothing,              // counted nothing in some of them
  zero_test,            // counted something where there is nothing
  grouping,             // counts otherwise beside other events
  repeatability,        // repetitions differ too much
  repetitions,          // some of them do
  lost,                 // repetitions lost counts
  no_exact_truth,       // cases that are held against nothing
  few_counted,          // a count in too few of the cases tried
  some_uncounted,       // none in some of them
  few_cases,            // too few sharp cases, kernels or works for A
  unsure_bias,          // the bias' interval is too wide for A
  offset,               // adds or lacks the same in every sweep
  saturates,            // stops at some count
  unseen_flow,          // claims a flow that it does not see
  unclaimed_flow,       // sees one that it does not claim
  other_boundary,       // follows another boundary
  by_flows,             // flows with such weights, or the other boundary, are all that it counts
  depends_on,           // moved by a factor where all others are equal
  factor,               // steady by a factor
  strays,               // right but for single cases
  look_up,              // a factor of its own for each value
  unconfirmed_regimes,  // regimes that other cases do not confirm
  regimes,              // good for some values of a factor
  up_to,                // good up to the amount at which it stops
  unconfirmed,          // a grade that the held-out half does not bear
  hinges,               // a lower grade without one kernel or compiler
  hangs_on,             // another grade without it
  // Kinds that only a reason has:
  trusted,            // right in all cases
  undecided,          // too few cases could tell
  neither,            // neither right nor steady
  range,              // how far it is off over all cases
  calibrated,         // right once an offset is taken away
  calibrated_from,    // so from some amount on
  unsure_offset,      // an offset that is known too little for that
  other_than_offset,  // one without which it would be wrong too
  alone,              // good only without other events beside it
  one_work,           // off by a factor, at one size of one kernel
  largest_exception,  // the one wrong kernel has more in a sweep than all others
  open,               // cases that the model leaves open
  one_level,          // tried at one level of optimization
  untried_nodes,      // nodes on which it has no count
  of_code,            // nothing was measured
};
/// The word under which a program finds the kind in JSON: the enumerator's own.
std::string_view to_string(FindingKind kind);

/// A finding with its number and its words.
struct Finding {
  FindingKind kind = FindingKind::nothing;
  std::string words = {};
  double value = absent;
};

}  // namespace plumbline
