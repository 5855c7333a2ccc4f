// The residuals tell how an iterative solver came closer to the solution.
#pragma once
#include <vector>

namespace plumbline {

class SolverResiduals {
 public:
  virtual ~SolverResiduals() = default;
  /// The squares of the residual's 2-norms over all ranks, or bounds of them where the solver knows no more: the first, and that after each
  /// iteration of the last sweep.
  virtual std::vector<double> residuals_squared() const = 0;
};

}  // namespace plumbline
