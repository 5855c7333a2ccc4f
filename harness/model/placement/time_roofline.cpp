#include "model/placement/time_roofline.hpp"

#include <algorithm>
#include <cmath>

#include "core/enumerators.hpp"

namespace plumbline {

std::string_view to_string(PlaneRegion region) { return enumerator_name(region); }

TimePlace time_place(double seconds, double flops, double bytes, const PlaneRoofs& roofs) {
  const double at_peak = flops / roofs.flops, at_bandwidth = bytes / roofs.bytes, longest = std::max(at_peak, at_bandwidth);
  if (!(seconds > 0 && longest > 0 && std::isfinite(longest) && at_peak >= 0 && at_bandwidth >= 0)) return {};
  TimePlace place{.balance = roofs.flops / roofs.bytes,
                  .compute_seconds = seconds * (at_peak / longest),
                  .bandwidth_seconds = seconds * (at_bandwidth / longest)};
  const PlaneRegion roof = at_bandwidth > at_peak ? PlaneRegion::bandwidth : PlaneRegion::compute;
  place.of_complexity = longest < roofs.overhead_seconds ? PlaneRegion::overhead : roof;
  place.of_time = seconds < roofs.overhead_seconds ? PlaneRegion::overhead : roof;
  return place;
}

}  // namespace plumbline
