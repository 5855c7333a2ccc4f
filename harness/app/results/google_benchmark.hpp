// The times of a result file are printed as Google Benchmark does with --benchmark_format=json: its compare.py reads that.
#pragma once
#include <string>

#include "core/records.hpp"

namespace plumbline::app {

/// Prints every repetition of every timed case. cpu_time is the wall time too: the team's, as under UseManualTime. A file of several nodes
/// has the node behind the name. Throws Error (user) where no case has a time.
std::string google_benchmark_json(const Results& results);

}  // namespace plumbline::app
