#include "model/bootstrap.hpp"

#include <cmath>
#include <vector>

#include "model/spread.hpp"

namespace plumbline {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014): the same numbers under every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32); }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

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

std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace plumbline
