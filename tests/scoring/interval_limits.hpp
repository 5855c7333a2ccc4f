// The interval of a bias holds it so often, on kernels that were drawn by chance.
#pragma once
#include <nlohmann/json.hpp>

namespace plumbline::test {

/// Tries numbers of kernels with cases alike and very unlike, effects of kernels from none to far more than the cases' own noise, symmetric
/// and skewed: the part of so many trials in which the interval held the truth, and half its width in the median, over the noise of a case.
nlohmann::ordered_json interval_limits(int trials);

}  // namespace plumbline::test
