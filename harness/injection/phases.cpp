#include "injection/phases.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

namespace plumbline::phases {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t no_region = ~0U;

struct Region {
  PhaseRegion facts = {};
  std::uint64_t inside = 0;  // ranges of it that are open
  Clock::time_point opened = {};
};

struct ProcessRange {
  std::uint64_t number = 0;
  std::uint32_t region = no_region;
};

/// Everything that threads share. It is never destroyed: threads may mark until the process is gone.
struct Shared {
  std::mutex mutex;
  std::vector<Region> regions;
  std::map<std::string, std::uint32_t, std::less<>> by_name;
  std::vector<std::vector<std::uint32_t>> phases{{}};
  std::map<std::vector<std::uint32_t>, std::uint32_t> by_regions{{{}, 0}};
  std::vector<ProcessRange> process_ranges;  // that are open, in the order in which they were begun
  std::uint64_t last_number = 0, lost = 0;
  std::atomic<std::uint64_t> version{1};  // of the process's ranges
};

Shared& shared() {
  static auto* const all = new Shared;
  return *all;
}

struct ThreadRange {
  std::uint64_t domain = 0;
  std::uint32_t region = no_region;
};

struct Thread {
  std::vector<ThreadRange> open;
  std::uint32_t phase = 0;    // as of that version
  std::uint64_t version = 0;  // 0: it has to be looked up
};
thread_local Thread thread;

// ------------------------------------------------------------------------------------- with the mutex held

std::uint32_t region_of(std::string_view name) {
  Shared& all = shared();
  const auto found = all.by_name.find(name);
  if (found != all.by_name.end()) return found->second;
  if (all.regions.size() >= most_regions) {
    ++all.lost;
    return no_region;
  }
  const auto number = static_cast<std::uint32_t>(all.regions.size());
  all.regions.push_back({.facts = {.name = std::string(name)}});
  all.by_name.emplace(name, number);
  return number;
}

void open_region(std::uint32_t number) {
  if (number == no_region) return;
  Region& region = shared().regions[number];
  ++region.facts.entries;
  if (region.inside++ == 0) region.opened = Clock::now();
}

void close_region(std::uint32_t number) {
  if (number == no_region) return;
  Region& region = shared().regions[number];
  if (--region.inside == 0) region.facts.seconds += std::chrono::duration<double>(Clock::now() - region.opened).count();
}

void add_once(std::uint32_t region, std::vector<std::uint32_t>& regions) {
  if (region != no_region && std::find(regions.begin(), regions.end(), region) == regions.end()) regions.push_back(region);
}

/// The phase of the ranges that are open; the outermost of a region's counts.
std::uint32_t phase_of(const Thread& mine) {
  Shared& all = shared();
  std::vector<std::uint32_t> regions;
  for (const auto& range : all.process_ranges) add_once(range.region, regions);
  for (const auto& range : mine.open) add_once(range.region, regions);
  const auto found = all.by_regions.find(regions);
  if (found != all.by_regions.end()) return found->second;
  if (all.phases.size() >= most_phases) {
    ++all.lost;
    return 0;
  }
  const auto number = static_cast<std::uint32_t>(all.phases.size());
  all.phases.push_back(regions);
  all.by_regions.emplace(std::move(regions), number);
  return number;
}

void leave_at(std::vector<ThreadRange>::reverse_iterator range) {
  if (range == thread.open.rend()) return;
  close_region(range->region);
  thread.open.erase(std::next(range).base());
  thread.version = 0;
}

void end_at(std::vector<ProcessRange>::iterator range) {
  Shared& all = shared();
  if (range == all.process_ranges.end()) return;
  close_region(range->region);
  all.process_ranges.erase(range);
  ++all.version;
}

}  // namespace

void enter(std::string_view name, std::uint64_t domain) {
  const std::lock_guard lock(shared().mutex);
  const std::uint32_t region = region_of(name);
  open_region(region);
  thread.open.push_back({domain, region});
  thread.version = 0;
}

void leave(std::uint64_t domain) {
  const std::lock_guard lock(shared().mutex);
  leave_at(std::find_if(thread.open.rbegin(), thread.open.rend(), [&](const auto& range) { return range.domain == domain; }));
}

void leave(std::string_view name, std::uint64_t domain) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const auto region = all.by_name.find(name);
  if (region == all.by_name.end()) return;
  leave_at(std::find_if(thread.open.rbegin(), thread.open.rend(),
                        [&](const auto& range) { return range.domain == domain && range.region == region->second; }));
}

std::uint64_t begin(std::string_view name) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const std::uint32_t region = region_of(name);
  open_region(region);
  all.process_ranges.push_back({++all.last_number, region});
  ++all.version;
  return all.last_number;
}

void end(std::uint64_t number) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  end_at(std::find_if(all.process_ranges.begin(), all.process_ranges.end(), [&](const auto& range) { return range.number == number; }));
}

void end(std::string_view name) {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  const auto region = all.by_name.find(name);
  if (region == all.by_name.end()) return;
  const auto last = std::find_if(all.process_ranges.rbegin(), all.process_ranges.rend(),
                                 [&](const auto& range) { return range.region == region->second; });
  if (last != all.process_ranges.rend()) end_at(std::prev(last.base()));
}

std::uint32_t current() {
  Shared& all = shared();
  if (thread.version == all.version.load(std::memory_order_acquire)) return thread.phase;
  const std::lock_guard lock(all.mutex);
  thread.phase = phase_of(thread);
  thread.version = all.version;
  return thread.phase;
}

ProgramPhases all() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  ProgramPhases told{.phases = all.phases, .lost = all.lost};
  for (const auto& region : all.regions) {
    told.regions.push_back(region.facts);
    told.regions.back().open = region.inside > 0;
    if (region.inside > 0) told.regions.back().seconds += std::chrono::duration<double>(Clock::now() - region.opened).count();
  }
  return told;
}

void forget() {
  Shared& all = shared();
  const std::lock_guard lock(all.mutex);
  all.regions.clear(), all.by_name.clear(), all.process_ranges.clear();
  all.phases = {{}}, all.by_regions = {{{}, 0}};
  all.lost = 0;
  ++all.version;
  thread = {};
}

}  // namespace plumbline::phases
