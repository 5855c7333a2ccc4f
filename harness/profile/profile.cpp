#include "profile/profile.hpp"

#include <algorithm>
#include <set>

namespace plumbline {
namespace {

constexpr std::string_view flops_prefix = "flops.", bytes_prefix = "bytes.";

// "flops.fp64.add" -> "fp64"; empty for another event.
std::string precision_of(const std::string& event) {
  if (!event.starts_with(flops_prefix)) return "";
  const auto rest = event.substr(flops_prefix.size());
  return rest.substr(0, rest.find('.'));
}

// Adds what `weigh` gives for each event; nullopt from it leaves an event out.
template <class Weigh>
std::optional<double> weighted_sum(const EventSums& sums, Weigh weigh) {
  double sum = 0;
  bool any = false;
  for (const auto& [name, value] : sums) {
    const std::optional<double> weight = weigh(name);
    if (!weight) continue;
    if (!value) return std::nullopt;
    sum += *weight * static_cast<double>(*value);
    any = true;
  }
  return any ? std::optional(sum) : std::nullopt;
}

double weight_of(const std::string& event) { return event.ends_with(".fma") ? 2 : 1; }

// Finds the element that `is` describes, or appends a new one.
template <class Element, class Is>
Element& find_or_append(std::vector<Element>& all, Is is) {
  const auto found = std::find_if(all.begin(), all.end(), is);
  return found == all.end() ? all.emplace_back() : *found;
}

void add_regions(Profile& profile, const ToolReport& report) {
  std::set<std::string> in_this_process;
  for (const auto& one : report.regions) {
    auto& region = find_or_append(profile.regions, [&](const auto& known) { return known.name == one.name; });
    region.name = one.name;
    region.entries += one.entries;
    region.open = region.open || one.open;
    region.threads += 1;
    region.processes += in_this_process.insert(one.name).second ? 1 : 0;
    add(region.counts, one.counts);
  }
}

// What a process was before it executed another program is still the same process.
bool is_new(const std::vector<ProcessCounts>& processes, const ProcessCounts& process) {
  return std::none_of(processes.data(), &process,
                      [&](const auto& earlier) { return earlier.rank == process.rank && earlier.report.pid == process.report.pid; });
}

void add_rank(Profile& profile, const ProcessCounts& process, bool new_process) {
  auto& rank = find_or_append(profile.ranks, [&](const auto& known) { return known.rank == process.rank; });
  rank.rank = process.rank;
  rank.processes += new_process ? 1 : 0;
  rank.threads += static_cast<int>(process.report.threads.size());
  add(rank.counts, process.report.total);
}

void count_ranks_of_regions(Profile& profile, const std::vector<ProcessCounts>& processes) {
  for (auto& region : profile.regions) {
    std::set<int> ranks;
    for (const auto& process : processes)
      for (const auto& one : process.report.regions)
        if (one.name == region.name) ranks.insert(process.rank);
    region.ranks = static_cast<int>(ranks.size());
  }
}

}  // namespace

std::vector<std::string> precisions(const EventSums& sums) {
  std::set<std::string> all;
  for (const auto& [name, value] : sums)
    if (const auto precision = precision_of(name); !precision.empty()) all.insert(precision);
  return {all.begin(), all.end()};
}

std::optional<double> flops(const EventSums& sums, const std::string& precision) {
  return weighted_sum(
      sums, [&](const std::string& event) { return precision_of(event) == precision ? std::optional(weight_of(event)) : std::nullopt; });
}

std::optional<double> flops(const EventSums& sums) {
  return weighted_sum(
      sums, [](const std::string& event) { return event.starts_with(flops_prefix) ? std::optional(weight_of(event)) : std::nullopt; });
}

std::optional<double> bytes(const EventSums& sums, const std::string& boundary) {
  const std::string prefix = std::string(bytes_prefix) + boundary + ".";
  return weighted_sum(sums, [&](const std::string& event) { return event.starts_with(prefix) ? std::optional(1.0) : std::nullopt; });
}

std::optional<double> arithmetic_intensity(const EventSums& sums, const std::string& boundary) {
  const auto work = flops(sums), traffic = bytes(sums, boundary);
  if (!work || !traffic || *traffic == 0) return std::nullopt;
  return *work / *traffic;
}

std::optional<double> event(const EventSums& sums, std::string_view name) {
  const auto found = sums.find(name);
  if (found == sums.end() || !found->second) return std::nullopt;
  return static_cast<double>(*found->second);
}

Profile merge(const std::vector<ProcessCounts>& processes) {
  Profile profile;
  std::map<std::pair<std::string, std::string>, EventSums> functions;
  for (const auto& process : processes) {
    const bool new_process = is_new(processes, process);
    profile.processes += new_process ? 1 : 0;
    profile.threads += static_cast<int>(process.report.threads.size());
    add(profile.total, process.report.total);
    add_rank(profile, process, new_process);
    add_regions(profile, process.report);
    for (const auto& one : process.report.functions) add(functions[{one.name, one.object}], one.counts);
  }
  count_ranks_of_regions(profile, processes);
  std::sort(profile.ranks.begin(), profile.ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (auto& [key, counts] : functions) profile.functions.push_back({key.first, key.second, std::move(counts)});
  return profile;
}

}  // namespace plumbline
