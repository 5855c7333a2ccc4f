// A program's GPU kernels are profiled from the reports of its processes, merged into a row for each kernel, by the counters of the chip's
// event table.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "counters/tables/event_table.hpp"
#include "injection/kernel_report.hpp"

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

struct KernelRow {
  std::string symbol = {}, name = {}, chip = {};  // name: demangled
  int compute_capability = 0;                     // 90 for 9.0; 0: not known
  std::uint64_t launches = 0, counted = 0;
  int processes = 0;
  std::map<std::string, double> sums = {};  // over the counted launches, by metric; NaN: CUPTI gave no number
  KernelMeasures measures = {};
};

struct RankReport {
  int rank = 0;
  KernelReport report;
};

struct KernelProfile {
  std::vector<KernelRow> kernels = {};  // those of most seconds first
  KernelMeasures total = {};            // over all counted launches; absent where a kernel's is
};

/// Merges the reports. `counters`: by chip.
KernelProfile merge_kernels(const std::vector<RankReport>& reports, const std::map<std::string, std::vector<KernelCounter>>& counters);

}  // namespace plumbline::app
