#include "model/projecting/measured_sides.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "core/flavor.hpp"
#include "model/ceilings/core_limits.hpp"

namespace plumbline {
namespace {

constexpr std::array levels{"L1", "L2", "L3", "mem"};

std::string team_of(const CaseRow& row) { return "r" + std::to_string(row.ranks) + "t" + std::to_string(row.threads); }

/// The instruction set of a flavor; a library's code chooses its own.
std::string isa_of(const CaseRow& row) {
  const std::string isa = split_flavor(row.flavor).isa;
  return isa.empty() ? "own" : isa;
}

// ---------------------------------------------------------------------------------------------------------------- ceilings

bool is_of_team(const Ceiling& ceiling, const CaseRow& row, const std::string& node) {
  return ceiling.node == node && ceiling.status == Status::ok && ceiling.device == 0 && ceiling.scope != "gpu" &&
         ceiling.ranks * ceiling.threads == row.ranks * row.threads;
}

/// The best of a ceiling and its runners-up whose form is of this instruction set: "bumped v3".
double rate_in_isa(const Ceiling& ceiling, const std::string& isa) {
  double best = ceiling.form.ends_with(isa) ? ceiling.value : absent;
  for (const auto& other : ceiling.runners_up)
    if (other.form.ends_with(isa)) best = std::isfinite(best) ? std::max(best, other.rate) : other.rate;
  return best;
}

/// The level as accesses of vectors of that many bytes see it: of L1 a core starts so many a clock, whatever their width.
SideLevel side_level(const std::string& name, const std::vector<const Ceiling*>& ceilings, const std::string& isa, double vector_bytes) {
  SideLevel level{.name = name};
  double v3 = absent;
  for (const auto* one : ceilings) {
    if (one->level != name || !std::isfinite(one->traffic_gbs)) continue;
    if (name != "mem" && std::isfinite(one->size_bytes)) level.size_bytes = one->size_bytes;
    if (!one->edge.empty()) level.edge = one->edge;
    const double in_v3 = rate_in_isa(*one, "v3") * one->traffic_gbs / one->value;
    if (std::isfinite(in_v3)) v3 = std::isfinite(v3) ? std::max(v3, in_v3) : in_v3;
    if (level.gbs >= one->traffic_gbs) continue;
    level.gbs = level.any_isa_gbs = one->traffic_gbs;
    level.spread = one->cv;
  }
  if (name != "L1" || !std::isfinite(level.gbs)) return level;
  constexpr double of_v3 = 32, of_one = 8;
  if (!std::isfinite(v3)) v3 = level.gbs;
  if (isa == "v3") level.gbs = v3;
  if (vector_bytes < of_v3) level.gbs = v3 * vector_bytes / of_v3;
  level.narrow_gbs = v3 * of_one / of_v3;
  return level;
}

/// The rates of arithmetic for code of an instruction set: those that were measured with it; of v2, which has no FMAs, those of one number
/// at a time as often as its registers hold one.
void add_rates(NodeSide& side, const std::vector<const Ceiling*>& ceilings) {
  constexpr std::string_view scalar = "scalar ";
  const bool has_own =
      std::ranges::any_of(ceilings, [&](const auto* one) { return one->is_compute() && one->name.ends_with("(" + side.isa + ")"); });
  for (const auto* one : ceilings) {
    if (!one->is_compute()) continue;
    const bool of_isa = one->name.ends_with("(" + side.isa + ")"), of_any = !one->name.ends_with(")");
    ArithmeticCeiling rate{one->name, one->precision, one->pattern, one->value};
    if (one->pattern.starts_with(scalar)) {
      rate.pattern.erase(0, scalar.size());
      side.scalar_rates.push_back(rate);
      if (side.fuses || rate.pattern != "add") continue;
      const double wide = lanes(side, one->precision) * one->value;
      for (const char* pattern : {"add", "mul"}) side.vector_rates.push_back({one->name, one->precision, pattern, wide});
      side.vector_rates.push_back({one->name, one->precision, "mul+add", 2 * wide});
      continue;
    }
    if (of_any) side.any_isa_rates.push_back(rate);
    if (of_any && one->precision == "fp64" && one->pattern == "fma") side.compute_spread = one->cv;
    if (!side.fuses) continue;
    if (const double in_isa = rate_in_isa(*one, side.isa); of_any && side.isa == "v3" && std::isfinite(in_isa)) rate.gflops = in_isa;
    if (of_isa || (of_any && !(has_own && side.isa != "v4" && rate.pattern == "fma"))) side.vector_rates.push_back(rate);
  }
}

/// The counted code of the same source on the side's team whose vectors are nearest to the side's own; nullptr where there is none.
const MeasuredSide* nearest_counted(std::span<const MeasuredSide> sides, const MeasuredSide& to, const std::string& work) {
  const MeasuredSide* nearest = nullptr;
  const auto apart = [&](const MeasuredSide& from) { return std::abs(std::log(from.side.vector_bytes / to.side.vector_bytes)); };
  for (const auto& from : sides) {
    if (from.side.team != to.side.team || from.side.conditions != to.side.conditions || from.side.isa == to.side.isa) continue;
    if (std::ranges::none_of(from.parts,
                             [&](const TimedPart& other) { return other.work == work && std::isfinite(other.part.scalar_part); }))
      continue;
    if (nearest == nullptr || apart(from) < apart(*nearest)) nearest = &from;
  }
  return nearest;
}

/// Code that cannot be emulated has as many instructions as that of the same source in another instruction set, by the width of vectors.
void take_counts_of_siblings(std::vector<MeasuredSide>& sides) {
  for (auto& to : sides)
    for (auto& part : to.parts) {
      if (std::isfinite(part.part.scalar_part) || part.part.mix.empty()) continue;
      const MeasuredSide* const from = nearest_counted(sides, to, part.work);
      if (from == nullptr) continue;
      const WorkPart& counted = std::ranges::find(from->parts, part.work, &TimedPart::work)->part;
      const std::string& precision = part.part.mix.begin()->first;
      const double scalar = counted.scalar_part;
      const double left = scalar + (1 - scalar) * lanes(from->side, precision) / lanes(to.side, precision);
      part.part.scalar_part = scalar / left;
      part.part.instructions = counted.instructions * left;
      part.part.core_cycles = counted.core_cycles * left;
    }
}

}  // namespace

NodeSide measured_side(const Measured& measured, std::span<const Ceiling> all, const NodeFacts& facts, const std::string& label) {
  const CaseRow& row = *measured.of;
  NodeSide side{.machine = machine_word(facts.core),
                .conditions = label,
                .team = team_of(row),
                .isa = isa_of(row),
                .workers = static_cast<double>(row.ranks * row.threads)};
  side.name = (label.empty() ? "" : label + " ") + (label.empty() ? facts.node + " " : "") + side.team + " " + side.isa;
  side.fuses = side.isa != "v2";
  side.vector_bytes = side.isa == "own" ? 64 : static_cast<double>(vector_registers(side.isa).bytes);
  std::vector<const Ceiling*> ceilings;
  for (const auto& one : all)
    if (is_of_team(one, row, measured.node)) ceilings.push_back(&one);
  for (const char* name : levels)
    if (const SideLevel level = side_level(name, ceilings, side.isa, side.vector_bytes); std::isfinite(level.gbs))
      side.levels.push_back(level);
  add_rates(side, ceilings);
  for (const auto* one : ceilings)
    if (one->is_compute() && one->clock_hz > 0 && !(side.clock_hz > 0)) side.clock_hz = one->clock_hz;
  side.core_cycles_per_second = side.clock_hz * side.workers;
  if (const auto width = issue_limit(facts.core)) side.instructions_per_second = width->per_clock * side.clock_hz * side.workers;
  return side;
}

TimedPart timed_part(const Measured& measured, const RooflinePlacement& placement) {
  const CaseRow& row = *measured.of;
  const FlavorName flavor = split_flavor(row.flavor);
  TimedPart timed{.part = {.name = row.id, .mix = placement.mix},
                  .kernel = row.kernel,
                  .work = row.work + " " + (flavor.isa.empty() ? row.flavor : flavor.compiler + "-" + flavor.level),
                  .amount = placement.flops > 0 ? placement.flops : static_cast<double>(row.ranks),
                  .seconds = placement.seconds,
                  .bound = placement.bound};
  constexpr double most_of_counts = 0.25;  // where the model leaves more open, it says nothing of how much
  constexpr double of_range = 3;           // the range of a few samples is some three of their deviations
  timed.spread = (measured.timed.hi / measured.timed.lo - 1) / of_range;
  timed.part.scalar_part = placement.instructions.scalar_part;
  timed.part.instructions = placement.instructions.taken_up;
  timed.part.core_cycles = placement.instructions.core_cycles;
  timed.part.working_set_bytes = placement.working_set_bytes;
  for (const auto& level : placement.levels) {
    const double bytes = std::isfinite(level.bytes) ? level.bytes : level.bytes_lo;
    if (!std::isfinite(bytes)) continue;
    timed.part.bytes[level.level] = bytes;
    if (level.level == placement.bound && bytes > 0)
      timed.counted_spread = std::min((level.bytes_hi - level.bytes_lo) / (4 * bytes), most_of_counts);
  }
  return timed;
}

std::vector<MeasuredSide> measured_sides(const Measurements& measurements, std::span<const Ceiling> ceilings,
                                         std::span<const NodeFacts> nodes, std::span<const RooflinePlacement> placements,
                                         const std::string& label) {
  std::map<std::string, std::size_t> known;
  std::vector<MeasuredSide> sides;
  for (const auto& measured : measurements.cases) {
    const auto placement =
        std::ranges::find_if(placements, [&](const auto& one) { return one.of == measured.of && one.node == measured.node; });
    if (measured.of->gpus > 0 || placement == placements.end() || placement->bound.empty() ||
        measured.of->id.find('#') != std::string::npos || (measured.repetitions > 0 && measured.disturbed == measured.repetitions))
      continue;
    const auto facts = std::ranges::find(nodes, measured.node, &NodeFacts::node);
    if (facts == nodes.end()) continue;
    const auto [at, is_new] = known.try_emplace(measured.node + " " + team_of(*measured.of) + " " + isa_of(*measured.of), sides.size());
    if (is_new) sides.push_back({.side = measured_side(measured, ceilings, *facts, label)});
    MeasuredSide& one = sides[at->second];
    one.parts.push_back(timed_part(measured, *placement));
  }
  take_counts_of_siblings(sides);
  std::erase_if(sides, [](const MeasuredSide& one) { return one.side.levels.empty(); });
  return sides;
}

std::vector<ProjectedPair> pairs_of(std::span<const MeasuredSide> sides, std::vector<std::string>& left_out) {
  std::vector<ProjectedPair> pairs;
  for (const auto& from : sides)
    for (const auto& to : sides) {
      if (&from == &to) continue;
      for (const auto& timed : from.parts) {
        const auto there = std::ranges::find(to.parts, timed.work, &TimedPart::work);
        if (there == to.parts.end()) continue;
        try {
          const WorkPart* const code_there = from.side.isa == to.side.isa ? nullptr : &there->part;
          pairs.push_back(pair_of(timed, from.side, to.side, there->amount / timed.amount, code_there));
          pairs.back().true_seconds = there->seconds;
        } catch (const Error& error) {
          if (std::ranges::find(left_out, error.what()) == left_out.end()) left_out.emplace_back(error.what());
        }
      }
    }
  return pairs;
}

}  // namespace plumbline
