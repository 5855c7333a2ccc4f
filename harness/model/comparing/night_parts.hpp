// A part is the rows of a node that share a word: a kernel, a level, a compiler, a size, what bounds them. What befell them and no others
// is theirs together.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "model/comparing/checked_series.hpp"

namespace plumbline {

/// The words of a row: "triad", "fp64", "n=1000", "r1t1", "gcc12", "O3", "v3" of a case id; a ceiling's precision and team; and the class
/// of its row.
std::vector<std::string> words_of(const CheckedSeries& row);

/// A part of a node through the nights, beside the others of its rows.
struct NightPart {
  std::string word = {};
  std::set<SeriesKey> rows = {};
  double rest_after = 0;  // what the night did to the others
  double agreeing = 0;    // the part of its rows that went more than half as far as their middle one
  CheckedSeries series = {};
};

/// The parts by words that enough rows of a node have, and enough have not, each set of rows once. Rows in `apart` are left out.
std::vector<NightPart> night_parts(const std::vector<CheckedSeries>& rows, const std::set<SeriesKey>& apart);

}  // namespace plumbline
