#include "model/scoring/bias_interval.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

/// Collects by kernel the logarithms of the least and of the most that each case may be off.
class KernelLogs {
 public:
  explicit KernelLogs(const FactorTable& factors) : factors_(factors) {}

  void add(const Evidence& one, double least, double most) {
    Logs& logs = kernels_[factors_.value(one.at, Factor::kernel)];
    logs.least.push_back(std::log(least));
    logs.most.push_back(std::log(most));
    ++cases_;
  }

  Interval interval_about(double middle) const {
    if (kernels_.size() < 2 || cases_ < rules::fewest_cases) return {};
    std::vector<double> least, most;
    for (const auto& [kernel, logs] : kernels_) {
      least.push_back(mean_of(logs.least));
      most.push_back(mean_of(logs.most));
    }
    return {std::min(middle, std::exp(mean_interval(least).lo)), std::max(middle, std::exp(mean_interval(most).hi))};
  }

 private:
  struct Logs {
    std::vector<double> least = {}, most = {};
  };
  const FactorTable& factors_;
  std::map<std::uint32_t, Logs> kernels_;
  std::size_t cases_ = 0;
};

}  // namespace

Interval bias_interval(std::span<const Evidence> evidence, const FactorTable& factors, double bias) {
  KernelLogs logs(factors);
  for (const auto& one : evidence)
    if (one.is_sharp()) logs.add(one, one.ratio, one.ratio);
  return logs.interval_about(bias);
}

Interval steady_interval(std::span<const Evidence> evidence, const FactorTable& factors, double factor,
                         std::span<const std::uint32_t> strays) {
  KernelLogs logs(factors);
  for (const auto& one : evidence) {
    const bool is_stray = std::find(strays.begin(), strays.end(), one.at) != strays.end();
    if (one.is_sharp() && !is_stray) logs.add(one, one.measured / one.exact_hi, one.measured / one.exact_lo);
  }
  return logs.interval_about(factor);
}

}  // namespace plumbline
