// The work of a part of a program, counted once: what any machine has to do for it, wherever it was counted.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/records.hpp"
#include "model/placement/compute_roof.hpp"
#include "model/placement/reuse_distances.hpp"

namespace plumbline {

/// A loop, a case or a region: amounts of one sweep of the whole team.
struct WorkPart {
  std::string name = {};
  ArithmeticMix mix = {};                    // FLOPs by precision, with their kinds where they are known
  double scalar_part = absent;               // of the floating-point instructions; absent: all are taken to be vectors
  double instructions = absent;              // of all kinds, as a core takes them up; absent where nobody counted them
  double core_cycles = absent;               // that the home's cores need for them with all data in L1, summed over the team; likewise
  std::map<std::string, double> bytes = {};  // by level: across its boundary towards the core
  double working_set_bytes = absent;         // distinct bytes touched
  std::optional<PartReuse> reuse = {};       // places it on any caches
  double launches = 0;                       // on a GPU
  double messages = 0, message_bytes = 0;    // between ranks
};

/// The amounts of `factor` times the work: more ranks that sweep a copy each.
WorkPart times(WorkPart part, double factor);

}  // namespace plumbline
