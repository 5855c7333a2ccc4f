// The forms and shapes of register-only arithmetic, and what its loops are given (ert/peak.hpp).
#pragma once
#include <cstddef>

enum class PeakForm { fma, add, mul, muladd, fmaadd, scalar_fma, scalar_add };

/// The arithmetic that a round of the loop holds, and in how many chains. What decides a rate in registers is latency times pipes (8 chains
/// for two pipes of 4 cycles, 18 for A64FX's two of 9), what the loop itself costs, and to which pipes a core hands what; so there are
/// plain   two steps of each chain (muladd: four, fmaadd: seven), in as many chains as 16 or 32 registers hold; scalars: 12;
/// deep    three times as many steps: where count and jump of the loop take the place of arithmetic. (Of an even number of reflections
///         fp16 could not tell whether they were made.)
/// brief   half as many, of muladd: cores that choose a pipe when an instruction comes in may settle into a better order with them
///         (Zen 4 with 12 chains: 4.0 instructions a cycle, 3.65 to 4.0 with the plain ones);
/// wide    24 chains of scalars, where there are 32 registers.
/// Whether an operand is overwritten (FMA 132, 213, 231) makes no difference in registers; operands in memory would be another ceiling.
enum class PeakShape { plain, deep, brief, wide };
constexpr int deep_times = 3;

/// A block is so many elements, whatever the vector's width: all ISAs do the same arithmetic.
constexpr std::size_t peak_elements = 384;           // of every form but fmaadd: a multiple of chains x lanes everywhere
constexpr std::size_t peak_fmaadd_multiplied = 512;  // fmaadd: elements in FMA chains, 3 steps an iteration,
constexpr std::size_t peak_fmaadd_added = 384;       // and in ADD chains, 4 steps an iteration: as many FMAs as ADDs

template <class Real>
struct Peak {
  PeakForm form;
  PeakShape shape;
  std::size_t iterations;  // rounds of the loop
  const Real* start;
  Real* result;
  Real p, q, r;  // constants of the map
};
