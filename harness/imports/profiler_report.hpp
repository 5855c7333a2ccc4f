// Another profiler's report is a list of launches (ncu), of means of several launches of a kernel (nvprof), or of a CPU's regions (likwid),
// loops (Advisor) or runs (perf), with metrics in base units.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

struct ProfiledLaunch {
  std::string kernel = {};                        // as the profiler prints it: "void copy<double>(double *, double const *)"
  std::string node = {};                          // the GPU: "node7 gpu0", "Tesla V100-SXM2-16GB (0)"
  std::string launch = {};                        // "0": ncu's ID; of nvprof the number of the run
  std::string process = {};                       // empty where the profiler does not say
  int chip = 0;                                   // compute capability, 70 for 7.0; 0 where the profiler does not say
  std::map<std::string, std::string> shape = {};  // "block", "grid", "stream", "context": as printed
  std::map<std::string, double> metrics = {};     // of those wanted; NaN where the profiler says that it has none (n/a)
  std::vector<double> seconds = {};               // nvprof's durations
  std::int64_t launches = 1;                      // of which it is the mean
  int threads = 0;                                // of a CPU; 0: a GPU did it
  std::vector<std::string> remarks = {};          // what the user has to know besides
};

/// The metrics that are kept; all others are passed over, whatever their unit.
using WantedMetrics = std::set<std::string>;

}  // namespace plumbline
