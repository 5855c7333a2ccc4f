// The time-based roofline splits a run time in two (Wang, Yang, Farrell, Zhang, Kurth, Williams 2020, section II): compute time and
// bandwidth time. Equations 2 and 3 as printed have equal arguments; the text means that what bounds a kernel takes its run time, and the
// other is shorter by the ratio of arithmetic intensity and machine balance.
#pragma once
#include <string_view>

#include "core/records.hpp"

namespace plumbline {

/// Most of the time goes there, in either plane.
enum class PlaneRegion { compute, bandwidth, overhead };
/// The word under which a program finds it in JSON: the enumerator's own.
std::string_view to_string(PlaneRegion region);

/// The planes are cut by FLOP/s and bytes/s at the roofs, and seconds of all launches, absent where there are none or nobody measured
/// them.
struct PlaneRoofs {
  double flops = absent, bytes = absent, overhead_seconds = absent;
};

/// A kernel's place in the plane of times, and its region in each of the planes.
struct TimePlace {
  double balance = absent;  // FLOP/byte from which on arithmetic takes longer than bytes at the roofs
  double compute_seconds = absent, bandwidth_seconds = absent;
  PlaneRegion of_complexity = PlaneRegion::compute;  // by what it has to do, at the roofs: what a perfect implementation would wait for
  PlaneRegion of_time = PlaneRegion::compute;        // by the time that it took
};

/// The place of a kernel with so many FLOPs and bytes, which took `seconds`. A kernel is in the overhead's box of a plane where both of its
/// coordinates are less than all launches take: times the roofs in the plane of complexity. Without FLOPs and bytes, without time or
/// without a roof the place is absent (balance is no number).
TimePlace time_place(double seconds, double flops, double bytes, const PlaneRoofs& roofs);

}  // namespace plumbline
