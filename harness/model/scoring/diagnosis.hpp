// What is wrong with a counter, in words: everything that the evidence shows, the gravest first.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/cases/factors.hpp"
#include "model/scoring/score.hpp"

namespace plumbline {

/// A score whose numbers are filled in, and the cases behind it.
struct Diagnosed {
  const Counter& counter;
  const CounterScore& score;
  const std::vector<Evidence>& evidence;
  const FactorTable& factors;
  const Summary& summary;
  const CaseVerdict& verdict;
  const std::optional<Offset>& offset;
  double cap = absent;  // cap_of
  Limits limits;
};

std::vector<Finding> findings_of(const Diagnosed& diagnosed);

/// nullptr where there is none of that kind.
const Finding* find(const std::vector<Finding>& findings, FindingKind kind);

/// "", " a rank", " a thread"
std::string whose_offset(OffsetPer per);
/// "operations", "bytes", "seconds"
std::string unit_of(const Counter& counter);

}  // namespace plumbline
