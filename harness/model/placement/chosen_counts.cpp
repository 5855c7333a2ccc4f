#include "model/placement/chosen_counts.hpp"

#include <algorithm>
#include <cmath>

#include "core/quantity_parts.hpp"
#include "model/cases/weighted_sum.hpp"
#include "model/placement/fma_mix.hpp"
#include "model/statistics/words.hpp"

namespace plumbline {
namespace {

Estimate sum(const Estimate& a, const Estimate& b) { return {a.value + b.value, a.lo + b.lo, a.hi + b.hi}; }

/// A sum over counters; without a value and with a reason where one of them has none.
struct Total {
  Estimate amount = {0, 0, 0};
  bool simulated = false;
  Status status = Status::ok;
  std::string reason = {};
};

/// Fewer bytes than in an empty region are none.
Reported some_or_none(Reported count, Kind kind) {
  if (count.status != Status::negative || kind != Kind::bytes) return count;
  return {0, Status::ok, {}};
}

double offsets_of(const ChosenCounter& chosen, const CaseRow& row) {
  return offsets_in(chosen.offset_per, row.ranks, working_threads(row));
}

bool may_have_stopped(const ChosenCounter& chosen, double counted) { return counted > chosen.good_up_to * chosen.ratio_hi; }

Total no_estimate(const ChosenCounter& chosen, double counted) {
  const bool stopped = may_have_stopped(chosen, counted);
  return {.status = stopped ? Status::unavailable : Status::negative,
          .reason = chosen.counter.name +
                    (stopped ? " is good up to " + significant(chosen.good_up_to, 3) + " a sweep, and counted " + significant(counted, 3)
                             : " counted less than its offset")};
}

/// The total of all counters that see the area, whose parts are seen once each.
Total total(const CounterSet& set, const Measured& measured, const std::string& area) {
  Total all;
  for (const auto& chosen : set.counters) {
    if (parts_seen(chosen.counter.quantities, area).empty()) continue;
    const Reported count = some_or_none(weighted_sum(chosen.counter, measured), chosen.counter.kind);
    if (!count.ok()) return {Estimate{}, all.simulated, count.status, count.reason};
    const auto own = estimate_of(chosen, count.value, offsets_of(chosen, *measured.of));
    if (!own) return no_estimate(chosen, count.value);
    all.amount = sum(all.amount, *own);
    all.simulated = all.simulated || is_simulated(chosen.counter);
  }
  return all;
}

/// Says what of `needed` no counter sees, as "no counter of the set sees bytes.L1-L2.write_back"; nullopt where all are seen.
std::optional<std::string> unseen(const CounterSet& set, const std::vector<std::string>& needed) {
  std::string missing;
  for (const auto& part : needed)
    if (std::none_of(set.counters.begin(), set.counters.end(),
                     [&](const auto& chosen) { return parts_seen(chosen.counter.quantities, area_of(part)).contains(part); }))
      missing += (missing.empty() ? "" : ", ") + part;
  return missing.empty() ? std::nullopt : std::optional("no counter of the set sees " + missing);
}

/// The precisions in which the model has operations; that of the case where it speaks of none.
std::vector<std::string> flops_needed(const Measured& measured) {
  std::vector<std::string> needed;
  if (measured.model != nullptr)
    for (const auto& [quantity, bounds] : *measured.model)
      if (is_flops_total(quantity) && bounds.hi > 0) needed.push_back(quantity);
  return needed.empty() ? std::vector{"flops." + measured.of->precision} : needed;
}

/// The one precision whose FLOPs the counter sees; of a sum over several the case's own.
std::string precision_seen(const Counter& counter, const Measured& measured) {
  const auto needed = flops_needed(measured);
  std::string seen;
  for (const auto& quantity : counter.quantities) {
    if (std::find(needed.begin(), needed.end(), quantity) == needed.end()) continue;
    if (!seen.empty()) return measured.of->precision;
    seen = flops_precision(quantity);
  }
  return seen.empty() ? measured.of->precision : seen;
}

std::map<std::string, double> flops_by_precision(const CounterSet& set, const Measured& measured) {
  std::map<std::string, double> flops;
  for (const auto& chosen : set.counters) {
    if (chosen.counter.kind != Kind::flops) continue;
    const Reported count = weighted_sum(chosen.counter, measured);
    if (const auto own = count.ok() ? estimate_of(chosen, count.value, offsets_of(chosen, *measured.of)) : std::nullopt)
      flops[precision_seen(chosen.counter, measured)] += own->value;
  }
  return flops;
}

LevelTraffic level_by(const CounterSet& set, const Measured& measured, const LevelBoundary& at) {
  const std::string area = std::string("bytes.") + at.boundary;
  if (auto why = unseen(set, needed_parts(area))) return {at.level, {}, {}, Status::unavailable, std::move(*why)};
  const Total bytes = total(set, measured, area);
  return {at.level, bytes.amount, bytes.simulated ? "emulated" : "hardware", bytes.status, bytes.reason};
}

/// Whether the set or the model speaks of a boundary at all.
bool is_crossed(const CounterSet& set, const Measured& measured, const LevelBoundary& at) {
  const std::string area = std::string("bytes.") + at.boundary;
  return std::isfinite(measured.expected(area).lo) || std::any_of(set.counters.begin(), set.counters.end(), [&](const auto& chosen) {
           return !parts_seen(chosen.counter.quantities, area).empty();
         });
}

/// Whether the model has operations of that kind; where it speaks of none at all, whether they are of the case's precision.
bool has_flops(const Measured& measured, const std::string& quantity) {
  const auto is_some = [](const auto& known) { return is_flops_total(known.first) && known.second.hi > 0; };
  if (measured.model != nullptr && std::any_of(measured.model->begin(), measured.model->end(), is_some))
    return measured.expected(quantity).hi > 0;
  return quantity == "flops." + measured.of->precision;
}

/// The mixes of FMAs as the set's counters of FLOPs have them.
FmaMixes chosen_fma_mixes(const CounterSet& set, const Measured& measured) {
  FmaMixes mixes;
  for (const auto& chosen : set.counters) {
    const auto counts = measured.counts.find(chosen.counter.backend);
    if (counts == measured.counts.end()) continue;
    FmaMix mix = fma_mix(chosen.counter.terms, counts->second);
    if (!mix.is_known()) continue;
    mix.source = is_simulated(chosen.counter) ? "emulated" : "hardware";
    for (const auto& quantity : chosen.counter.quantities)
      if (is_flops_total(quantity) && has_flops(measured, quantity)) mixes.try_emplace(flops_precision(quantity), mix);
  }
  return mixes;
}

}  // namespace

std::optional<Estimate> estimate_of(const ChosenCounter& chosen, double counted, double offsets) {
  if (counted < offsets * chosen.offset || may_have_stopped(chosen, counted)) return std::nullopt;
  const auto without = [&](double offset) { return std::max(0.0, counted - offsets * offset) * chosen.factor; };
  const Estimate estimate{without(chosen.offset), without(chosen.offset_hi) / chosen.ratio_hi, without(chosen.offset_lo) / chosen.ratio_lo};
  if (estimate.lo <= estimate.value && estimate.value <= estimate.hi) return estimate;
  return Estimate{std::sqrt(estimate.lo * estimate.hi), estimate.lo, estimate.hi};
}

bool is_simulated(const Counter& counter) {
  return counter.backend == "emulated" || std::all_of(counter.terms.begin(), counter.terms.end(),
                                                      [](const Term& term) { return term.event.starts_with("sde:::plumbline::"); });
}

std::optional<std::string> unseen_flops(const CounterSet& set, const Measured& measured) { return unseen(set, flops_needed(measured)); }

std::optional<Traffic> traffic_by(const CounterSet& set, const Measured& measured) {
  Total flops = total(set, measured, "flops");
  for (const auto& quantity : flops_needed(measured)) {
    if (area_of(quantity) == "flops" || flops.status != Status::ok) continue;
    const Total tensor = total(set, measured, area_of(quantity));
    flops = {sum(flops.amount, tensor.amount), flops.simulated || tensor.simulated, tensor.status, tensor.reason};
  }
  if (flops.status != Status::ok) return std::nullopt;
  Traffic traffic{.join = Join::same, .flops = flops.amount, .fma_mixes = chosen_fma_mixes(set, measured)};
  traffic.flops_by_precision = flops_by_precision(set, measured);
  for (const auto& at : levels_of(measured))
    if (is_crossed(set, measured, at)) traffic.levels.push_back(level_by(set, measured, at));
  traffic.source = common_source(traffic.levels, flops.simulated ? "emulated" : "hardware");
  return traffic;
}

}  // namespace plumbline
