#include "model/placement/occupancy_roof.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/gpu_device.hpp"

namespace plumbline {
namespace {

using Rates = std::map<double, double>;  // GFLOP/s by warps on a multiprocessor

Rates rates_by_warps(const RooflinePlacement& placement, std::span<const Ceiling> ceilings) {
  Rates rates;
  if (placement.gpus.empty()) return rates;
  for (const auto& one : ceilings) {
    const double warps = std::atof(one.pattern.c_str());  // "8 warps"
    if (one.level == CeilingKind::occupancy && one.status == Status::ok && one.value > 0 && warps > 0 && one.scope == gpu_scope &&
        one.node == placement.node && one.device == placement.gpus.front() && one.precision == placement.roof_precision)
      rates[warps] = one.value;
  }
  return rates;
}

double rate_at(const Rates& rates, double warps) {
  const auto above = rates.lower_bound(warps);
  if (above == rates.end()) return rates.rbegin()->second;
  const auto below = above == rates.begin() ? above : std::prev(above);
  return std::min(above->second, below->second * warps / below->first);
}

OccupancyRoof none(const std::string& reason) { return {.reason = reason}; }

}  // namespace

OccupancyRoof occupancy_roof(const RooflinePlacement& placement, const Reported& occupancy, std::span<const Ceiling> ceilings) {
  if (!occupancy.ok()) return none("no occupancy was measured: " + occupancy.reason);
  if (!(placement.compute.gflops > 0)) return none("no roof of arithmetic stands over the case: " + placement.compute.reason);
  const Rates rates = rates_by_warps(placement, ceilings);
  if (rates.size() < 2)
    return none("no rates of " + placement.roof_precision +
                " FMAs by resident warps of this GPU in this file: [ceilings] mode = \"full\" measures them");
  OccupancyRoof roof{.warps = occupancy.value * rates.rbegin()->first, .most_warps = rates.rbegin()->first, .status = Status::ok};
  double highest = 0;
  for (const auto& [warps, rate] : rates) highest = std::max(highest, rate);
  roof.part = std::min(1.0, rate_at(rates, roof.warps) / highest);
  roof.gflops = placement.compute.gflops * roof.part;
  return roof;
}

}  // namespace plumbline
