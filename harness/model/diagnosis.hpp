// What is wrong with a counter, in words: everything that the evidence shows, the gravest first.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/factors.hpp"
#include "model/score.hpp"

namespace plumbline {

/// A score whose numbers are filled in, and the cases behind it.
struct Diagnosed {
  const Counter& counter;
  const CounterScore& score;
  const std::vector<Evidence>& evidence;
  const FactorTable& factors;
  const Summary& summary;
  const CaseVerdict& verdict;
  Limits limits;
};

std::vector<Finding> findings_of(const Diagnosed& diagnosed);

/// nullptr where there is none of that kind.
const Finding* find(const std::vector<Finding>& findings, FindingKind kind);

/// "operations", "bytes", "seconds"
std::string unit_of(const Counter& counter);

/// Points of the sharp cases, for fits. Exact is what the interval has nearest to the count: inside, the count itself.
Point point_of(const Evidence& evidence);
std::vector<Point> points_of(const std::vector<Evidence>& evidence);

}  // namespace plumbline
