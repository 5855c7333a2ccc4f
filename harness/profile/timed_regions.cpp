#include "profile/timed_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace plumbline {
namespace {

std::string times(std::uint64_t number) { return number == 1 ? "once" : fmt::format("{} times", number); }

TimedRegion timed_region(const RegionTimes& times) {
  TimedRegion region;
  region.sum.cores = times.cores;
  region.seconds = times.seconds, region.cpu_seconds = times.cpu_seconds;
  region.name = times.name, region.entries = times.entries, region.open = times.open;
  region.ranks = times.ranks, region.processes = times.processes, region.threads = times.threads;
  if (times.cpu_seconds > 0) region.imbalance = times.longest_cpu_seconds * times.threads / times.cpu_seconds;
  return region;
}

TimedRegion counted_region(const RegionCountsByName& counted, const std::string& why_none) {
  TimedRegion region;
  region.counts = counted.counts, region.reuse = counted.reuse;
  region.name = counted.name, region.entries = counted.entries, region.open = counted.open;
  region.ranks = counted.ranks, region.processes = counted.processes, region.threads = counted.threads;
  region.why_no_time = !why_none.empty() ? why_none
                                         : "its marks told the timed run nothing: the program is linked statically or set-uid, or was "
                                           "compiled with an earlier plumbline.h";
  return region;
}

void join(TimedRegion& region, const RegionCountsByName& counted) {
  region.open = region.open || counted.open;
  region.why_no_counts.clear();
  if (region.entries == counted.entries)
    region.counts = counted.counts, region.reuse = counted.reuse;
  else
    region.why_no_counts = fmt::format("it was entered {} in the timed run and {} in the counted one: they did not do the same",
                                       times(region.entries), times(counted.entries));
}

}  // namespace

std::vector<TimedRegion> join_regions(const TimedRegions& timed, const std::vector<RegionCountsByName>& counted,
                                      const std::string& why_not_joined) {
  std::vector<TimedRegion> regions;
  std::map<std::string, std::size_t> by_name;
  for (const RegionTimes& times : timed.regions) {
    by_name[times.name] = regions.size();
    regions.push_back(timed_region(times));
    regions.back().why_no_counts = why_not_joined.empty() ? "the counted run did not enter it" : why_not_joined;
  }
  for (const RegionCountsByName& one : counted) {
    if (!why_not_joined.empty()) break;
    if (const auto found = by_name.find(one.name); found != by_name.end())
      join(regions[found->second], one);
    else
      regions.push_back(counted_region(one, timed.why_none));
  }
  std::ranges::stable_sort(regions, [](const TimedRegion& a, const TimedRegion& b) { return a.seconds > b.seconds; });
  return regions;
}

}  // namespace plumbline
