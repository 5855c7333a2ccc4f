// A case's readings become rows of a result file.
#pragma once
#include <span>
#include <vector>

#include "core/records.hpp"
#include "measure/counting.hpp"

namespace plumbline::app {

/// Adds for each event the sum over the rank's threads (thread -1), and each thread's own where there are several, repetition by
/// repetition: what the region counted less what the empty region counts in the median repetition, a sweep; a rate or a share as it is.
/// `common` says of what, where and when.
void add_count_rows(std::vector<CountRow>& rows, const CountRow& common, std::span<const RegionCounts> repetitions);

}  // namespace plumbline::app
