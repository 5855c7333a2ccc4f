#include "app/gpu_kernels/kernel_placing.hpp"

#include <algorithm>
#include <cmath>

#include "model/placement/launch_crossover.hpp"

namespace plumbline::app {
namespace {

/// The precision in which it does most; fp64 where it does nothing.
std::string precision_of(const KernelMeasures& measures) {
  std::string most = "fp64";
  double flops = 0;
  for (const auto& [name, value] : measures.flops_by_precision)
    if (value.value_or(0) > flops) most = name, flops = *value;
  return most;
}

/// The highest rate of arithmetic that was measured in the precision, in FLOP/s; absent where none was.
double peak_of(const std::vector<Ceiling>& ceilings, const std::string& precision) {
  double peak = absent;
  for (const auto& one : ceilings)
    if (one.status == Status::ok && one.device == 0 && one.is_compute() && one.precision == precision && one.pattern != "stated" &&
        !(1e9 * one.value <= peak))
      peak = 1e9 * one.value;
  return peak;
}

/// The cost of so many launches; absent where there are some and nobody measured them.
Amount seconds_of(std::uint64_t launches, double of_one) {
  if (launches == 0) return 0;
  return std::isfinite(of_one) ? Amount(static_cast<double>(launches) * of_one) : std::nullopt;
}

Amount overhead_of(const KernelRow& row, const std::vector<Ceiling>& ceilings) {
  const Amount own = seconds_of(row.launches - row.of_graphs, launch_roofs(ceilings, "stream", "").launch_seconds);
  const Amount of_graphs = seconds_of(row.of_graphs, launch_roofs(ceilings, "graph", "").launch_seconds);
  return own && of_graphs ? Amount((*own + *of_graphs) / row.gpus_at_once()) : std::nullopt;
}

void place(const std::vector<Ceiling>& ceilings, KernelRow& row) {
  row.overhead_seconds = overhead_of(row, ceilings);
  const auto& measures = row.measures;
  const auto mem =
      std::find_if(measures.bytes_by_level.begin(), measures.bytes_by_level.end(), [](const auto& one) { return one.first == "mem"; });
  if (!measures.seconds || !measures.flops || mem == measures.bytes_by_level.end() || !mem->second) return;
  const PlaneRoofs roofs{.flops = row.gpus_at_once() * peak_of(ceilings, precision_of(measures)),
                         .bytes = row.gpus_at_once() * launch_roofs(ceilings, "stream", "").bytes,
                         .overhead_seconds = row.overhead_seconds.value_or(absent)};
  const TimePlace place = time_place(*measures.seconds, *measures.flops, *mem->second, roofs);
  if (std::isfinite(place.balance)) row.time_place = place;
}

}  // namespace

void place_kernels(const std::vector<Ceiling>& ceilings, KernelProfile& profile) {
  if (ceilings.empty()) return;
  for (auto& row : profile.kernels) place(ceilings, row);
}

}  // namespace plumbline::app
