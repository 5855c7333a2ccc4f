// The residuals tell how conjugate gradients came closer to the solution.
#pragma once
#include <span>

namespace plumbline {

class CgResiduals {
 public:
  virtual ~CgResiduals() = default;
  /// The squares of the residual's 2-norms over all ranks: the first, and that after each iteration of the last sweep.
  virtual std::span<const double> residuals_squared() const = 0;
};

}  // namespace plumbline
