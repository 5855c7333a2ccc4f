// A diagnosis says in words what is wrong with a counter: everything that the evidence shows, the gravest first.
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

/// The finding of that kind; nullptr where there is none.
const Finding* find(const std::vector<Finding>& findings, FindingKind kind);

/// The words for whose offset it is: "", " a rank", " a thread".
std::string whose_offset(OffsetPer per);
/// The unit of a counter in words: "operations", "bytes", "seconds".
std::string unit_of(const Counter& counter);

}  // namespace plumbline
