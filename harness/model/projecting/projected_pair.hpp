// A part of a program whose time is known on one side and asked for on another, with all that the methods need of either.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "model/projecting/roof_terms.hpp"

namespace plumbline {

/// A part with its time on a side.
struct TimedPart {
  WorkPart part = {};
  std::string kernel = {};  // what is left out when it is judged: a kernel, an application
  std::string work = {};    // the same on every side that does the same: parts of one work are pairs
  double amount = absent;   // of work, in any unit: ranks that sweep a copy each do more
  double seconds = absent;
  double spread = 0;          // of its repetitions, relative
  double counted_spread = 0;  // of the counts, relative: the interval of counters' scores, or of the model
  std::string bound = {};     // as the roofline places it at home; empty: by the terms
};

struct ProjectedPair {
  std::string part = {}, kernel = {}, from = {}, to = {};
  std::string from_machine = {}, to_machine = {};
  std::string kind = {};  // how the sides are unlike: "cores", "isa", "conditions", "machine", or several joined by "+"; "gpu" comes first
  double home_seconds = absent, true_seconds = absent;
  std::vector<RoofTerm> home = {}, target = {};
  std::string home_bound = {}, target_bound = {};
  double plain_ratio = absent;    // equations (5) and (6): work over rate there, by work over rate here, of the ceiling that bounds it here
  double private_ratio = 1;       // of time that no ceiling bounds: work by workers and clock
  double instructions_ratio = 1;  // as many times the instructions of here: counted, else by the width of vectors
  double spread = 0;              // relative, of the times here, of both sides' ceilings and of the counts
  std::vector<std::string> moved = {};

  bool flips() const { return home_bound != target_bound; }
  /// Whether what binds here is the core's own, not the memory behind it.
  bool is_of_core() const { return home_bound == "compute" || home_bound == "L1" || is_of_instructions(home_bound); }
  /// Whether it is told by the cycles of a simulated core, in place of a number of instructions.
  bool knows_cycles() const { return std::ranges::find(home, core_term, &RoofTerm::name) != home.end(); }
  /// The class of pairs whose terms overlap alike. Pairs within one CPU model say nothing of others.
  std::string overlap_class() const {
    return std::string(from_machine == to_machine ? "" : "machine, ") + (is_of_core() ? "core" : "memory") +
           (knows_cycles() ? ", cycles" : "");
  }
  /// The class of pairs that err alike.
  std::string bound_class() const { return kind + ", " + home_bound + (flips() ? " to " + target_bound : ""); }
};

/// The ways in which two sides are unlike.
std::string pair_kind(const NodeSide& from, const NodeSide& to);

/// Pairs a timed part with a side that does `factor` times the work. `code_there`: counts of the code that runs there, where it is another
/// one and was counted; else the code here tells how many instructions it would have. Throws Error (user) where the target lacks what
/// binds.
ProjectedPair pair_of(const TimedPart& timed, const NodeSide& home, const NodeSide& target, double factor,
                      const WorkPart* code_there = nullptr);

}  // namespace plumbline
