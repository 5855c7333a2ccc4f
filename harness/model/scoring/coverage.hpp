// A verdict rests on what was tried, and is limited by what was not.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "model/cases/factors.hpp"
#include "model/scoring/evidence.hpp"

namespace plumbline {

/// The cases that a verdict rests on, by factor, and those that it lacks.
struct Coverage {
  std::array<std::vector<std::string>, factor_count> tried = {};  // by factor: the values among the cases that can tell
  std::vector<std::string> open = {};  // kernels of which the model leaves too much open to tell (Evidence::is_open), or in how many cases
  std::vector<std::string> open_cases = {};     // ids of these cases
  std::vector<std::string> untried_nodes = {};  // on which others counted and this one did not
  std::vector<std::string> missing = {};        // for a verdict that stands elsewhere: "a second compiler", ...
};

/// Finds the coverage of a counter. `counted_nodes`: by number, whether any counter has a count there. What is simulated counts on all
/// nodes alike.
Coverage coverage_of(const Counter& counter, std::span<const Evidence> evidence, const FactorTable& factors,
                     const std::vector<bool>& counted_nodes);

}  // namespace plumbline
