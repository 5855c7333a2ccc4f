// The level of a series of nights may change; changes are found by ranks, so that no single night, however bad, makes or hides one.
//
// One change: over every split of the nights in two, the greatest standardized Mann-Whitney statistic (a maximally selected rank statistic:
// Lausen and Schumacher, Biometrics 48, 1992), with the probability that nights of one level give so great a one by Miller and Siegmund's
// approximation (Biometrics 38, 1982). Several: binary segmentation (Scott and Knott, Biometrics 30, 1974): split, then look at either side
// again; afterwards splits whose neighbours do not differ are taken back.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace plumbline {

/// A change of level between two nights.
struct ChangePoint {
  std::size_t first = 0;  // index of the first night of the new level
  double z = 0;           // standardized Mann-Whitney statistic of the segment's split: positive when values rise
  double probability = 1;
};

struct ChangeOptions {
  double probability = 0.01;     // of one change at least, where there is none, in one series
  std::size_t least_nights = 3;  // a level lasts
};

/// The strongest split of the nights; `first` is 0 where there are too few nights.
ChangePoint strongest_split(std::span<const double> nights, std::size_t least_nights);

/// The changes of level, in the order of the nights.
std::vector<ChangePoint> change_points(std::span<const double> nights, const ChangeOptions& options = {});

}  // namespace plumbline
