#include "model/projecting/projected_pair.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "model/projecting/moved_work.hpp"

namespace plumbline {
namespace {

/// The side as it is without regard to instruction sets.
NodeSide of_any_isa(NodeSide side) {
  for (auto& level : side.levels) {
    if (std::isfinite(level.any_isa_gbs)) level.gbs = level.any_isa_gbs;
    level.narrow_gbs = absent;
  }
  if (!side.any_isa_rates.empty()) side.vector_rates = side.any_isa_rates;
  side.scalar_rates.clear();
  side.fuses = true;
  return side;
}

/// The side as terms are told of it. Where it is known on both sides how many instructions the cores take up, narrow vectors and single
/// numbers are slow by how many instructions they need, and rates are those of any instruction set; else rates go by the instruction set.
/// The cycles of a core are those of the CPU model at home.
NodeSide as_told(const NodeSide& side, bool is_issue_known, bool are_cycles_known) {
  NodeSide told = is_issue_known ? of_any_isa(side) : side;
  if (!is_issue_known) told.instructions_per_second = absent;
  if (!is_issue_known || !are_cycles_known) told.core_cycles_per_second = absent;
  return told;
}

double seconds_of(const std::vector<RoofTerm>& terms, const std::string& name) {
  const auto found = std::ranges::find(terms, name, &RoofTerm::name);
  return found == terms.end() ? absent : found->seconds;
}

double spread_of_bound(const std::vector<RoofTerm>& terms, const std::string& name) {
  const auto found = std::ranges::find(terms, name, &RoofTerm::name);
  return found == terms.end() || !std::isfinite(found->spread) ? 0 : found->spread;
}

double finite(double value, double otherwise) { return std::isfinite(value) ? value : otherwise; }

}  // namespace

std::string pair_kind(const NodeSide& from, const NodeSide& to) {
  std::string kind;
  const auto add = [&](bool differs, const char* word) {
    if (differs) kind += (kind.empty() ? "" : "+") + std::string(word);
  };
  add(from.team == "gpu" || to.team == "gpu", "gpu");
  add(from.machine != to.machine, "machine");
  add(from.machine == to.machine && from.conditions != to.conditions, "conditions");
  add(from.workers != to.workers, "cores");
  add(from.workers == to.workers && from.team != to.team, "team");
  add(from.isa != to.isa, "isa");
  return kind.empty() ? "same" : kind;
}

ProjectedPair pair_of(const TimedPart& timed, const NodeSide& home, const NodeSide& target, double factor, const WorkPart* code_there) {
  MovedWork moved = moved_work(times(timed.part, factor), home, target);
  if (code_there != nullptr) take_code(moved, *code_there, factor * timed.part.instructions);
  const bool is_issue_known = timed.part.instructions > 0 && home.instructions_per_second > 0 && target.instructions_per_second > 0;
  const bool are_cycles_known = home.machine == target.machine && timed.part.core_cycles > 0 && moved.part.core_cycles > 0;
  ProjectedPair pair{.part = timed.part.name,
                     .kernel = timed.kernel,
                     .from = home.name,
                     .to = target.name,
                     .from_machine = home.machine,
                     .to_machine = target.machine,
                     .kind = pair_kind(home, target),
                     .home_seconds = timed.seconds,
                     .home = roof_terms(moved_work(timed.part, home, home).part, as_told(home, is_issue_known, are_cycles_known)),
                     .target = roof_terms(moved.part, as_told(target, is_issue_known, are_cycles_known)),
                     .moved = moved.moved};
  pair.home_bound = binding(pair.home, timed.part, home).name;
  const std::string& bound = timed.bound.empty() ? pair.home_bound : timed.bound;
  if (level_named(home, bound) != nullptr && level_named(target, bound) == nullptr && pair.target.empty())
    throw user_error("'" + timed.part.name + "' is bound by " + bound + ", but '" + target.name + "' has no such level");
  pair.target_bound = binding(pair.target, timed.part, target).name;
  // Equations (5) and (6) know nothing of instruction sets.
  const auto plain_home = roof_terms(timed.part, of_any_isa(home)),
             plain_target = roof_terms(times(timed.part, factor), of_any_isa(target));
  pair.plain_ratio = seconds_of(plain_target, bound) / seconds_of(plain_home, bound);
  const double clocks = home.clock_hz > 0 && target.clock_hz > 0 ? home.clock_hz / target.clock_hz : 1;
  pair.private_ratio = factor * home.workers / target.workers * clocks;
  pair.instructions_ratio = moved.instructions_ratio;
  pair.spread =
      std::sqrt(std::pow(finite(timed.spread, 0), 2) + std::pow(finite(timed.counted_spread, 0), 2) +
                std::pow(spread_of_bound(pair.home, pair.home_bound), 2) + std::pow(spread_of_bound(pair.target, pair.target_bound), 2));
  return pair;
}

}  // namespace plumbline
