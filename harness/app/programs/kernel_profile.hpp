// A program's GPU kernels are profiled from the reports of its processes, merged into a row for each kernel, by the counters of the chip's
// event table.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "counters/tables/event_table.hpp"
#include "injection/kernel_report.hpp"
#include "model/placement/time_roofline.hpp"

namespace plumbline::app {

/// A number that is shown of a kernel, by the counter that comes first in the chip's table. `name`: "fp64", "tensor.bf16", "fp16+bf16"
/// (FLOPs); a level ("L2": bytes across its boundary towards the core); "" (seconds).
struct KernelCounter {
  enum class What { seconds, flops, bytes } what = What::seconds;
  std::string name = {};
  Counter counter = {};
};
std::vector<KernelCounter> kernel_counters(const std::vector<TableCounter>& rows);
/// The metrics of the counters, each once.
std::vector<std::string> metrics_of(const std::vector<KernelCounter>& counters);

using Amount = std::optional<double>;  // absent: not counted, or no number

struct KernelMeasures {
  Amount seconds = {}, flops = {};
  std::vector<std::pair<std::string, Amount>> flops_by_precision = {}, bytes_by_level = {};

  /// The FLOPs per second, and per byte of a level; absent where either is, or nothing to divide by.
  Amount flops_per_second() const;
  Amount intensity(const Amount& bytes) const;
};

/// The measures that the counters make of the sums by metric.
KernelMeasures measures_of(const std::map<std::string, double>& sums, const std::vector<KernelCounter>& counters);
/// Adds up; what is absent on either side is absent then.
void add(KernelMeasures& to, const KernelMeasures& more);

/// A kernel in a phase of the program: the same regions are open.
struct KernelPart {
  std::vector<std::string> regions = {};  // the outermost first
  LaunchSums all = {}, first = {};        // that were timed
  std::uint64_t of_graphs = 0;            // among them
  double longest_seconds = 0;
  std::uint64_t counted_run = 0, counted = 0;  // launches by themselves in the run that counted, and those of them that were
  std::map<std::string, double> sums = {};     // over the counted launches, by metric; NaN: CUPTI gave no number
  KernelMeasures measures = {};                // scaled to all launches
};

struct KernelRow {
  std::string symbol = {}, name = {}, chip = {};  // name: demangled
  int compute_capability = 0;                     // 90 for 9.0; 0: not known
  /// All launches; those among them that were nodes of graphs; those that were counted.
  std::uint64_t launches = 0, of_graphs = 0, counted = 0;
  std::uint64_t counted_run = 0;  // launches by themselves in the run that counted
  int processes = 0;
  std::map<std::string, double> sums = {};  // over the counted launches, by metric; NaN: CUPTI gave no number
  KernelMeasures measures = {};             // of all launches: counts are scaled by their number
  Amount counted_seconds = {};              // of the counted launches, as the profiler ran them
  Amount longest_seconds = {};
  /// The mean time, and the mean number of threads, of those launches of which the first are counted over the mean of all.
  Amount first_seconds_ratio = {}, first_threads_ratio = {};
  std::string why_no_counts = {};  // empty: it has them
  std::vector<KernelPart> parts = {};
  Amount overhead_seconds = {};              // that its launches cost at least
  std::optional<TimePlace> time_place = {};  // absent: no roofs, or nothing to place
};

struct RankReport {
  int rank = 0;
  KernelReport report;
};

struct KernelProfile {
  bool is_timed = false;                // by activities, in a run of its own: else times are those of the counted launches, scaled
  std::vector<KernelRow> kernels = {};  // those of most seconds first
  KernelMeasures total = {};            // over all kernels that have counts, but for the seconds, which are of all
};

/// The kernels that a run counted, and another one timed. `counters`: by chip.
struct KernelRuns {
  std::vector<RankReport> counted = {}, timed = {};
  std::map<std::string, std::vector<KernelCounter>> counters = {};
};

/// Merges the reports. Counts of a kernel are scaled to all its launches, phase by phase; where the two runs launched it a different number
/// of times, they are not: it has its times alone.
KernelProfile merge_kernels(const KernelRuns& runs);

}  // namespace plumbline::app
