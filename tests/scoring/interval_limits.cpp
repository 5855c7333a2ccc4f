#include "interval_limits.hpp"

#include <cmath>
#include <vector>

#include "model/statistics/mean_interval.hpp"
#include "model/statistics/spread.hpp"
#include "random.hpp"

namespace plumbline::test {
namespace {

using Cases = std::vector<int>;  // of each kernel

/// The effects by which cases of one kernel are off together, over the standard deviation of a case's own noise.
struct Effects {
  const char* name;
  double size;
  bool skewed = false;
};

std::vector<Cases> designs() {
  std::vector<Cases> all;
  for (int kernels = 2; kernels <= 12; ++kernels) all.emplace_back(kernels, 8);
  all.emplace_back(30, 8);
  for (const Cases& unequal : {Cases{36, 2}, {36, 4, 4}, {60, 1, 1, 1}, {20, 10, 5, 2, 1}, {30, 30, 1, 1, 1, 1}}) all.push_back(unequal);
  for (const int small : {7, 11}) {
    Cases one_large{60};
    one_large.resize(1 + static_cast<std::size_t>(small), 1);
    all.push_back(one_large);
  }
  return all;
}

/// Draws a number of mean 0 and standard deviation 1: from a normal distribution, or an exponential one, whose skewness is 2.
double drawn(bool skewed, Random& random) { return skewed ? -std::log(1 - random.uniform()) - 1 : random.normal(); }

nlohmann::ordered_json row_of(const Cases& cases, const Effects& effects, int trials) {
  Random random(5001);
  int held = 0;
  std::vector<double> halves, means(cases.size());
  for (int trial = 0; trial < trials; ++trial) {
    for (std::size_t kernel = 0; kernel < cases.size(); ++kernel) {
      const double noise = random.normal() / std::sqrt(cases[kernel]);
      means[kernel] = effects.size * drawn(effects.skewed, random) + noise;
    }
    const Interval interval = mean_interval(means);
    held += interval.lo <= 0 && 0 <= interval.hi;
    halves.push_back((interval.hi - interval.lo) / 2);
  }
  const auto rounded = [](double x) { return std::round(1e4 * x) / 1e4; };
  return {{"cases_of_kernels", cases},
          {"effects", effects.name},
          {"size", effects.size},
          {"held", rounded(static_cast<double>(held) / trials)},
          {"half_width", rounded(quantile(halves, 0.5))}};
}

}  // namespace

nlohmann::ordered_json interval_limits(int trials) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Cases& cases : designs())
    for (const Effects& effects : {Effects{"none", 0},
                                   {"normal", 0.3},
                                   {"normal", 1},
                                   {"normal", 5},
                                   {"skewed", 0.3, true},
                                   {"skewed", 1, true},
                                   {"skewed", 5, true}})
      rows.push_back(row_of(cases, effects, trials));
  return rows;
}

}  // namespace plumbline::test
