// A machine asks more for a byte and for a load as the working set grows, in steps.
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

/// The cost over the working set, both as log2; sizes rise strictly, costs never fall. Empty: not measured.
struct CostCurve {
  std::vector<double> size, cost;

  bool empty() const { return size.empty(); }
  double at(double log_size) const;    // between points: a straight line; beyond them: the outermost
  double reaches(double value) const;  // the first size at which the cost is `value`
};

/// The least that each size was ever seen to cost, in it or in a larger one: disturbances only ever slow down, and a larger working
/// set is never cheaper. (So a plateau that is not flat, as some second-level caches', counts as what it does best.)
CostCurve lower_envelope(std::vector<std::pair<double, double>> size_and_cost);

/// A step where costs rise from one plateau to the next.
struct CostStep {
  double size = 0;                      // log2 bytes: as far as the cheaper plateau goes
  std::array<double, 2> rise = {0, 0};  // log2, of a byte and of a load; 0 where not measured
};

/// The steps from one level of memory to the next, by the bytes of a stream of loads and by dependent loads; either may be empty. There is
/// none below `least_size` (log2 bytes).
std::vector<CostStep> find_steps(const CostCurve& byte, const CostCurve& load, double least_size);

}  // namespace plumbline
