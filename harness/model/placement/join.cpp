#include "model/placement/join.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/flavor.hpp"
#include "core/quantity_parts.hpp"
#include "core/twin.hpp"
#include "model/cases/factors.hpp"
#include "model/placement/chosen_counts.hpp"
#include "model/placement/profiled.hpp"

namespace plumbline {
namespace {

using Events = std::map<std::string, Reported>;

/// Sum of all events below a prefix with fma = 2; nullopt when there is none or one of them is not ok.
std::optional<double> total(const Events& events, const std::string& prefix) {
  std::optional<double> sum;
  for (auto it = events.lower_bound(prefix); it != events.end() && it->first.starts_with(prefix); ++it) {
    if (!it->second.ok()) return std::nullopt;
    sum = sum.value_or(0) + (it->first.ends_with(".fma") ? 2 : 1) * it->second.value;
  }
  return sum;
}

/// A flow of fewer bytes than an empty region's is none.
std::optional<double> bytes_across(Events events, const std::string& boundary) {
  for (auto& [event, count] : events)
    if (count.status == Status::negative) count = {0, Status::ok, {}};
  return total(events, "bytes." + boundary + ".");
}

/// The simulator runs threads in turn, so what they do to each other in a shared cache is its own doing.
bool is_interleaved(const Measured& measured, const std::string& level) {
  return measured.of->threads > 1 && (level == "L3" || level == "mem");
}

/// Whether nobody is sure how large the last cache is: one size was simulated, and the model has an interval.
bool hangs_on_unsure_cache(const Measured& measured, const std::string& level) {
  const Bounds size = measured.expected("last_cache");
  return level == "mem" && size.lo < size.hi;
}

/// The model's bytes at a boundary: of registers what the machine code executes, where that is known, else the references as written.
Bounds modelled_bytes(const Measured& measured, const std::string& boundary) {
  const Bounds executed = measured.expected(std::string(executed_prefix) + "bytes." + boundary);
  return std::isfinite(executed.hi) ? executed : measured.expected("bytes." + boundary);
}

/// The bytes at L1 by what the case's own machine code executes; nothing where that is not known.
std::optional<LevelTraffic> executed_at_L1(const Measured& measured) {
  const Bounds bytes = measured.expected(std::string(executed_prefix) + "bytes.reg-L1");
  if (!std::isfinite(bytes.hi)) return std::nullopt;
  return LevelTraffic{.level = "L1", .bytes = {bytes.hi, bytes.lo, bytes.hi}, .source = "model"};
}

Estimate widened(double value, double by) { return {value, value - by, value + by}; }

/// Takes FLOPs from events that are called as the quantities are.
void take_precisions(const Events& events, Traffic& traffic) {
  for (auto it = events.lower_bound("flops."); it != events.end() && it->first.starts_with("flops."); ++it) {
    traffic.flops_by_precision[flops_precision(it->first)] += (it->first.ends_with(".fma") ? 2 : 1) * it->second.value;
    if (it->first.ends_with(".div") || it->first.ends_with(".sqrt")) traffic.flops_without_ceiling += it->second.value;
  }
}

Traffic counted(const Measured& measured, const std::string& backend, const Events& events) {
  Traffic traffic{.join = Join::same, .source = backend};
  if (const auto flops = total(events, "flops.")) {
    traffic.flops = widened(*flops, 0);
    take_precisions(events, traffic);
  }
  for (const auto& [level, boundary] : level_boundaries()) {
    const auto bytes = bytes_across(events, boundary);
    if (!bytes) continue;
    Estimate estimate = widened(*bytes, 0);
    const Bounds model = measured.expected(std::string("bytes.") + boundary);
    if ((is_interleaved(measured, level) || hangs_on_unsure_cache(measured, level)) && std::isfinite(model.lo))
      estimate = {*bytes, std::min(*bytes, model.lo), std::max(*bytes, model.hi)};
    traffic.levels.push_back({.level = level, .bytes = estimate, .source = backend});
  }
  return traffic;
}

/// The counts of the chosen counters; else the emulator's, which count what the program did.
std::optional<Traffic> own_counts(const Measured& measured, const CounterSet* set) {
  if (set != nullptr)
    if (auto chosen = traffic_by(*set, measured)) {
      chosen->fma_mixes.merge(counted_fma_mixes(measured, "emulated", "emulated"));
      return chosen;
    }
  const auto emulated = measured.counts.find("emulated");
  if (emulated == measured.counts.end()) return std::nullopt;
  Traffic traffic = counted(measured, "emulated", emulated->second);
  traffic.fma_mixes = counted_fma_mixes(measured, "emulated", "emulated");
  if (!std::isfinite(traffic.flops.value)) return std::nullopt;
  return traffic;
}

// ------------------------------------------------------------------------------------------------------------------- transfer

const Measured* sibling(const Measured& measured, const Measurements& all, const std::string& isa, const CounterSet* set) {
  const FlavorName wanted = split_flavor(measured.of->flavor);
  for (const auto& other : all.cases) {
    if (other.node != measured.node || other.of->work != measured.of->work || other.of->ranks != measured.of->ranks ||
        other.of->threads != measured.of->threads)
      continue;
    const FlavorName flavor = split_flavor(other.of->flavor);
    if (flavor.compiler == wanted.compiler && flavor.level == wanted.level && flavor.isa == isa && own_counts(other, set)) return &other;
  }
  return nullptr;
}

double difference(double a, double b) { return a == b ? 0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b)); }

double non_temporal(const Measured& measured) {
  const auto emulated = measured.counts.find("emulated");
  if (emulated == measured.counts.end()) return absent;
  const auto found = emulated->second.find("bytes.reg-L1.nt_store");
  return found == emulated->second.end() || !found->second.ok() ? absent : found->second.value;
}

std::string percent(double part) {
  std::string text = std::to_string(100 * part);
  return text.substr(0, text.find('.') + 3) + " %";
}

Traffic refused(std::string why) {
  return {.join = Join::none, .source = {}, .flops = {}, .levels = {}, .note = {}, .status = Status::unavailable, .reason = std::move(why)};
}

/// Joins the levels on which v2 and v3 agree; a level on which they do not is left out. `L1`: what need not be taken from them.
Traffic merged(const Traffic& v3, const Traffic& v2, bool unoptimized, const std::optional<LevelTraffic>& L1) {
  Traffic traffic{
      .join = Join::transferred, .source = v3.source, .flops = widened(v3.flops.value, std::abs(v3.flops.value - v2.flops.value))};
  traffic.fma_mixes = v3.fma_mixes;
  traffic.flops_by_precision = v3.flops_by_precision;
  traffic.flops_without_ceiling = v3.flops_without_ceiling;
  std::string left_out;
  for (const auto& at : v3.levels) {
    if (L1 && at.level == "L1") {
      traffic.levels.push_back(*L1);
      continue;
    }
    const auto other = std::find_if(v2.levels.begin(), v2.levels.end(), [&](const auto& l) { return l.level == at.level; });
    const bool agrees = other != v2.levels.end() && difference(at.bytes.value, other->bytes.value) <= transfer_bytes_within;
    if (!agrees || (unoptimized && at.level == "L1")) {
      left_out += (left_out.empty() ? "" : ", ") + at.level;
      continue;
    }
    const double by = std::abs(at.bytes.value - other->bytes.value);
    traffic.levels.push_back(at);
    traffic.levels.back().bytes = {at.bytes.value, at.bytes.lo - by, at.bytes.hi + by};
  }
  traffic.note =
      "transferred: this flavor was not counted; FLOPs and bytes are those of the v3 build of the same source, whose FLOPs differ by " +
      percent(difference(v3.flops.value, v2.flops.value)) + " from the v2 build's";
  if (!left_out.empty()) traffic.note += "; left out, because the two builds differ there: " + left_out;
  return traffic;
}

Traffic transferred_counts(const Measured& measured, const Measurements& all, const CounterSet* set) {
  const FlavorName flavor = split_flavor(measured.of->flavor);
  if (flavor.isa.empty()) return refused("no counts, and " + measured.of->flavor + " has no sibling flavors to take them from");
  const Measured *v2 = sibling(measured, all, "v2", set), *v3 = sibling(measured, all, "v3", set);
  if (v2 == nullptr || v3 == nullptr) return refused("no counts, and not both of the v2 and v3 flavors were counted to take them from");
  const Traffic from_v2 = *own_counts(*v2, set), from_v3 = *own_counts(*v3, set);
  const double apart = difference(from_v2.flops.value, from_v3.flops.value);
  if (apart > transfer_flops_within) return refused("no counts, and the FLOPs of v2 and v3 differ by " + percent(apart));
  if (!(difference(non_temporal(*v2), non_temporal(*v3)) <= transfer_bytes_within))
    return refused("no counts, and v2 and v3 differ in non-temporal stores");
  return merged(from_v3, from_v2, flavor.level == "O0", executed_at_L1(measured));
}

// ---------------------------------------------------------------------------------------------------------------------- model

Estimate middle(Bounds bounds) { return {(bounds.lo + bounds.hi) / 2, bounds.lo, bounds.hi}; }

/// An interval that begins at nothing has no middle worth telling: either it is only slack (a sweep that moves nothing), or the caches
/// decide between all and none.
Estimate bytes_within(Bounds bounds, const CaseRow& row) {
  if (bounds.lo > 0) return middle(bounds);
  return {bounds.hi <= slack_bytes(row) ? 0 : absent, bounds.lo, bounds.hi};
}

/// The sum over all precisions that the model names; of each the least, unless all of them may be nothing.
std::optional<Bounds> modelled_flops(const Measured& measured, std::map<std::string, double>& by_precision) {
  if (measured.model == nullptr) return std::nullopt;
  std::optional<Bounds> sum;
  std::map<std::string, double> most;
  for (const auto& [quantity, bounds] : *measured.model) {
    if (!is_flops_total(quantity) || !std::isfinite(bounds.lo)) continue;
    const Bounds before = sum.value_or(Bounds{0, 0});
    sum = Bounds{before.lo + bounds.lo, before.hi + bounds.hi};
    by_precision[flops_precision(quantity)] = bounds.lo;
    most[flops_precision(quantity)] = bounds.hi;
  }
  if (sum && sum->lo == 0) by_precision = std::move(most);
  return sum;
}

Traffic modelled(const Measured& measured, const std::string& why) {
  std::map<std::string, double> by_precision;
  const auto flops = modelled_flops(measured, by_precision);
  if (!flops)
    return refused(measured.counting_reason.empty() ? why + ", and no model was stored" : "no counts: " + measured.counting_reason);
  Traffic traffic{.join = Join::model,
                  .source = "model",
                  .flops = middle(*flops),
                  .levels = {},
                  .note = "model: FLOPs and bytes are by arithmetic; " + why};
  for (const auto& [level, boundary] : levels_of(measured))
    if (const Bounds bytes = modelled_bytes(measured, boundary); std::isfinite(bytes.lo) && std::isfinite(bytes.hi))
      traffic.levels.push_back({.level = level, .bytes = bytes_within(bytes, *measured.of), .source = "model"});
  traffic.flops_by_precision = std::move(by_precision);
  traffic.fma_mixes = modelled_fma_mixes(measured);
  traffic.fma_mixes.merge(counted_fma_mixes(measured, "disassembled", "static"));
  return traffic;
}

}  // namespace

Traffic traffic_of(const Measured& measured, const Measurements& all, const CounterSet* set, std::span<const ProfilerMetrics> profilers) {
  if (auto theirs = profiled_traffic(measured, profilers)) return *theirs;
  if (set != nullptr)
    if (auto why = unseen_flops(*set, measured)) return refused(std::move(*why));
  if (auto own = own_counts(measured, set)) return *own;
  Traffic transferred = transferred_counts(measured, all, set);
  if (transferred.join != Join::none) return transferred;
  return modelled(measured, transferred.reason);
}

}  // namespace plumbline
