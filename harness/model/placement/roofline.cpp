#include "model/placement/roofline.hpp"

#include <algorithm>
#include <cmath>

#include "core/gpu_device.hpp"
#include "core/quantity_parts.hpp"
#include "model/placement/beyond_last_cache.hpp"
#include "model/placement/join.hpp"

namespace plumbline {
namespace {

/// Divisions and roots that are more than this of the FLOPs are spoken of.
constexpr double told_from = 0.01;

double quotient(double a, double b) { return b > 0 ? a / b : absent; }

LevelIntensity intensity(const Estimate& flops, const LevelTraffic& traffic) {
  if (traffic.status != Status::ok) return {.level = traffic.level, .status = traffic.status, .reason = traffic.reason};
  const Estimate& bytes = traffic.bytes;
  LevelIntensity at{.level = traffic.level,
                    .bytes = bytes.value,
                    .bytes_lo = bytes.lo,
                    .bytes_hi = bytes.hi,
                    .ai = quotient(flops.value, bytes.value),
                    .ai_lo = quotient(flops.lo, bytes.hi),
                    .ai_hi = quotient(flops.hi, bytes.lo),
                    .source = traffic.source,
                    .metrics = traffic.metrics};
  if (std::isfinite(at.ai)) return at;
  at.status = Status::unavailable;
  at.reason = "no FLOPs were counted";
  if (!std::isfinite(flops.hi)) return at;
  at.reason = bytes.value == 0 ? "no traffic across this boundary" : "the model leaves open whether anything crosses this boundary";
  return at;
}

// ------------------------------------------------------------------------------------------------------------------ ceilings

/// Whether the ceiling is of another GPU than the case ran on. Stated ceilings are any GPU's.
bool is_of_another_gpu(const Ceiling& ceiling, const RooflinePlacement& placement) {
  return ceiling.scope == gpu_scope && ceiling.pattern != "stated" &&
         std::ranges::find(placement.gpus, ceiling.device) == placement.gpus.end();
}

/// The distance of a ceiling's team, GPU and node from a case's: 0 for the same. A team of other shape but equal size is nearer than any
/// other.
double distance(const Ceiling& ceiling, const RooflinePlacement& placement) {
  const auto workers = [](std::int64_t ranks, std::int64_t threads) { return static_cast<double>(ranks * threads); };
  const CaseRow& row = *placement.of;
  const std::int64_t threads = working_threads(row);
  double far = 100 * std::abs(std::log2(workers(ceiling.ranks, ceiling.threads) / workers(row.ranks, threads)));
  if (ceiling.ranks != row.ranks || ceiling.threads != threads) far += 1;
  if (is_of_another_gpu(ceiling, placement)) far += 5000;
  if (ceiling.node != placement.node) far += 10000;
  return far;
}

std::string team_name(std::int64_t ranks, std::int64_t threads) { return "r" + std::to_string(ranks) + "t" + std::to_string(threads); }

/// The rate that a ceiling allows in the units of a placement: GFLOP/s, or bytes across the level's boundary.
double rate_of(const Ceiling& ceiling) { return ceiling.is_compute() ? ceiling.value : ceiling.traffic_gbs; }

/// The ceilings of several GPUs at once: sums of each one's, where every GPU of the case has it; of one that the user stated, as often.
/// Those of overheads are each GPU's own, and stay those of the first.
std::vector<Ceiling> together(std::span<const Ceiling> ceilings, const RooflinePlacement& placement) {
  const auto on_gpu = [&](const Ceiling& first, int device) -> const Ceiling* {
    if (first.pattern == "stated") return &first;
    const std::string name = name_on_gpu(first.name, device);
    const auto found = std::ranges::find_if(ceilings, [&](const Ceiling& one) {
      return one.name == name && one.node == first.node && one.status == Status::ok && one.precision == first.precision;
    });
    return found == ceilings.end() ? nullptr : &*found;
  };
  std::vector<Ceiling> all;
  for (const Ceiling& first : ceilings) {
    if (first.scope != gpu_scope || (first.pattern != "stated" && first.device != placement.gpus.front())) continue;
    Ceiling sum = first;
    sum.ranks = static_cast<std::int64_t>(placement.gpus.size());
    bool on_each = true;
    if (first.level != CeilingKind::overhead)
      for (auto device = placement.gpus.begin() + 1; device != placement.gpus.end(); ++device) {
        const Ceiling* const other = on_gpu(first, *device);
        on_each = on_each && other != nullptr;
        if (other == nullptr) break;
        sum.value += other->value;
        sum.traffic_gbs += other->traffic_gbs;
      }
    if (on_each) all.push_back(std::move(sum));
  }
  return all;
}

/// The precision of a case's roof: "tensor.bf16" where most of the model's FLOPs are those of tensor cores; else the case's own precision,
/// as an imported case has it.
std::string roof_precision(const Measured& measured) {
  std::string most = measured.of->precision;
  if (measured.model == nullptr) return most;
  double flops = 0;
  for (const auto& [quantity, bounds] : *measured.model) {
    if (!is_flops_total(quantity) || !(bounds.lo > flops)) continue;
    flops = bounds.lo;
    most = quantity.starts_with("flops.tensor.") ? quantity.substr(std::string("flops.").size()) : measured.of->precision;
  }
  return most;
}

/// A GPU's for a case on one, a CPU's for all others.
bool is_usable(const Ceiling& ceiling, const RooflinePlacement& placement) {
  return ceiling.status == Status::ok && std::isfinite(rate_of(ceiling)) && (ceiling.scope == gpu_scope) == (placement.of->gpus > 0);
}

/// The ceilings of a level of memory that are nearest to the case's team, and of those the highest: what the level can do at all, whatever
/// the mix of loads and stores.
const Ceiling* roof_at(const std::string& level, const RooflinePlacement& placement, std::span<const Ceiling> ceilings) {
  const Ceiling* best = nullptr;
  for (const auto& ceiling : ceilings) {
    if (ceiling.level != level || !is_usable(ceiling, placement)) continue;
    const double far = distance(ceiling, placement), nearest = best == nullptr ? HUGE_VAL : distance(*best, placement);
    if (far < nearest || (far == nearest && rate_of(ceiling) > rate_of(*best))) best = &ceiling;
  }
  return best;
}

/// The ceilings of arithmetic over a case, of each precision the nearest to its team alone: rates of two teams make no mix.
std::vector<const Ceiling*> arithmetic_over(const RooflinePlacement& placement, std::span<const Ceiling> ceilings) {
  std::map<std::string, std::vector<const Ceiling*>> nearest;
  for (const auto& ceiling : ceilings) {
    if (!ceiling.is_compute() || !is_usable(ceiling, placement)) continue;
    auto& known = nearest[ceiling.precision];
    const double far = distance(ceiling, placement), before = known.empty() ? HUGE_VAL : distance(*known.front(), placement);
    if (far < before) known.clear();
    if (far <= before) known.push_back(&ceiling);
  }
  std::vector<const Ceiling*> all;
  for (const auto& [precision, some] : nearest) all.insert(all.end(), some.begin(), some.end());
  return all;
}

const Ceiling* named(const std::string& name, std::span<const Ceiling* const> ceilings) {
  for (const auto* one : ceilings)
    if (one->name == name) return one;
  return nullptr;
}

/// The pattern of a ceiling: "no FMA" of one that the user stated as "FP64 no FMA".
std::string pattern_of(const Ceiling& ceiling) {
  if (ceiling.pattern != "stated") return ceiling.pattern;
  return ceiling.name.substr(std::min(ceiling.name.size(), ceiling.precision.size() + 1));
}

std::vector<ArithmeticCeiling> rates_of(std::span<const Ceiling* const> ceilings) {
  std::vector<ArithmeticCeiling> rates;
  for (const auto* one : ceilings) rates.push_back({one->name, one->precision, pattern_of(*one), one->value});
  return rates;
}

void note_stand_in(const Ceiling& ceiling, RooflinePlacement& placement) {
  const CaseRow& row = *placement.of;
  std::string note;
  if (ceiling.node != placement.node)
    note = "those of node " + ceiling.node;
  else if (is_of_another_gpu(ceiling, placement))
    note = "those of " + gpu_word(ceiling.device) + " for " + gpu_words(placement.gpus);
  if (ceiling.ranks * ceiling.threads != row.ranks * working_threads(row))
    note += std::string(note.empty() ? "" : ", ") + "those of team " + team_name(ceiling.ranks, ceiling.threads) + " for " +
            team_name(row.ranks, working_threads(row));
  if (note.empty()) return;
  note = "ceilings stand in for missing ones: " + note;
  if (std::find(placement.notes.begin(), placement.notes.end(), note) == placement.notes.end()) placement.notes.push_back(note);
}

std::string why_unbound(const RooflinePlacement& placement, std::span<const Ceiling> ceilings) {
  const CaseRow& row = *placement.of;
  if (placement.gpus.size() > 1 && ceilings.empty()) return "no ceiling of each of " + gpu_words(placement.gpus) + " in this file";
  if (ceilings.empty()) return "no ceilings in this file; run a campaign with [ceilings]";
  const auto of_gpu = [](const Ceiling& ceiling) { return ceiling.scope == gpu_scope; };
  if (row.gpus > 0 && std::none_of(ceilings.begin(), ceilings.end(), of_gpu)) return "no ceiling of a GPU in this file";
  if (row.gpus == 0 && std::all_of(ceilings.begin(), ceilings.end(), of_gpu)) return "no ceiling of CPUs in this file";
  return "no ceiling of this file fits the levels and the precision of this case";
}

/// Finds the roof, which is what takes longest at the ceilings' rates: bytes over bandwidth at each level, FLOPs over the peak. (The same
/// as the least of AI x bandwidth and peak, and it holds for kernels without FLOPs too.) Of an interval only the least is sure: a level
/// that may see no traffic binds nothing.
/// Returns the ceiling that binds, nullptr where none does.
const Ceiling* find_bound(RooflinePlacement& placement, const Estimate& flops, std::span<const Ceiling> ceilings) {
  double longest = 0, longest_possible = 0;
  const Ceiling* binding = nullptr;
  const auto consider = [&](const std::string& bound, const Ceiling* ceiling, double giga_a_second, double least, double most) {
    if (!std::isfinite(least)) return;
    const double rate = giga_a_second * 1e9;
    longest_possible = std::max(longest_possible, most / rate);
    if (least / rate <= longest) return;
    longest = least / rate;
    placement.bound = bound;
    binding = ceiling;
  };
  for (auto& level : placement.levels) {
    const bool only_slack = placement.join == Join::model && level.bytes == 0;
    const Ceiling* roof = roof_at(level.level, placement, ceilings);
    if (roof != nullptr) level.bandwidth_gbs = rate_of(*roof);
    if (level.level == placement.exceeded) continue;
    if (roof == nullptr || !std::isfinite(level.bytes_lo)) continue;
    note_stand_in(*roof, placement);
    consider(level.level, roof, rate_of(*roof), level.bytes_lo, only_slack ? 0 : level.bytes_hi);
  }
  if (placement.compute.gflops > 0)
    consider("compute", named(placement.compute.ceiling, arithmetic_over(placement, ceilings)), placement.compute.gflops, flops.lo,
             flops.hi);
  if (placement.bound.empty()) {
    placement.bound_reason = why_unbound(placement, ceilings);
    return nullptr;
  }
  placement.bound_ceiling = binding != nullptr ? binding->name : placement.compute.ceiling;
  placement.bound_status = Status::ok;
  placement.bound_is_certain = longest_possible <= longest;
  placement.roof_gflops = quotient(placement.flops, longest) * 1e-9;
  placement.percent_of_roof = 100 * quotient(longest, placement.seconds);
  return binding;
}

/// The least time that a launch takes on the case's GPU, into a stream or, where the case says so, in a graph; absent where that was not
/// measured.
double launch_seconds(const RooflinePlacement& placement, std::span<const Ceiling> ceilings) {
  const char* const way = placement.of->work.find("/variant=graph") != std::string::npos ? "graph" : "stream";
  double least = absent;
  for (const auto& ceiling : ceilings)
    if (placement.of->gpus > 0 && ceiling.level == CeilingKind::overhead && ceiling.pattern == way && ceiling.status == Status::ok &&
        ceiling.node == placement.node && !is_of_another_gpu(ceiling, placement))
      least = ceiling.value;
  return least;
}

/// Explains what a bound alone does not say: what else limits a case far below its roof, and why one is above it.
void explain_distance(const Measured& measured, const Ceiling& roof, std::span<const Ceiling> ceilings, RooflinePlacement& placement) {
  if (placement.percent_of_roof < far_below_roof) {
    placement.shortfall =
        shortfall_of(measured, placement.mix, rates_of(arithmetic_over(placement, ceilings)), launch_seconds(placement, ceilings));
    // A ceiling that the case itself is above was measured while others disturbed it, and limits nothing.
    if (placement.shortfall->scalar_gflops < placement.gflops) placement.shortfall->scalar_gflops = absent;
  }
  if (placement.percent_of_roof >= above_roof_from)
    placement.above_roof = why_above(roof, placement.percent_of_roof, distance(roof, placement) > 0);
}

// ------------------------------------------------------------------------------------------------------------------ placement

/// All FLOPs by precision and kind; where nobody tells precisions apart they are all of the one that the case has.
ArithmeticMix arithmetic_mix(const Traffic& traffic, const std::string& precision) {
  ArithmeticMix mix;
  for (const auto& [one, flops] : traffic.flops_by_precision)
    if (flops > 0) mix[one].flops = flops;
  if (mix.empty() && traffic.flops.value > 0) mix[precision].flops = traffic.flops.value;
  for (auto& [one, share] : mix)
    if (const auto kinds = traffic.fma_mixes.find(one); kinds != traffic.fma_mixes.end()) {
      share.fma = kinds->second.fraction;
      share.add = kinds->second.add;
      share.mul = kinds->second.mul;
    }
  return mix;
}

/// The roof of its own arithmetic, and beside it what equation 7 leaves of the FMA peak.
void find_compute_roof(RooflinePlacement& placement, const Traffic& traffic, std::span<const Ceiling> all) {
  const auto over = arithmetic_over(placement, all);
  const auto ceilings = rates_of(over);
  placement.mix = arithmetic_mix(traffic, placement.roof_precision);
  placement.compute = compute_roof(placement.mix, ceilings);
  for (const auto* one : over)
    if (placement.compute.gflops > 0 && one->name == placement.compute.ceiling) note_stand_in(*one, placement);
  if (!placement.compute.left_out.empty())
    placement.notes.push_back("no ceiling of arithmetic in " + placement.compute.left_out + ": roofs leave that part out");
  if (traffic.flops_without_ceiling > told_from * traffic.flops.value)
    placement.notes.emplace_back("divisions and roots have no ceiling: roofs of arithmetic take them to be as fast as other operations");
  const auto mix = placement.fma_mixes.find(placement.of->precision);
  if (mix == placement.fma_mixes.end()) return;
  placement.partial_fma_gflops = mix->second.ceiling * fma_peak(mix->first, ceilings);
  placement.percent_of_partial_fma = 100 * quotient(placement.gflops, placement.partial_fma_gflops);
}

void refuse(RooflinePlacement& placement, Status status, const std::string& reason) {
  placement.status = placement.bound_status = status;
  placement.reason = placement.bound_reason = reason;
}

/// Takes over what another profiler said beside the numbers.
void take_remarks(const Traffic& traffic, RooflinePlacement& placement) {
  placement.flops_by_precision = traffic.flops_by_precision;
  placement.convention = traffic.convention;
  placement.disagreements = traffic.disagreements;
  placement.notes.insert(placement.notes.end(), traffic.remarks.begin(), traffic.remarks.end());
}

RooflinePlacement place_case(const Measured& measured, const Measurements& all, std::span<const Ceiling> ceilings, const CounterSet* set,
                             std::span<const ProfilerMetrics> profilers) {
  RooflinePlacement placement{.of = measured.of, .node = measured.node, .seconds = measured.seconds.value};
  placement.roof_precision = roof_precision(measured);
  placement.gpus = measured.gpus;
  std::vector<Ceiling> of_team;
  if (measured.gpus.size() > 1) ceilings = of_team = together(ceilings, placement);
  Traffic traffic = traffic_of(measured, all, set, profilers);
  placement.exceeded = correct_beyond_last_cache(traffic, measured, ceilings);
  placement.join = traffic.join;
  placement.bytes_source = traffic.source;
  placement.flops = traffic.flops.value;
  placement.fma_mixes = traffic.fma_mixes;
  if (!traffic.note.empty()) placement.notes.push_back(traffic.note);
  take_remarks(traffic, placement);
  if (!placement.exceeded.empty())
    placement.notes.push_back("the working set is more than twice the " + placement.exceeded +
                              " that the sweeps show, but was counted as if it fitted: bytes of mem are at least what is too much");
  if (measured.of->gpus == 0 && measured.expected(host_entries).lo > 0)
    placement.notes.push_back("the host's, done as by team " + team_name(measured.of->ranks, measured.of->threads));
  if (measured.oversubscribed) placement.notes.emplace_back("oversubscribed: workers shared cores");
  if (!measured.oversubscribed && measured.disturbed > 0 && measured.disturbed == measured.repetitions)
    placement.notes.emplace_back("all repetitions were disturbed: the time is too long, if anything");
  for (const auto& level : traffic.levels) placement.levels.push_back(intensity(traffic.flops, level));
  if (!measured.seconds.ok()) {
    refuse(placement, measured.seconds.status, measured.seconds.reason);
  } else if (traffic.join == Join::none) {
    refuse(placement, traffic.status, traffic.reason);
  } else {
    placement.gflops = quotient(placement.flops, placement.seconds) * 1e-9;
    find_compute_roof(placement, traffic, ceilings);
    placement.launches = launches_on_each(measured);
    placement.overhead_seconds = placement.launches * launch_seconds(placement, ceilings);
    placement.instructions = instructions_seen(measured);
    placement.working_set_bytes = measured.expected("working_set").lo;
    if (const Ceiling* roof = find_bound(placement, traffic.flops, ceilings)) explain_distance(measured, *roof, ceilings, placement);
    placement.status = traffic.flops_status;
    placement.reason = traffic.flops_reason;
  }
  return placement;
}

}  // namespace

std::vector<RooflinePlacement> place(const Measurements& measurements, std::span<const Ceiling> ceilings, const CounterSet* set,
                                     std::span<const ProfilerMetrics> profilers) {
  std::vector<RooflinePlacement> placements;
  for (const auto& measured : measurements.cases) placements.push_back(place_case(measured, measurements, ceilings, set, profilers));
  return placements;
}

}  // namespace plumbline
