// The FLOPs and bytes that belong to a timed case: its own counts, counts of sibling flavors, or the model's word.
#pragma once
#include <string>
#include <vector>

#include "model/roofline.hpp"

namespace plumbline {

/// An amount with the interval that its source leaves open. An interval that begins at nothing may come without a value.
struct Estimate {
  double value = absent, lo = absent, hi = absent;
};

struct Traffic {
  Join join = Join::none;
  std::string source = {};  // emulated | model
  Estimate flops = {};
  std::vector<std::pair<std::string, Estimate>> levels = {};  // level name -> bytes; a level that nobody speaks of is left out
  std::string note = {};                                      // of a transfer: from where, and how well they agree
  Status status = Status::ok;                                 // why there is none
  std::string reason = {};
};

/// By the join rule: own counts, else transferred ones, else the model.
Traffic traffic_of(const Measured& measured, const Measurements& all);

}  // namespace plumbline
