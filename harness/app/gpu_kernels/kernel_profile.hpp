// A program's GPU kernels are profiled from the reports of its processes, merged into a row for each kernel, by the counters of the chip's
// event table.
#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <set>
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

/// The seconds of something on GPUs, by rank: ranks work at once.
class RankSeconds {
 public:
  /// Adds time of a rank; absent: that something has no time then.
  void add(int rank, const Amount& seconds);
  Amount longest() const;  // of all ranks
  Amount sum() const;
  /// The longest rank's over the mean of those that did it.
  Amount imbalance() const;

 private:
  std::map<int, double> by_rank_ = {};
  bool is_known_ = true;
};

/// A kernel of a rank in a phase of the program: the same regions are open.
struct KernelPart {
  int rank = 0;
  std::vector<std::string> regions = {};  // the outermost first
  LaunchSums all = {}, first = {};        // that were timed
  std::uint64_t of_graphs = 0;            // among them
  double longest_seconds = 0;
  std::uint64_t counted_run = 0, counted = 0;  // launches by themselves in the run that counted, and those of them that were
  std::map<std::string, double> sums = {};     // over the counted launches, by metric; NaN: CUPTI gave no number
  KernelMeasures measures = {};                // scaled to all launches
};

/// A kernel's place under the roofs, as a case of a result file.
struct KernelPlace {
  std::string case_id = {}, bound = {}, bound_ceiling = {};
  Amount percent_of_roof = {};
};

struct KernelRow {
  std::string symbol = {}, name = {}, chip = {};  // name: demangled
  int compute_capability = 0;                     // 90 for 9.0; 0: not known
  /// All launches; those among them that were nodes of graphs; those that were counted.
  std::uint64_t launches = 0, of_graphs = 0, counted = 0;
  std::uint64_t counted_run = 0;  // launches by themselves in the run that counted
  int processes = 0;
  std::set<int> ranks = {};                   // that launched it
  std::set<std::string> devices = {};         // GPUs that ran it, by KernelRuns::gpu_of()
  std::map<std::string, double> sums = {};    // over the counted launches, by metric; NaN: CUPTI gave no number
  std::map<std::string, double> scaled = {};  // the same for all launches, phase by phase; empty where it has no counts
  /// The measures of all launches: counts are scaled by their number, and summed over ranks; the time is that of the longest rank.
  KernelMeasures measures = {};
  Amount summed_seconds = {};   // of all ranks
  Amount imbalance = {};        // the longest rank's time over the mean of those that launched it
  Amount counted_seconds = {};  // of the counted launches, as the profiler ran them
  Amount longest_seconds = {};
  /// The mean time, and the mean number of threads, of those launches of which the first are counted over the mean of all.
  Amount first_seconds_ratio = {}, first_threads_ratio = {};
  std::string why_no_counts = {};  // empty: it has them
  std::vector<KernelPart> parts = {};
  Amount overhead_seconds = {};              // that its launches cost at least
  std::optional<TimePlace> time_place = {};  // absent: no roofs, or nothing to place
  KernelPlace place = {};

  /// The GPUs of which its rate is: ranks work at once, each on GPUs whose times are summed.
  int gpus_at_once() const { return static_cast<int>(std::max<std::size_t>(1, std::min(ranks.size(), devices.size()))); }
};

struct RankReport {
  int rank = 0;
  KernelReport report;
};

struct KernelProfile {
  bool is_timed = false;                // by activities, in a run of its own: else times are those of the counted launches, scaled
  std::vector<KernelRow> kernels = {};  // those of most seconds first
  std::string whole_case = {};          // of a result file; empty: none
  KernelMeasures total = {};            // over all kernels that have counts, but for the seconds, which are of all, by the longest rank
};

/// The kernels that a run counted, and another one timed. `counters`: by chip.
struct KernelRuns {
  std::vector<RankReport> counted = {}, timed = {};
  std::map<std::string, std::vector<KernelCounter>> counters = {};
  std::map<int, std::string> hosts = {};  // of ranks

  /// The GPU with that number in a process, as no other GPU of the launch is called: by its UUID, where the driver told it, else by host
  /// and number.
  std::string gpu_of(const RankReport& one, int ordinal) const;
};

/// Merges the reports. Counts of a kernel are scaled to all its launches, rank by rank and phase by phase; where the two runs launched it a
/// different number of times, they are not: it has its times alone.
KernelProfile merge_kernels(const KernelRuns& runs);

}  // namespace plumbline::app
