#include "model/bias_interval.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "model/spread.hpp"

namespace plumbline {
namespace {

/// Of one kernel's cases: logarithms of measured over the most and over the least that the model allows.
struct Logs {
  std::vector<double> least = {}, most = {};
};

std::map<std::uint32_t, Logs> logs_by_kernel(std::span<const Evidence> evidence, const FactorTable& factors,
                                             std::span<const std::uint32_t> without) {
  std::map<std::uint32_t, Logs> kernels;
  for (const auto& one : evidence) {
    if (!one.is_sharp() || std::find(without.begin(), without.end(), one.at) != without.end()) continue;
    Logs& logs = kernels[factors.value(one.at, Factor::kernel)];
    logs.least.push_back(std::log(one.measured / one.exact_hi));
    logs.most.push_back(std::log(one.measured / one.exact_lo));
  }
  return kernels;
}

}  // namespace

Interval bias_interval(std::span<const Evidence> evidence, const FactorTable& factors, double bias,
                       std::span<const std::uint32_t> without) {
  std::vector<double> least, most;
  std::size_t cases = 0;
  for (const auto& [kernel, logs] : logs_by_kernel(evidence, factors, without)) {
    cases += logs.least.size();
    least.push_back(mean_of(logs.least));
    most.push_back(mean_of(logs.most));
  }
  if (least.size() < 2 || cases < rules::fewest_cases) return {};
  return {std::min(bias, std::exp(mean_interval(least).lo)), std::max(bias, std::exp(mean_interval(most).hi))};
}

}  // namespace plumbline
