// One counter on one case: its events weighted and summed, and held against the model.
#pragma once
#include <vector>

#include "model/accuracy.hpp"
#include "model/columns.hpp"

namespace plumbline {

/// A counter whose events and quantities have been looked up.
class Formula {
 public:
  Formula(const Counter& counter, const Columns& columns);

  /// Absent bounds where the model does not speak of it.
  Bounds expected(std::size_t at) const;
  /// The row, and what of it is evidence (only where something was measured: CaseScore::was_measured).
  CaseScore score(const Measured& measured, std::size_t at, Bounds exact, Evidence& evidence) const;

 private:
  Reported combined(const Measured& measured, std::size_t at, std::vector<double>& repetitions, double& joint) const;
  double activity(std::size_t at) const;
  double zero_floor(const CaseRow& of) const;
  bool as_good_as_nothing(const CaseScore& row, const CaseRow& of) const;
  void hold_zero_test(CaseScore& row, const CaseRow& of, std::size_t at, const std::vector<double>& repetitions) const;
  void judge(CaseScore& row, const Reported& value) const;

  const Counter& counter_;
  const Columns& columns_;
  std::vector<std::size_t> events_, quantities_, activity_;
};

}  // namespace plumbline
