#include "profile/placed_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "profile/profile.hpp"

namespace plumbline {
namespace {

std::optional<std::uint64_t> whole(double bytes) { return static_cast<std::uint64_t>(std::llround(std::max(bytes, 0.0))); }

/// The bytes below each cache, by event. What goes past L1 goes past them all.
EventSums bytes_below(const std::vector<CacheLevel>& caches, const ReuseDistances& distances, const EventSums& counts, double l3_sharers) {
  EventSums bytes;
  for (std::size_t k = 0; k < caches.size() && k + 1 < std::size(levels); ++k) {
    const std::string boundary = fmt::format("bytes.{}.", levels[k + 1].boundary);
    const CacheTraffic traffic = traffic_below(distances, static_cast<double>(caches[k].bytes) / (k == 2 ? l3_sharers : 1));
    bytes[boundary + "demand_read"] = whole(traffic.demand_read_bytes);
    bytes[boundary + "rfo"] = whole(traffic.rfo_bytes);
    bytes[boundary + "write_back"] = whole(traffic.write_back_bytes);
    bytes[boundary + "prefetch"] = 0;
    const auto past = counts.find("bytes.reg-L1.nt_store");
    bytes[boundary + "nt_store"] = past == counts.end() ? std::nullopt : past->second;
  }
  return bytes;
}

void replace(EventSums& sums, const EventSums& known) {
  for (const auto& [event, value] : known) sums[event] = value;
}

}  // namespace

void place_on(ToolReport& report, const std::vector<CacheLevel>& caches) {
  const auto sharers =
      std::ranges::count_if(report.threads, [](const ThreadReport& one) { return one.reuse && !one.reuse->buckets.empty(); });
  const double l3_sharers = static_cast<double>(std::max<std::ptrdiff_t>(sharers, 1));
  EventSums total;
  for (ThreadReport& thread : report.threads) {
    if (!thread.reuse) return;
    const EventSums bytes = bytes_below(caches, *thread.reuse, thread.counts, l3_sharers);
    replace(thread.counts, bytes);
    add(total, bytes);
  }
  replace(report.total, total);
  for (RegionReport& region : report.regions)
    if (region.reuse) replace(region.counts, bytes_below(caches, *region.reuse, region.counts, l3_sharers));
  if (std::ranges::none_of(report.functions, [](const FunctionReport& one) { return one.reuse.has_value(); })) return;  // by an older tool
  const ReuseDistances none{.line_bytes = 1};  // a function that fetched no line
  for (FunctionReport& function : report.functions)
    replace(function.counts, bytes_below(caches, function.reuse ? *function.reuse : none, function.counts, l3_sharers));
}

std::vector<std::string> places_that_may_conflict(const ToolReport& report, const std::vector<CacheLevel>& caches) {
  std::set<std::string> found;
  const auto look = [&](const std::string& place, const std::optional<ReuseDistances>& reuse) {
    std::vector<std::string> of;
    for (const CacheLevel& cache : caches)
      if (reuse && may_conflict(*reuse, cache)) of.push_back(cache.name);
    if (!of.empty()) found.insert(fmt::format("{} ({})", place, fmt::join(of, ", ")));
  };
  for (const RegionReport& region : report.regions) look("region " + region.name, region.reuse);
  for (const ThreadReport& thread : report.threads) look("the whole program", thread.reuse);
  return {found.begin(), found.end()};
}

}  // namespace plumbline
