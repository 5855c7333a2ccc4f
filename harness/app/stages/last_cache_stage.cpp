#include "app/stages/last_cache_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/stages/ceilings_stage.hpp"
#include "comm/told.hpp"
#include "ert/ceiling_plan.hpp"
#include "machine/cpu.hpp"
#include "machine/memory.hpp"
#include "measure/clock.hpp"
#include "model/ceilings/node_levels.hpp"
#include "store/session_list.hpp"

namespace plumbline {
namespace {

using nlohmann::json;

json number(double value) { return std::isfinite(value) ? json(value) : json(); }
double number_in(const json& told, const char* key) {
  const auto found = told.find(key);
  return found != told.end() && found->is_number() ? found->get<double>() : absent;
}

}  // namespace

void to_json(json& told, const LastCache& last) {
  told = {{"name", last.name},
          {"bytes", last.bytes},
          {"lo_bytes", last.lo},
          {"hi_bytes", last.hi},
          {"topology_bytes", last.topology_bytes},
          {"found_bytes", number(last.found_bytes)},
          {"found_lo_bytes", number(last.found_lo)},
          {"found_hi_bytes", number(last.found_hi)},
          {"confidence", number(last.confidence)},
          {"measured", last.is_measured},
          {"reason", last.reason}};
}

void from_json(const json& told, LastCache& last) {
  last = {.name = told.value("name", ""),
          .topology_bytes = told.value("topology_bytes", std::uint64_t{0}),
          .found_bytes = number_in(told, "found_bytes"),
          .found_lo = number_in(told, "found_lo_bytes"),
          .found_hi = number_in(told, "found_hi_bytes"),
          .confidence = number_in(told, "confidence"),
          .bytes = told.value("bytes", std::uint64_t{0}),
          .lo = told.value("lo_bytes", std::uint64_t{0}),
          .hi = told.value("hi_bytes", std::uint64_t{0}),
          .is_measured = told.value("measured", false),
          .reason = told.value("reason", "")};
}

namespace app {
namespace {

constexpr double finder_seconds = 1.0;
constexpr int fewest_rounds = 2, most_rounds = 4;  // each shows every working set once

/// The words in which a leader tells the leaders of the others of its node's last cache.
struct Offer {
  std::string host;
  LastCache last;
  bool is_kept = false;  // settled by an earlier session
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Offer, host, last, is_kept)

bool is_of_one_core(const CeilingRow& row) {
  return row.level == CeilingKind::sweep && row.scope != gpu_scope && row.ranks * row.threads == 1;
}

FoundLevels levels_in(std::span<const CeilingRow> rows) {
  std::vector<CeilingRow> sweeps;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(sweeps), is_of_one_core);
  const auto nodes = levels_of_nodes(sweeps);
  return nodes.empty() ? FoundLevels{} : nodes.begin()->second.found;
}

/// Loads and dependent loads of one core, up to working sets beyond which a cache is not one that must be told from a larger one.
std::vector<CeilingCase> plan_of_finder() {
  const CeilingTeam alone{.team = {.ranks = 1, .threads = 1}};
  auto plan = plan_ceilings(CeilingMode::quick, this_cpu().isas, {}, memory_available_bytes(), std::span(&alone, 1));
  std::erase_if(
      plan, [](const CeilingCase& one) { return one.level != CeilingKind::sweep || (one.pattern != "load" && one.pattern != "chase"); });
  return plan;
}

json samples_of(std::span<const CeilingRow> sought) {
  json samples = json::array();
  for (const auto& row : sought) samples.push_back({row.pattern, row.working_set_bytes, row.round, number(row.value), row.unit});
  return samples;
}

/// The choice that is kept; nothing is kept of a node of that name whose topology told something else.
std::optional<LastCache> kept_choice(const std::optional<std::string>& choice, std::span<const CacheLevel> caches) {
  if (!choice) return std::nullopt;
  const LastCache last = json::parse(*choice), told = last_cache_as_told(caches, "");
  return last.name == told.name && last.topology_bytes == told.topology_bytes ? std::optional(last) : std::nullopt;
}

}  // namespace

std::optional<LastCacheRule> last_cache_rule(const Campaign& campaign) {
  const std::string& said = campaign.emulated.caches.value;
  if (!campaign.emulated.is_of_this_machine()) return std::nullopt;
  if (said == "topology") return LastCacheRule::topology;
  return said == "measured" ? LastCacheRule::measured : LastCacheRule::automatic;
}

std::string line_of(const LastCache& last) {
  if (last.name.empty()) return "the last cache is taken as the topology tells it: " + last.reason;
  return fmt::format("{} is taken as {}: {}", last.name, in_words(static_cast<double>(last.bytes)), last.reason);
}

LastCache LastCacheStage::settle(LastCacheRule rule, const EarlierLastCache& earlier, std::span<const CeilingRow> ceilings) {
  const bool leads = ranks_.local().rank() == 0;
  const auto kept = kept_choice(earlier.choice, caches_);
  const bool seeks = !kept && rule == LastCacheRule::measured && levels_in(ceilings).levels.empty() && !earlier.was_counted;
  std::vector<CeilingRow> sought;
  if (ranks_.local().any(leads && seeks)) sought = seek();
  LastCache last;
  if (leads) last = kept ? *kept : choose(rule, earlier.was_counted, ceilings, sought);
  if (leads) last = agreed(std::move(last), kept.has_value());
  last = broadcast(ranks_.local(), last);
  const bool was_looked_for = std::any_of(ceilings.begin(), ceilings.end(), is_of_one_core) || !sought.empty();
  if (!leads || kept || last.name.empty() || !was_looked_for) return last;
  unit_.emplace();
  unit_->outcome = round_outcome(std::string(last_cache_unit), ranks_.host(), session_);
  json told = last;
  if (!sought.empty()) told["samples"] = samples_of(sought);
  unit_->outcome.placement = told.dump();
  return last;
}

LastCache LastCacheStage::choose(LastCacheRule rule, bool was_counted, std::span<const CeilingRow> ceilings,
                                 std::span<const CeilingRow> sought) const {
  if (was_counted) return last_cache_as_told(caches_, "what the topology tells, by which earlier sessions counted");
  const std::span<const CeilingRow> rows = sought.empty() ? ceilings : sought;
  if (std::none_of(rows.begin(), rows.end(), is_of_one_core))
    return last_cache_as_told(caches_,
                              "what the topology tells; this run has no sweep that would show it ([emulated] caches = \"measured\" looks)");
  return choose_last_cache(caches_, levels_in(rows), rule);
}

/// Seeks the last cache by the first rank of the node, while the others wait.
std::vector<CeilingRow> LastCacheStage::seek() {
  ranks_.team(1);  // by all ranks of the node together
  const auto plan = plan_of_finder();
  CeilingsStage stage(plan, session_, ranks_, place_);
  std::vector<CeilingRow> rows;
  const double began = now_seconds();
  for (int round = 0; round < most_rounds; ++round) {
    if (ranks_.local().any(round >= fewest_rounds && now_seconds() - began > finder_seconds)) break;
    if (auto unit = stage.measure(round)) std::move(unit->ceilings.begin(), unit->ceilings.end(), std::back_inserter(rows));
  }
  return rows;
}

/// Nodes that are told the same by their topologies take the middle one of what is found, so that one model is right for all; first of
/// those that an earlier session settled.
LastCache LastCacheStage::agreed(LastCache own, bool is_kept) {
  Group& leaders = ranks_.leaders();
  if (leaders.size() == 1) return own;
  auto like = all_gather(leaders, Offer{ranks_.host(), own, is_kept});
  std::erase_if(like, [&](const Offer& one) { return one.last.name != own.name || one.last.topology_bytes != own.topology_bytes; });
  const bool any_kept = std::any_of(like.begin(), like.end(), [](const Offer& one) { return one.is_kept; });
  if (any_kept) std::erase_if(like, [](const Offer& one) { return !one.is_kept; });
  std::sort(like.begin(), like.end(),
            [](const Offer& a, const Offer& b) { return std::tie(a.last.bytes, a.host) < std::tie(b.last.bytes, b.host); });
  const Offer& middle = like[(like.size() - 1) / 2];
  if (is_kept || middle.host == ranks_.host()) return own;
  own.bytes = middle.last.bytes;
  own.lo = middle.last.lo;
  own.hi = middle.last.hi;
  own.is_measured = middle.last.is_measured;
  own.reason = fmt::format("as on {}, a like node, where {}; here {}", middle.host, middle.last.reason, own.reason);
  return own;
}

}  // namespace app
}  // namespace plumbline
