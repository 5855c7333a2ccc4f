// A night may move all things of a node alike: a clock, a BIOS, a warm room. The movement is taken out of the rows and judged by itself.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/comparing/checked_series.hpp"

namespace plumbline {

/// The movement of one node through the nights: the median over its rows of their distances from their own medians (logarithms of a cost).
struct NodeMovement {
  std::string node = {};
  std::size_t rows = 0;                       // that the checked night's median is of
  std::map<std::size_t, double> before = {};  // by night
  double after = absent;
  double after_of_rows =
      absent;                   // what was taken from the rows: `after`, or where two levels are far apart that of those which changed less
  double after_half_width = 0;  // two standard errors of the median over the rows
  bool after_disturbed = false;  // most of its rows were, and what others took is not known of them
  double after_excuse = 1;       // the median one's
};

/// The fewest rows of which the median is a movement; with fewer the rows keep what they have.
inline constexpr std::size_t least_for_movement = 8;

/// The distances of one row from its own median: of the baseline's nights, and of the checked one, which is absent where it was disturbed.
struct RowDistances {
  const CheckedSeries* row = nullptr;
  std::vector<std::pair<std::size_t, double>> before = {};  // night, distance
  double after = absent;
};

using RowsOfNode = std::vector<RowDistances>;
/// The way in which disturbed nights count: as they are without what others took of the CPU, or not at all. Others' use of caches and
/// memory is in the former, and rows that are alike have it alike.
enum class Disturbed { unshared, left_out };
/// The rows with a baseline, but for links, which are of two nodes.
std::map<std::string, RowsOfNode> rows_by_node(const std::vector<CheckedSeries>& rows, Disturbed disturbed);

NodeMovement movement_of(const std::string& node, const RowsOfNode& rows);

/// Takes from every row (`before` and `after`) what its node did in that night. Returns what was taken, a node each. `apart`: rows that are
/// judged by themselves and say nothing of their node, if enough others do.
std::vector<NodeMovement> take_out_movement(std::vector<CheckedSeries>& rows, const std::set<SeriesKey>& apart = {});

}  // namespace plumbline
