#include "model/ceilings/node_facts.hpp"

#include <algorithm>

namespace plumbline {

std::uint64_t team_capacity(const NodeFacts& node, const CacheSize& cache, std::int64_t workers) {
  const std::int64_t sharers = std::max<std::int64_t>(1, cache.shared_by_cpus),
                     cpus = workers * std::max<std::int64_t>(1, node.cpus_per_core);
  return cache.bytes * static_cast<std::uint64_t>((cpus + sharers - 1) / sharers);
}

}  // namespace plumbline
