// Something that the evidence says of a counter: its kind, and words.
#pragma once
#include <string>
#include <string_view>

#include "core/records.hpp"

namespace plumbline {

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
  depends_on,           // moved by a factor where all others are equal
  factor,               // steady by a factor
  strays,               // right but for single cases
  look_up,              // a factor of its own for each value
  unconfirmed_regimes,  // regimes that other cases do not confirm
  regimes,              // good for some values of a factor
  unconfirmed,          // a grade that the held-out half does not bear
  hinges,               // a lower grade without one kernel or compiler
  hangs_on,             // another grade without it
};
/// The word under which a program finds it in JSON: the enumerator's own.
std::string_view to_string(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::nothing;
  std::string words = {};
  double value = absent;
};

}  // namespace plumbline
