// A counter may be moved by one factor where all others are equal: a right counter's ratio does not ask who compiled the loop.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/cases/factors.hpp"
#include "model/scoring/evidence.hpp"

namespace plumbline {

/// The effect of one factor, over all groups of cases that agree in everything else.
struct FactorEffect {
  Factor factor = Factor::compiler;
  std::size_t comparisons = 0;            // groups in which it took two values or more
  double ratio = 1;                       // of the mean ratios at its highest and its lowest value
  std::string highest = {}, lowest = {};  // empty where it does nothing
};

/// The effects of all factors that took two values, the strongest first. `by_case`: each case's evidence or nullptr.
std::vector<FactorEffect> invariance_of(const std::vector<const Evidence*>& by_case, const FactorTable& factors);

/// The effect in words: "O0 counts 5.9 times what O3 counts".
std::string in_words(const FactorEffect& effect);

}  // namespace plumbline
