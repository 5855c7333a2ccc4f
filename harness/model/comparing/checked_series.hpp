// One thing through the nights, as a night is held against those before it.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/comparing/observation.hpp"

namespace plumbline {

/// One thing through the nights, as logarithms of its cost: seconds, or the inverse of a rate. Greater is slower.
struct CheckedSeries {
  SeriesKey key = {};
  std::string row_class = {}, unit = {};
  std::vector<double> before = {};              // the baseline's nights, in order
  std::vector<double> before_half_widths = {};  // of their own intervals; empty: not known
  std::vector<std::size_t> nights = {};         // which night each of them is of, ascending; empty: one after the other
  double sample_scatter = absent;               // of one sample within a night, median over the nights
  double after = absent;                        // the night that is held against them
  double after_half_width = 0;                  // of its own interval
  bool after_disturbed = false;                 // in every repetition
  double after_excuse = 1;                      // times as long as that may have made it
  // Nights that were disturbed, without what others took of the CPU: they tell of the node as a whole, whose median bears what is off in
  // some rows.
  std::map<std::size_t, double> unshared_before = {};
  double unshared_after = absent;

  std::size_t night_of(std::size_t i) const { return nights.empty() ? i : nights[i]; }
};

/// The logarithm of the cost of a value in `unit`, and back.
double log_cost(double value, const std::string& unit);
double value_of(double log_cost, const std::string& unit);

}  // namespace plumbline
