// A recipe says which counters together see the quantities of one area: FLOPs by precision, or the bytes across one boundary.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/choosing/candidate.hpp"
#include "model/choosing/slot_limits.hpp"

namespace plumbline {

/// Counters no two of which see the same part, and the wanted quantities that they see whole.
struct Recipe {
  std::vector<const Candidate*> counters = {};
  std::set<std::string> covered = {};
  std::set<SlotLimits::Event> events = {};
  double width = 0;  // sum of ln(most / least ratio)
};

/// The recipes that are worth trying for the `wanted` quantities of one area. Each has the best grade for the quantity that can have the
/// best one, then for the next; a quantity that is seen comes before one that is not. Among such, those in which every counter sees one
/// wanted quantity and no more come first; and none needs all events of another and is no narrower. Empty where nothing can be seen.
std::vector<Recipe> recipes_for(std::span<const std::string> wanted, std::span<const Candidate> candidates);

/// Says why nothing is chosen for a quantity.
std::string why_uncovered(const std::string& quantity, std::span<const Candidate> candidates);

}  // namespace plumbline
