// The measuring of a node's ceilings may be disturbed, which shows in what was recorded beside each sample.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// The disturbed samples of one node, by sign.
struct Disturbances {
  std::string node;
  std::size_t samples = 0;      // with such a record
  std::size_t shared_core = 0;  // the sentinel fell: another hardware thread took a share of a core
  std::size_t lost_cpu = 0;     // something else ran on a CPU of the team
  std::size_t slow_clock = 0;   // the clock was below the node's usual one
  std::size_t disturbed = 0;    // any of them
  std::int64_t switches = 0;    // involuntary
  double clock_lowest_hz = absent, clock_usual_hz = absent, clock_highest_hz = absent;
};

/// A sample is disturbed where its sentinel is below 0.9 of the upper quartile of the node's samples with the same team, its CPU share
/// below 0.97, or its clock below 0.95 of the median of its kind.
bool is_disturbed(const Disturbances& disturbances);
std::vector<Disturbances> find_disturbances(std::span<const CeilingRow> samples);
/// Says of each sample whether nothing disturbed it, by the same signs; one without such a record is not known to be undisturbed.
std::vector<bool> undisturbed(std::span<const CeilingRow> samples);
/// Says of each sample whether something disturbed it; one without such a record is not known to have been disturbed.
std::vector<bool> known_disturbed(std::span<const CeilingRow> samples);

}  // namespace plumbline
