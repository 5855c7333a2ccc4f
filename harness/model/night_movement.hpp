// What a night did to all things of a node alike: a clock, a BIOS, a warm room. It is taken out of the rows and judged by itself.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/night_check.hpp"

namespace plumbline {

/// One node through the nights: the median over its rows of their distances from their own medians (logarithms of a cost).
struct NodeMovement {
  std::string node = {};
  std::size_t rows = 0;                       // that the checked night's median is of
  std::map<std::size_t, double> before = {};  // by night
  double after = absent;
  double after_half_width = 0;  // two standard errors of the median over the rows
  bool after_disturbed = false;  // most of its rows were
};

/// With fewer rows there is no median to speak of, and the rows keep what they have.
inline constexpr std::size_t least_for_movement = 8;

/// Takes from every row (`before` and `after`) what its node did in that night. Links, which are of two nodes, keep theirs. Returns what was taken,
/// a node each.
std::vector<NodeMovement> take_out_movement(std::vector<CheckedSeries>& rows);

}  // namespace plumbline
