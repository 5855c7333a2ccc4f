// Counters can time the same run of a kernel in two ways, and the two should agree: arithmetic, with no model and no reference in it.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "core/records.hpp"

namespace plumbline {

/// The agreement of a time by cycles and their rate with a time that was counted, over all repetitions in which one pass had all three. It
/// takes what was counted in the region itself, nothing subtracted.
struct TimeAgreement {
  std::string counter = {}, other = {};    // "cupti cycles.average / clock", "cupti time"
  bool must_agree = false;                 // the rate is that of these very cycles: they differ by rounding, or mean another span of time
  std::size_t repetitions = 0, apart = 0;  // apart: those that differ by more than the rounding of the counts to whole numbers
  double least = absent, most = absent;    // of the first over the second
  std::string farthest = {};               // case of the repetition that is farthest from 1
};

/// The agreements, one for each pair of `counters` that some repetition counted.
std::vector<TimeAgreement> time_agreements(const Results& results, std::span<const Counter> counters);

}  // namespace plumbline
