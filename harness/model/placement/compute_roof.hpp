// The roof of arithmetic over a case says how fast its own FMAs, sums and products can be at the measured ceilings of each and of their
// mixes. FMA+add measured above FMA alone means separate pipes, mul+add at the rate of either means one for both: the data decide, no table
// does.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/records.hpp"

namespace plumbline {

/// A measured rate of arithmetic of one team, or of one GPU. Patterns "add", "mul", "mul+add" and "fma+add" (one of each in turn), in small
/// letters or capitals, are those kinds; "no fma" (stated ceilings) is mul+add; every other one, but scalar ones, counts as FMAs or what
/// does as much: a tensor instruction.
struct ArithmeticCeiling {
  std::string name = {}, precision = {}, pattern = {};
  double gflops = absent;  // an FMA is two
};

/// The share of one precision in a mix, or of one type of tensor instructions.
struct ArithmeticShare {
  double flops = 0;                                 // of a sweep, an FMA is two; divisions and roots are in it
  double fma = absent, add = absent, mul = absent;  // parts of the instructions of these three kinds; absent where nobody tells them apart

  bool tells_kinds() const { return fma + add + mul > 0; }
};

/// The mix by precision: "fp64", "tensor.bf16".
using ArithmeticMix = std::map<std::string, ArithmeticShare>;

/// The roof of arithmetic over one case.
struct ComputeRoof {
  double gflops = absent;      // all FLOPs of the mix over the least time that the ceilings allow them
  std::string ceiling = {};    // name of the one that takes the most of that time
  double fma_gflops = absent;  // the FMA peak of the precision with most FLOPs; absent where FMAs have no ceiling
  bool is_of_kinds = false;    // the kinds of all that is under it are known; else it is that of the fastest mix
  std::string left_out = {};   // precisions without a ceiling, less than half of all: their FLOPs cost no time here
  std::string reason = {};     // why there is none
};

/// The time of each precision adds to the others'. Within one, each kind and each pair takes as long as its ceiling says (compute_roof.cpp
/// has the model), which is the least that the ceilings leave open: a kind without one takes as long as the fastest that has one, divisions
/// and roots as the other operations, and pairs that nobody measured overlap up to the highest ceiling. Where kinds are unknown it is the
/// roof of the fastest mix. None where half of the FLOPs have no ceiling.
ComputeRoof compute_roof(const ArithmeticMix& mix, std::span<const ArithmeticCeiling> ceilings);

/// The rate of FMAs alone, GFLOP/s; absent where they have no ceiling.
double fma_peak(const std::string& precision, std::span<const ArithmeticCeiling> ceilings);

}  // namespace plumbline
