// A counter's evidence is made its grade and the reason for it.
#pragma once
#include <vector>

#include "model/scoring/score.hpp"

namespace plumbline {

/// The part of the grading that is the same for all counters of a file.
struct Grading {
  FactorTable factors;
  FlowFamilies flows;
  bool confirming = false;               // so many candidates that one must be right on a held-out half too
  std::vector<bool> counted_nodes = {};  // by number: any counter has a count there
};

CounterScore grade(const Counter& counter, const std::vector<Evidence>& evidence, const Attempts& attempts, const Grading& grading);

}  // namespace plumbline
