#include "model/placement/shortfall.hpp"

#include <cmath>

#include "core/enumerators.hpp"
#include "core/flavor.hpp"
#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

/// This part of the floating-point instructions is nearly all of them.
constexpr double nearly_all = 0.9;
/// A core that does more instructions a cycle than `busy` has little room left; one that does fewer than `waits` is idle most of the time.
constexpr double busy = 3, waits = 1.5;
/// A core that is occupied for this part of the time limits a case.
constexpr double most_of_the_time = 0.7;
/// A launch that takes this part of the time is told.
constexpr double a_good_part = 0.2;

/// The emulator's count of an event in the case; absent where it did not count it.
double counted(const Measured& measured, const std::string& event) {
  const auto backend = measured.counts.find("emulated");
  if (backend == measured.counts.end()) return absent;
  const auto found = backend->second.find(event);
  return found == backend->second.end() || !found->second.ok() ? absent : found->second.value;
}

/// The ceilings of arithmetic on one number at a time, under the names that those of vectors have.
std::vector<ArithmeticCeiling> scalar_ones(std::span<const ArithmeticCeiling> ceilings) {
  constexpr std::string_view scalar = "scalar ";
  std::vector<ArithmeticCeiling> found;
  for (ArithmeticCeiling one : ceilings) {
    if (!one.pattern.starts_with(scalar)) continue;
    one.pattern.erase(0, scalar.size());
    found.push_back(std::move(one));
  }
  return found;
}

/// The cycles that the case's cores have in its time, by the clock beside it.
double cycles_of_team(const Measured& measured) {
  return measured.seconds.value * measured.clock_hz * static_cast<double>(measured.of->ranks * measured.of->threads);
}

std::string why_unknown(const Measured& measured, const Shortfall& told) {
  if (measured.of->gpus > 0) return "nothing in the file tells of a case on a GPU";
  if (std::isfinite(told.core_part)) return "neither scalar arithmetic nor what a core has to do explains it";
  if (std::isfinite(told.instructions_per_cycle)) return "neither scalar arithmetic nor the number of instructions a cycle explains it";
  return std::isfinite(measured.clock_hz) ? "the instructions of this flavor were not counted" : "the clock beside its times is not known";
}

}  // namespace

std::string_view to_string(Limit limit) { return enumerator_name(limit); }

double launches_on_each(const Measured& measured) {
  if (measured.of->gpus == 0) return absent;
  const double modelled = measured.expected("launches").lo / static_cast<double>(measured.of->ranks);
  return std::isfinite(modelled) ? modelled : 1;  // older files lack them
}

InstructionsSeen instructions_seen(const Measured& measured) {
  const double all = counted(measured, "instructions"), floating_point = counted(measured, "fp_instructions");
  const double branches = counted(measured, "branches.conditional");
  return {.all = all,
          .floating_point = floating_point,
          .per_cycle = all / cycles_of_team(measured),
          .taken_up = all - (std::isfinite(branches) ? branches : 0),
          .scalar_part = counted(measured, "fp_scalar") / floating_point,
          .core_cycles = counted(measured, "core_cycles")};
}

Shortfall shortfall_of(const Measured& measured, const ArithmeticMix& mix, std::span<const ArithmeticCeiling> ceilings,
                       double launch_seconds) {
  const CaseRow& row = *measured.of;
  Shortfall told{.launch_seconds = launch_seconds, .launches = launches_on_each(measured)};
  const InstructionsSeen seen = instructions_seen(measured);
  told.scalar_part = seen.scalar_part;
  told.instructions_per_cycle = seen.per_cycle;
  told.core_part = seen.core_cycles / cycles_of_team(measured);
  if (split_flavor(row.flavor).level == "O0") told.limits.push_back(Limit::unoptimized);
  if (told.scalar_part >= nearly_all) {
    told.limits.push_back(Limit::scalar);
    told.scalar_gflops = compute_roof(mix, scalar_ones(ceilings)).gflops;
  }
  const bool is_disturbed = measured.oversubscribed || (measured.disturbed > 0 && measured.disturbed == measured.repetitions);
  if (is_disturbed)
    told.limits.push_back(Limit::disturbed);
  else if (told.core_part >= most_of_the_time)
    told.limits.push_back(Limit::core);
  else if (told.instructions_per_cycle >= busy)
    told.limits.push_back(Limit::instructions);
  else if (told.instructions_per_cycle < waits)
    told.limits.push_back(Limit::waiting);
  if (told.launches * launch_seconds >= a_good_part * measured.seconds.value) told.limits.push_back(Limit::launch);
  if (!told.limits.empty()) return told;
  told.reason = why_unknown(measured, told);
  return told;
}

std::string why_above(const Ceiling& roof, double percent_of_roof, bool stands_in) {
  constexpr double deviations = 3;
  const std::string of = roof.name + " (" + roof.method.substr(0, roof.method.find(',')) + ")";
  if (stands_in) return "the ceiling " + of + " is that of another team, GPU or node";
  if (percent_of_roof - 100 <= deviations * 100 * roof.cv)
    return "the samples of the ceiling " + of + " spread as far (CV " + percent_of(roof.cv) + ")";
  return "the ceiling " + of + " is the best of the loops that were measured, and this case's loop is faster";
}

}  // namespace plumbline
