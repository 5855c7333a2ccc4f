#include "model/projecting/roof_terms.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace plumbline {
namespace {

/// Least FLOPs over a sweep that count as arithmetic.
constexpr double none = 0;

double all_flops(const WorkPart& part) {
  double flops = 0;
  for (const auto& [precision, share] : part.mix) flops += share.flops;
  return flops;
}

/// FMAs as a product and a sum each, for a side that has none.
ArithmeticMix unfused(ArithmeticMix mix) {
  for (auto& [precision, share] : mix) {
    if (!share.tells_kinds()) continue;
    const double all = 1 + share.fma;
    share = {share.flops, 0, (share.add + share.fma) / all, (share.mul + share.fma) / all};
  }
  return mix;
}

std::string precisions_of(const NodeSide& side) {
  std::string names;
  for (const auto& rate : side.vector_rates)
    if (names.find(rate.precision) == names.npos) names += (names.empty() ? "" : ", ") + rate.precision;
  return names.empty() ? "none" : names;
}

double gflops_of(const WorkPart& part, const NodeSide& side, const std::vector<ArithmeticCeiling>& rates) {
  const ComputeRoof roof = compute_roof(side.fuses ? part.mix : unfused(part.mix), rates);
  return roof.gflops;
}

double compute_seconds(const WorkPart& part, const NodeSide& side) {
  const double flops = all_flops(part), scalar = scalar_flops_part(part, side);
  const double wide = gflops_of(part, side, side.vector_rates);
  if (!(wide > 0)) {
    const std::string wanted = part.mix.empty() ? "" : part.mix.begin()->first;
    throw user_error("'" + part.name + "' computes in " + wanted + ", for which '" + side.name +
                     "' has no ceiling; it has: " + precisions_of(side));
  }
  const double narrow = scalar > 0 && !side.scalar_rates.empty() ? gflops_of(part, side, side.scalar_rates) : wide;
  return 1e-9 * flops * ((1 - scalar) / wide + scalar / (narrow > 0 ? narrow : wide));
}

double level_seconds(const WorkPart& part, const NodeSide& side, const SideLevel& level, double bytes) {
  const double scalar = scalar_flops_part(part, side);
  const double narrow = std::isfinite(level.narrow_gbs) ? level.narrow_gbs : level.gbs;
  return 1e-9 * bytes * ((1 - scalar) / level.gbs + scalar / narrow);
}

}  // namespace

double scalar_flops_part(const WorkPart& part, const NodeSide& home) {
  if (!(part.scalar_part > 0) || part.mix.empty()) return 0;
  const double wide = lanes(home, part.mix.begin()->first);
  return part.scalar_part / (part.scalar_part + (1 - part.scalar_part) * wide);
}

std::vector<RoofTerm> roof_terms(const WorkPart& part, const NodeSide& side) {
  std::vector<RoofTerm> terms;
  for (const auto& level : side.levels) {
    const auto bytes = part.bytes.find(level.name);
    if (bytes == part.bytes.end() || !(bytes->second > 0) || !(level.gbs > 0)) continue;
    terms.push_back({level.name, level_seconds(part, side, level, bytes->second), level.spread});
  }
  if (all_flops(part) > none) terms.push_back({"compute", compute_seconds(part, side), side.compute_spread});
  if (part.core_cycles > 0 && side.core_cycles_per_second > 0)
    terms.push_back({std::string(core_term), part.core_cycles / side.core_cycles_per_second, 0});
  else if (part.instructions > 0 && side.instructions_per_second > 0)
    terms.push_back({std::string(issue_term), part.instructions / side.instructions_per_second, 0});
  if (part.launches > 0 && side.launch_seconds > 0) terms.push_back({"launch", part.launches * side.launch_seconds, 0});
  if (part.messages > 0 && side.message_seconds > 0)
    terms.push_back({"MPI", part.messages * side.message_seconds + 1e-9 * part.message_bytes / side.message_gbs, 0});
  return terms;
}

const RoofTerm& binding(const std::vector<RoofTerm>& terms, const WorkPart& part, const NodeSide& side) {
  const auto longest = std::ranges::max_element(terms, {}, &RoofTerm::seconds);
  if (longest == terms.end() || !(longest->seconds > 0))
    throw user_error("nothing that '" + side.name + "' has a ceiling for bounds '" + part.name + "': it needs FLOPs or bytes");
  return *longest;
}

}  // namespace plumbline
