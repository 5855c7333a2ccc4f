// The FLOPs and bytes that belong to a timed case: its own counts, counts of sibling flavors, or the model's word.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/counter_set.hpp"
#include "model/roofline.hpp"

namespace plumbline {

/// An amount with the interval that its source leaves open. An interval that begins at nothing may come without a value.
struct Estimate {
  double value = absent, lo = absent, hi = absent;
};

struct Traffic {
  Join join = Join::none;
  std::string source = {};  // emulated | hardware | model
  Estimate flops = {};
  std::vector<std::pair<std::string, Estimate>> levels = {};  // level name -> bytes; a level that nobody speaks of is left out
  std::string note = {};                                      // of a transfer: from where, and how well they agree
  Status status = Status::ok;                                 // why there is none
  std::string reason = {};
};

/// A level of the roofline, and its boundary towards the core.
struct LevelBoundary {
  const char* level;
  const char* boundary;
};
std::span<const LevelBoundary> level_boundaries();

/// By the join rule: own counts, else transferred ones, else the model. Own counts are those of the chosen set where there is one and
/// the case was counted by it, else the emulator's.
Traffic traffic_of(const Measured& measured, const Measurements& all, const CounterSet* set = nullptr);

}  // namespace plumbline
