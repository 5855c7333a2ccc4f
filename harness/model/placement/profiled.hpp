// A launch that another profiler measured is read by the table of that profiler: its metrics become FLOPs, bytes and seconds.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profiler_metric.hpp"
#include "model/cases/measured.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline {

/// The metrics of one launch by name, in base units.
using MetricValues = std::map<std::string, Reported>;

/// A quantity of one launch, and who says so.
struct Profiled {
  double value = absent;
  const ProfilerMetric* by = nullptr;  // borrowed; nullptr where there is none
  std::vector<Disagreement> disagreements = {};
  Status status = Status::unavailable;
  std::string reason = {};
  bool ok() const { return status == Status::ok; }
};

/// The table without the rows that are of other GPUs than this one (its name, and its compute capability or 0). A convention's remarks say
/// which quantities then have no formula.
ProfilerMetrics metrics_of_gpu(const ProfilerMetrics& table, const std::string& gpu, int chip, std::vector<std::string>& remarks);

/// Finds a quantity by its first row that fits the chip and whose metrics are all there; else says why there is none. `seconds` is for
/// rates. Rows of more than `part` that differ from it beyond the tolerance of the quantity's kind are named.
Profiled profiled(const ProfilerMetrics& table, const std::string& quantity, const MetricValues& values, double seconds, int chip);

/// The FLOPs by precision ("fp64", "tensor.fp16") that the chip may do, with those that were not collected.
std::map<std::string, Profiled> profiled_flops(const ProfilerMetrics& table, const MetricValues& values, double seconds, int chip);

/// The precision in which the launch does most; "-" where it does none, or none was collected.
std::string main_precision(const std::map<std::string, Profiled>& flops);

/// The chip that a flavor names: 70 for "cuda-sm_70"; 0 where it names none.
int chip_of(const std::string& flavor);

/// The traffic by a profiler: FLOPs, and bytes of the GPU's levels. nullopt where no profiler of these measured the case.
std::optional<Traffic> profiled_traffic(const Measured& measured, std::span<const ProfilerMetrics> tables);

}  // namespace plumbline
