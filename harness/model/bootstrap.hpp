// How sure a geometric mean is: clusters of cases drawn again, with a seed, so that the same file always gives the same interval.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "core/records.hpp"

namespace plumbline {

/// Logarithms of the ratios of one cluster (a kernel, or one work in all its flavors): cases within it are not independent.
struct Cluster {
  double sum_of_logs = 0;
  double cases = 0;
};

struct Interval {
  double lo = absent, hi = absent;
};

inline constexpr std::size_t bootstrap_resamples = 500;

/// Percentile interval (2.5 to 97.5 %) of exp(mean log ratio) over resampled clusters; absent for fewer than two.
Interval bootstrap_geometric_mean(std::span<const Cluster> clusters, std::uint64_t seed, std::size_t resamples = bootstrap_resamples);

/// The interval about its middle as wide as Student's would be: a bootstrap of few clusters knows only those few, and is too narrow.
Interval widened_for_few(Interval interval, double middle, std::size_t clusters);

/// FNV-1a, the same on every machine: a seed from a name, and an order of works.
std::uint64_t stable_hash(std::string_view text);

}  // namespace plumbline
