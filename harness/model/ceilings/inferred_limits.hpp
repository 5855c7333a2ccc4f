// Limits are inferred for cores that no vendor's document is known for, or that hide which core they are: what pipes the rates tell of.
#pragma once
#include <span>
#include <vector>

#include "model/ceilings/ceiling.hpp"
#include "model/ceilings/node_facts.hpp"

namespace plumbline {

/// The smallest rate that explains what is shown, of those that hardware may have.
struct Hypothesis {
  double rate = absent;  // absent: more is shown than all of them allow
  bool reached = false;  // what is shown comes within a tenth of it; else the next smaller one is as likely, with a clock that lies
};

/// Finds the hypothesis among `rates`, which ascend. One that is exceeded by more than 2 % (most_of_limit) is none.
Hypothesis hypothesis_of(double shown, std::span<const double> rates);

/// Fills limit, limit_source (which begins with "inferred: ") and limit_basis of ceilings of arithmetic and of L1 on nodes whose core is in
/// no table, from undisturbed samples alone; else limit_reason. `ceilings` have their clocks already. What a core does in a clock is one
/// number for all teams, and for all precisions of a kind of vector instruction; nothing is inferred where precisions tell different ones,
/// nor for a ceiling that would be above 1.02 of it.
void infer_limits(std::vector<Ceiling>& ceilings, std::span<const CeilingRow> samples, std::span<const NodeFacts> nodes);

}  // namespace plumbline
