#include "profile/region_times.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "preload/region_records.h"
#include "profile/record_bytes.hpp"

namespace plumbline {
namespace {

double seconds(std::uint64_t ns) { return 1e-9 * static_cast<double>(ns); }

/// The time that a process was in a region, and when.
struct Stay {
  std::uint64_t first_ns = 0, last_ns = 0, elapsed_ns = 0;
};

struct RegionOfProcesses {
  RegionTimes times = {};
  double thread_seconds = 0;
  std::set<std::uint32_t> processes = {};
  std::vector<Stay> stays = {};
  void add(const RegionThreadRecord& thread);
  RegionTimes take();
};

using Regions = std::map<std::string, RegionOfProcesses>;

/// The time of stays that overlap is that of the longest.
std::uint64_t elapsed_ns(std::vector<Stay> stays) {
  std::ranges::sort(stays, {}, &Stay::first_ns);
  std::uint64_t sum = 0, longest = 0, end = 0;
  for (const Stay& stay : stays) {
    if (stay.first_ns >= end) sum += longest, longest = 0;
    longest = std::max(longest, stay.elapsed_ns);
    end = std::max(end, stay.last_ns);
  }
  return sum + longest;
}

void RegionOfProcesses::add(const RegionThreadRecord& thread) {
  if (thread.entries == 0) return;
  thread_seconds += seconds(thread.elapsed_ns);
  times.entries += thread.entries;
  ++times.threads;
  times.open = times.open || thread.depth > 0;
  times.cpu_seconds += seconds(thread.cpu_ns);
  times.longest_cpu_seconds = std::max(times.longest_cpu_seconds, seconds(thread.cpu_ns));
}

RegionTimes RegionOfProcesses::take() {
  times.processes = static_cast<int>(processes.size());
  times.seconds = seconds(elapsed_ns(std::move(stays)));
  if (times.seconds > 0) times.cores = thread_seconds / times.seconds;
  return std::move(times);
}

/// Adds the regions of a process. A record that was not whole when it was killed is the last.
void add_process(const std::string& bytes, std::uint32_t process, Regions& regions) {
  std::map<std::uint64_t, RegionOfProcesses*> by_place;
  each_record<RegionRecordBegin>(bytes, sizeof(RegionsHead), [&](std::size_t at, const RegionRecordBegin& begin) {
    if (const auto record = record_at<RegionRecord>(bytes, at); record && begin.kind == kRegionRecord) {
      if (begin.bytes < sizeof *record + record->name) return;
      const std::string name = bytes.substr(at + sizeof *record, record->name);
      RegionOfProcesses& region = regions[name];
      region.times.name = name;
      region.processes.insert(process);
      region.stays.push_back({record->first_ns, record->last_ns, record->elapsed_ns});
      by_place[at] = &region;
    }
    if (const auto record = record_at<RegionThreadRecord>(bytes, at); record && begin.kind == kRegionThreadRecord)
      if (const auto region = by_place.find(record->region); region != by_place.end()) region->second->add(*record);
  });
}

}  // namespace

SetVariable region_timing(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  return {PLUMBLINE_REGIONS_FOLDER, folder.string()};
}

TimedRegions read_region_times(const std::filesystem::path& folder) {
  TimedRegions timed;
  Regions regions;
  for (const auto& file : record_files(folder, ".regions")) {
    const std::string bytes = record_bytes(file, PLUMBLINE_REGIONS_FORMAT);
    const auto head = record_at<RegionsHead>(bytes, 0);
    if (!head) continue;
    timed.lost += head->lost;
    timed.mark_seconds = std::max(timed.mark_seconds, seconds(head->marks_ns));
    add_process(bytes, head->file.process, regions);
  }
  for (auto& [name, region] : regions)
    if (region.times.entries > 0)
      timed.regions.push_back(region.take());
    else
      timed.outside.push_back(name);
  return timed;
}

}  // namespace plumbline
