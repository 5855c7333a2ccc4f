// The causes of a case's distance from its roof, as far as the file has evidence of them: what else limits a case far below it, and
// why a case is above it.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/cases/measured.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/placement/compute_roof.hpp"

namespace plumbline {

enum class Limit {
  unoptimized,   // compiled with O0: each operand is stored and loaded again
  scalar,        // nearly all floating-point instructions work on one number
  core,          // its instructions alone, their data in L1, take a core most of the time: they wait for each other, for pipes or for code
  instructions,  // as many instructions a cycle as cores seldom exceed
  waiting,       // few instructions a cycle: they wait for earlier results or for data
  disturbed,     // others disturbed every repetition: the time is too long, and so tells of no limit of the case
  launch         // a GPU's launch takes a good part of the time
};
/// The word under which a program finds it in JSON: the enumerator's own.
std::string_view to_string(Limit limit);

/// A case below this percentage of its roof is far below it.
inline constexpr double far_below_roof = 50;
/// Below this percentage no measured ceiling explains a case's time.
inline constexpr double explained_from = 1;

struct Shortfall {
  std::vector<Limit> limits = {};          // in the order of the enumeration; empty where nothing in the file tells of one
  double scalar_part = absent;             // of the floating-point instructions
  double scalar_gflops = absent;           // the roof of the case's arithmetic on one number at a time; absent where that has no ceiling
  double instructions_per_cycle = absent;  // of each core
  double core_part = absent;               // of the time, that the cores need for its instructions alone, their data in L1
  double launch_seconds = absent;          // what a launch takes at least on the GPU of the case
  double launches = absent;                // in a sweep, on one GPU: an application's by its model, else one
  std::string reason = {};                 // why `limits` is empty
};

/// Judges a case by its own emulated counts, by the clock beside its times, and by the ceilings of its team: those of arithmetic, and
/// `launch_seconds` of its GPU (absent on a CPU), each.
Shortfall shortfall_of(const Measured& measured, const ArithmeticMix& mix, std::span<const ArithmeticCeiling> ceilings,
                       double launch_seconds);

/// The instructions of a case in a sweep, as the emulator counted them, of the whole team.
struct InstructionsSeen {
  double all = absent, floating_point = absent, per_cycle = absent;  // the last of each core, by the clock beside the times
  double taken_up = absent;     // as a core takes them up: a comparison and the branch that goes by it as one
  double scalar_part = absent;  // of the floating-point ones, on one number each
  double core_cycles = absent;  // that the simulated core needs for them with all data in L1
};

InstructionsSeen instructions_seen(const Measured& measured);

/// The launches of a sweep on each GPU: by the model of an application, of which every rank has the same, else one; absent on CPUs.
double launches_on_each(const Measured& measured);

/// Percentages are shown without decimals: from here on it is more than 100.
inline constexpr double above_roof_from = 100.5;

/// The reason why a case may be above the ceiling that binds it. `stands_in`: the ceiling is another team's, GPU's or node's.
std::string why_above(const Ceiling& roof, double percent_of_roof, bool stands_in);

}  // namespace plumbline
