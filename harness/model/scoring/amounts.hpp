// A counter may be good between some amounts of a sweep alone, where its count hangs on how much there is: it stops at some count, or adds
// a constant.
#pragma once
#include <limits>
#include <optional>
#include <vector>

#include "model/cases/factors.hpp"
#include "model/scoring/calibration.hpp"

namespace plumbline {

/// The amounts between which a counter is good, in operations or bytes of the whole team.
struct GoodAmounts {
  double from = 0, up_to = std::numeric_limits<double>::infinity();
  double ratio_lo = absent, ratio_hi = absent;  // count (calibrated, where it is) over the exact value in them: the least and the most
  std::size_t cases = 0;                        // that could tell
};

/// The count beyond which no case goes, the least that any team shows: every rank may stop at its own. Absent where there is none.
double cap_of(const std::vector<Evidence>& evidence, const FactorTable& factors, const Limits& limits);

/// The amounts up to the cap, less what a trusted counter may be off: where all such cases would make it trusted, of two kernels at least.
std::optional<GoodAmounts> good_below(double cap, const std::vector<Evidence>& evidence, const FactorTable& factors, const Limits& limits);

/// A constant that a counter adds (or lacks) in every sweep.
struct Offset {
  Linearity line = {};     // of exact and measured, each over the offsets of its case
  double misfit = absent;  // root mean square of what the line leaves of all counts, zero tests too, as parts of them
  OffsetCalibration by = {};
  std::optional<GoodAmounts> from = {};  // too uncertain for the smallest cases: good from there on once it is taken away
  bool is_confirmed = false;             // without any one kernel the others show the same, and nobody else may as well add it

  bool is_enough() const { return by.verdict == OffsetVerdict::calibrated || from.has_value(); }
};

/// Finds the offset, added by the team, by each rank or by each thread: the first of these that makes the counter right, and that none
/// after it fits clearly better. Nothing where counts lie on no such line.
std::optional<Offset> offset_of(const std::vector<Evidence>& evidence, const FactorTable& factors, const Limits& limits);

}  // namespace plumbline
