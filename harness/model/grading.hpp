// From a counter's ratios over many cases to its grade and the reason for it.
#pragma once
#include <vector>

#include "model/accuracy.hpp"

namespace plumbline {

/// One measured case's word on a counter.
struct Evidence {
  const CaseRow* of = nullptr;
  double ratio = absent;
  Status status = Status::ok;
  double exact_lo = absent, exact_hi = absent;

  /// A ratio that can tell a right counter from a wrong one: not the answer "inside" to an interval that begins at nothing.
  bool tells() const { return ratio == ratio && !(exact_lo == 0 && ratio == 1); }
  bool is_zero_test() const { return exact_hi == 0; }
  bool fails() const { return status == Status::failed; }
};

CounterScore grade(const Counter& counter, const std::vector<Evidence>& evidence);

}  // namespace plumbline
