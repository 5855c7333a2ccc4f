// The registry-wide proofs try these parameters: every word, and integers from the smallest on, odd ones above all.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/kernel.hpp"
#include "tests/kernels/refusal.hpp"
#include "tests/printed_amounts.hpp"

namespace plumbline {

/// All combinations of words, each with every integer at 1, 2, 3, 5, 7, 16 and 19 (within its limits, and those of the proof), and the
/// edges that the kernel states.
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
      const auto most = [&](const ParameterSpec& spec) {
        const bool has = kernel.proof.at_most.has(spec.name);
        return has ? static_cast<std::int64_t>(kernel.proof.at_most.integer(spec.name)) : spec.max;
      };
      for (const auto& spec : kernel.parameters)
        set.set(spec.name, spec.choices.empty() ? Value(std::clamp(size, spec.min, most(spec))) : words.at(spec.name));
      if (takes(kernel, set, kernel.precisions.front()) && std::find(all.begin(), all.end(), set) == all.end()) all.push_back(set);
    }
  all.insert(all.end(), kernel.proof.edges.begin(), kernel.proof.edges.end());
  return all;
}

}  // namespace plumbline
