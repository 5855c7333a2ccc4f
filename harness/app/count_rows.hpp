// One repetition's readings as rows of a result file.
#pragma once
#include <vector>

#include "core/records.hpp"
#include "measure/counting.hpp"

namespace plumbline::app {

/// Of each event the sum over the rank's threads (thread -1), and each thread's own where there are several: what the region counted less
/// what the empty region did, a sweep. `common` says of what, where and when.
void add_count_rows(std::vector<CountRow>& rows, const CountRow& common, const RegionCounts& counts);

}  // namespace plumbline::app
