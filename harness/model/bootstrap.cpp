#include "model/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/random.hpp"
#include "model/spread.hpp"
#include "model/student.hpp"

namespace plumbline {
namespace {

constexpr double normal_quantile = 1.959963984540054;  // of 0.975

}  // namespace

Interval bootstrap_geometric_mean(std::span<const Cluster> clusters, std::uint64_t seed, std::size_t resamples) {
  if (clusters.size() < 2) return {};
  Random random(seed);
  std::vector<double> means;
  means.reserve(resamples);
  for (std::size_t r = 0; r < resamples; ++r) {
    Cluster drawn;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const Cluster& one = clusters[random.below(clusters.size())];
      drawn.sum_of_logs += one.sum_of_logs;
      drawn.cases += one.cases;
    }
    means.push_back(drawn.sum_of_logs / drawn.cases);
  }
  return {std::exp(quantile(means, 0.025)), std::exp(quantile(means, 0.975))};
}

Interval widened_for_few(Interval interval, double middle, std::size_t clusters) {
  if (clusters < 2) return {};
  const auto n = static_cast<double>(clusters);
  const double wider = student_quantile(0.025, static_cast<int>(std::min<std::size_t>(clusters - 1, most_freedom))) / normal_quantile *
                       std::sqrt(n / (n - 1));
  return {middle * std::pow(interval.lo / middle, wider), middle * std::pow(interval.hi / middle, wider)};
}

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace plumbline
