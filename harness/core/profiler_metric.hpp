// Tables say which quantities the metrics of another profiler (Nsight Compute, nvprof) stand for: data, not code (harness/imports/metrics).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/counter.hpp"

namespace plumbline {

/// The name that stands in ProfilerMetric::quantity for the time of a launch, and in ProfilerMetric::times for a factor of that time.
inline constexpr std::string_view launch_seconds = "seconds";

/// One way to a quantity: weighted metrics, summed. Where a quantity has several ways, the first one whose metrics are all there is taken,
/// and the others are held against it.
struct ProfilerMetric {
  std::string quantity = {};            // "flops.fp64", "bytes.L2-mem", "seconds"
  std::vector<Term> terms = {};         // metrics in their base units: operations, bytes, sectors, seconds, 1/s
  std::vector<std::string> times = {};  // metrics that the sum is multiplied by ("seconds": the launch's time), for rates
  std::string over = {};                // metric that the sum is divided by; empty: none
  std::vector<int> chips = {};          // compute capabilities that it holds for (70: 7.0); empty: any
  std::string device = {};              // a part of the names of the GPUs that it holds for, where the profiler tells no chip; empty: any
  bool part = false;                    // sees less than the others: stands in for them, and does not contradict them
  std::string remark = {};              // what to tell whoever reads a number that came this way; empty: nothing
  std::string source = {};              // document, section or table

  /// The weighted sum as text: "32 x gld_transactions + 32 x gst_transactions".
  std::string formula() const;
};

/// The metrics that a profiler's table names, best first.
struct ProfilerMetrics {
  std::string tool = {};  // "ncu": the backend of its counts in a result file
  std::vector<ProfilerMetric> rows = {};
  std::string convention = {};  // of counting, where it is another one than ours (harness/imports/conventions)
};

}  // namespace plumbline
