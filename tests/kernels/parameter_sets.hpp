// The registry-wide proofs try these parameters: every word, and integers from the smallest on, odd ones above all.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "tests/printed_amounts.hpp"

namespace plumbline {

/// Whether the kernel takes them: one may tie its parameters to each other.
inline bool takes(const Kernel& kernel, const Parameters& p) {
  try {
    kernel.model(p, kernel.precisions.front(), "");
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// All combinations of words, each with every integer at 1, 2, 3, 5, 7, 16 and 19 (within its limits), and the edges that the kernel
/// states.
inline std::vector<Parameters> parameter_sets(const Kernel& kernel) {
  std::vector<Parameters> sets{{}};
  for (const auto& spec : kernel.parameters) {
    if (spec.choices.empty()) continue;
    std::vector<Parameters> extended;
    for (const auto& set : sets)
      for (const auto& word : spec.choices) (extended.emplace_back(set)).set(spec.name, word);
    sets = extended;
  }
  std::vector<Parameters> all;
  for (const auto& words : sets)
    for (std::int64_t size : {1, 2, 3, 5, 7, 16, 19}) {
      Parameters set;
      for (const auto& spec : kernel.parameters)
        set.set(spec.name, spec.choices.empty() ? Value(std::clamp(size, spec.min, spec.max)) : words.at(spec.name));
      if (takes(kernel, set) && std::find(all.begin(), all.end(), set) == all.end()) all.push_back(set);
    }
  all.insert(all.end(), kernel.proof.edges.begin(), kernel.proof.edges.end());
  return all;
}

}  // namespace plumbline
