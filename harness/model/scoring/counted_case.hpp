// A counter is held against the model on one case: its events are weighted and summed.
#pragma once
#include <vector>

#include "model/cases/columns.hpp"
#include "model/scoring/score.hpp"

namespace plumbline {

/// Whether the counter claims bytes between registers and L1.
bool claims_references(const Counter& counter);

/// A counter whose events and quantities have been looked up.
class Formula {
 public:
  Formula(const Counter& counter, const Columns& columns);

  /// Whether the counter was tried on this case: events that nobody wanted counted, or that a pass leaves out on purpose, say nothing.
  bool was_tried(std::size_t at) const;
  /// Whether the counter claims register-L1 bytes of a case of which only the references as written are known, not what its code executes.
  bool lacks_truth(std::size_t at) const;
  /// The bounds that the model gives; absent where it does not speak of the counter's quantity.
  Bounds expected(std::size_t at) const;
  /// Makes the row, and what of it is evidence (only where something was counted, be it less than nothing: Evidence::measured).
  CaseScore score(const Measured& measured, std::size_t at, Bounds exact, Evidence& evidence) const;

 private:
  Bounds expected_of(std::size_t at, std::size_t q) const;
  Reported combined(const Measured& measured, std::size_t at, std::vector<double>& repetitions, double& joint) const;
  double activity(std::size_t at) const;
  double zero_floor(const CaseRow& of) const;
  bool as_good_as_nothing(double count, const CaseScore& row, const CaseRow& of) const;
  bool may_move_by_halves(std::size_t at, const std::string& quantity) const;
  void hold_zero_test(CaseScore& row, const CaseRow& of, std::size_t at, const std::vector<double>& repetitions) const;
  void judge(CaseScore& row, const Reported& value) const;

  const Counter& counter_;
  const Columns& columns_;
  std::vector<std::size_t> events_, quantities_, activity_;
  std::vector<std::size_t> references_;  // of a counter of bytes: whose first one known is the case's activity
  std::vector<std::size_t> precisions_;  // of each quantity: the total of its precision, where it has one
};

}  // namespace plumbline
