#include "campaign/changes.hpp"

#include <fmt/format.h>

namespace plumbline {

std::vector<std::string> measured_otherwise(const Campaign& now, const Campaign& before) {
  std::vector<std::string> changes;
  const auto compare = [&](const char* key, const auto& then, const auto& current) {
    if (then != current) changes.push_back(fmt::format("{} was {} and is {}", key, then, current));
  };
  compare("[timing] min_seconds", before.timing.min_seconds, now.timing.min_seconds);
  compare("[timing] ci_relative", before.timing.ci_relative, now.timing.ci_relative);
  compare("[timing] max_repetitions", before.timing.max_repetitions, now.timing.max_repetitions);
  compare("[timing] cold_l2", before.timing.cold_l2, now.timing.cold_l2);
  compare("placement", to_string(before.placement), to_string(now.placement));
  compare("[nodes] turns", before.nodes.turns, now.nodes.turns);
  compare("oversubscribe", before.oversubscribe, now.oversubscribe);
  compare("[emulated] caches", before.emulated.caches.value, now.emulated.caches.value);
  return changes;
}

}  // namespace plumbline
