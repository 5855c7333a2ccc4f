// The roof of arithmetic over a case of a GPU is lower where few warps are resident: by Little's law (Little, Operations Research 9, 1961;
// of GPUs: Volkov, Understanding Latency Hiding on GPUs, Berkeley 2016) throughput is at most what is in flight over the latency, so it is
// proportional to the warps until the units are busy. Occupancy as a ceiling of compute: Williams, slides "Introduction to the Roofline
// Model", multiple compute ceilings; Yang, Kurth, Williams 2019 name it as what their roofline lacks.
#pragma once
#include <span>
#include <string>

#include "model/ceilings/ceiling.hpp"
#include "model/placement/roofline.hpp"

namespace plumbline {

struct OccupancyRoof {
  double warps = absent;       // resident on a multiprocessor, on average over the cycles in which it has any
  double most_warps = absent;  // that were measured: as many as it has room for
  double part = absent;        // of the FMA rate that so many warps reach by measurement, at most 1
  double gflops = absent;      // the case's roof of arithmetic times that part
  Status status = Status::unavailable;
  std::string reason = {};  // why there is none
};

/// The roof by a measured occupancy (resident warps over room for warps) and by the rates of FMAs with 1, 2, 4, ... warps that this very
/// GPU reached (ceilings of kind occupancy). Between two of them it is the lesser of the upper rate and of the lower one in proportion to
/// the warps, both of which bound a rate that Little's law bounds. Those FMAs were in eight chains a thread: a kernel with more independent
/// instructions may be above. Without occupancy, a roof of arithmetic or such rates there is none: it is never guessed.
OccupancyRoof occupancy_roof(const RooflinePlacement& placement, const Reported& occupancy, std::span<const Ceiling> ceilings);

}  // namespace plumbline
