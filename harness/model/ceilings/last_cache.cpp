#include "model/ceilings/last_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace plumbline {
namespace {

/// Two sizes clearly differ from this factor on: in a socket's cache that neighbours use too the finder sees 0.6 even where the topology is
/// right (tests/golden/curves).
constexpr double clear_factor = 2;
constexpr double beyond_private = 1.5;
constexpr double sure_from = 0.8, usable_from = 0.4;  // confidence

bool has_shared_last(std::span<const CacheLevel> caches) { return !caches.empty() && caches.back().shared && caches.back().bytes > 0; }

std::uint64_t whole_sets(const CacheLevel& cache, double bytes) {
  const std::uint64_t set = std::uint64_t{std::max(cache.ways, 1U)} * std::max(cache.line_bytes, 1U);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / set) * set;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// The level before memory, where the sweeps reach memory and it is larger than the cache before the last; null: none.
const MemoryLevel* last_found(std::span<const CacheLevel> caches, const FoundLevels& found) {
  if (found.levels.size() < 2 || found.levels.back().status != Status::ok) return nullptr;
  const MemoryLevel& last = found.levels[found.levels.size() - 2];
  const double before = caches.size() > 1 ? static_cast<double>(caches[caches.size() - 2].bytes) : 0;
  return last.status == Status::ok && last.size_bytes > beyond_private * before ? &last : nullptr;
}

std::string why_none(std::span<const CacheLevel> caches, const FoundLevels& found) {
  if (!found.reason.empty()) return "the sweeps do not decide: " + found.reason;
  if (!found.levels.empty() && found.levels.back().status != Status::ok) return "the sweeps do not decide: " + found.levels.back().reason;
  return "the sweeps show no cache between " + (caches.size() > 1 ? caches[caches.size() - 2].name : "the core") + " and memory";
}

void take_found(const CacheLevel& told, const MemoryLevel& level, LastCache& last) {
  last.bytes = whole_sets(told, level.size_bytes);
  last.is_measured = true;
}

/// Leaves both sizes possible.
void leave_open(const CacheLevel& told, const MemoryLevel& level, LastCache& last) {
  const std::uint64_t found = whole_sets(told, level.size_bytes);
  last.lo = std::min(found, told.bytes);
  last.hi = std::max(found, told.bytes);
}

}  // namespace

LastCache last_cache_as_told(std::span<const CacheLevel> caches, std::string reason) {
  LastCache last{.reason = std::move(reason)};
  if (!has_shared_last(caches)) return last;
  last.name = caches.back().name;
  last.topology_bytes = last.bytes = last.lo = last.hi = caches.back().bytes;
  return last;
}

LastCache choose_last_cache(std::span<const CacheLevel> caches, const FoundLevels& found, LastCacheRule rule) {
  if (!has_shared_last(caches)) return last_cache_as_told(caches, "the topology tells no cache that cores share");
  const CacheLevel& told = caches.back();
  const MemoryLevel* level = last_found(caches, found);
  if (level == nullptr) return last_cache_as_told(caches, why_none(caches, found));
  LastCache last = last_cache_as_told(caches, "");
  last.found_bytes = level->size_bytes;
  last.found_lo = level->size_lo;
  last.found_hi = level->size_hi;
  last.confidence = level->confidence;

  const double topology = static_cast<double>(told.bytes);
  const bool differs = level->size_hi * clear_factor < topology || level->size_lo > clear_factor * topology;
  const std::string shown = "the sweeps show " + in_words(level->size_bytes) + " (confidence " + short_number(level->confidence) + ")",
                    told_words = "the topology tells " + in_words(topology);
  if (rule == LastCacheRule::topology) {
    last.reason = "the campaign asks for the topology's; " + shown;
  } else if (!differs && rule == LastCacheRule::automatic) {
    last.reason = shown + ", which does not clearly differ from what " + told_words;
  } else if (level->confidence < usable_from && rule == LastCacheRule::automatic) {
    last.reason = told_words + "; " + shown + ", too unsure to simulate: the model takes both";
    leave_open(told, *level, last);
  } else {
    take_found(told, *level, last);
    const bool sure = level->confidence >= sure_from;
    last.reason = shown + ", " + told_words + (sure || !differs ? "" : "; unsure, so the model takes both");
    last.lo = last.hi = last.bytes;
    if (!sure && differs) leave_open(told, *level, last);
  }
  return last;
}

std::vector<CacheLevel> with_last_cache(std::vector<CacheLevel> caches, const LastCache& last, std::uint64_t bytes) {
  if (!caches.empty() && bytes > 0 && caches.back().name == last.name) caches.back().bytes = bytes;
  return caches;
}

}  // namespace plumbline
