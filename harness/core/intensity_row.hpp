// The one derived table of a result file has arithmetic intensities as they were judged when the file was written.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// /intensity: a case on a node at one level; a case without any level has one row, whose level is empty. Where a number is absent (NaN)
/// the status is not ok, and the reason says why.
struct IntensityRow {
  std::string case_id, node;
  std::string phase;                                   // of an application; empty: the whole case
  std::string level;                                   // L1 L2 L3 mem; of a GPU L1 shared L2 mem
  double flops = absent, bytes = absent;               // per sweep, whole team
  double ai = absent, ai_lo = absent, ai_hi = absent;  // flop/byte across the level's boundary towards the core
  double gflops = absent;
  std::string bound;                // of the case: a level, or "compute"
  double percent_of_roof = absent;  // of the case under that bound
  std::string counter, grade;       // behind the bytes; empty where only the model speaks. The grade is as `score` gives it; "-": undecided
  std::string join;                 // how counts came to times: same transferred model none
  Status status = Status::ok;
  std::string reason;
  bool operator==(const IntensityRow&) const = default;
};

/// The table and its mark. Nothing is judged by it: it is computed anew from what was measured.
struct Intensities {
  std::string derived_by = {};  // program and version
  std::string reason = {};      // why there are no rows; mostly empty
  std::vector<IntensityRow> rows = {};
};

}  // namespace plumbline
