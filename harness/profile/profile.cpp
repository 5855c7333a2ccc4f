#include "profile/profile.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

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
  for (const auto& one : report.regions) {
    auto& region = find_or_append(profile.regions, [&](const auto& known) { return known.name == one.name; });
    region.name = one.name;
    region.entries += one.entries;
    region.open = region.open || one.open;
    add(region.counts, one.counts);
    add(region.reuse, one.reuse);
  }
}

/// The processes and threads that took part, each once. What a process was before it executed another program is the same process, and its
/// threads, told by their numbers, are the same threads.
class Participants {
 public:
  void add(const ProcessCounts& process) {
    ranks_.insert(process.rank);
    processes_.emplace(process.rank, process.report.pid);
  }
  void add(const ProcessCounts& process, int thread) {
    add(process);
    threads_.emplace(process.rank, process.report.pid, thread);
  }
  int ranks() const { return static_cast<int>(ranks_.size()); }
  int processes() const { return static_cast<int>(processes_.size()); }
  int threads() const { return static_cast<int>(threads_.size()); }

 private:
  std::set<int> ranks_;
  std::set<std::pair<int, int>> processes_;
  std::set<std::tuple<int, int, int>> threads_;
};

void count_participants(Profile& profile, const std::vector<ProcessCounts>& processes) {
  Participants all;
  std::map<int, Participants> of_rank;
  std::map<std::string, Participants> of_region;
  for (const auto& process : processes) {
    for (Participants* these : {&all, &of_rank[process.rank]}) {
      these->add(process);
      for (const auto& thread : process.report.threads) these->add(process, thread.thread);
    }
    for (const auto& region : process.report.regions) of_region[region.name].add(process, region.thread);
  }
  profile.processes = all.processes(), profile.threads = all.threads();
  for (auto& rank : profile.ranks) rank.processes = of_rank[rank.rank].processes(), rank.threads = of_rank[rank.rank].threads();
  for (auto& region : profile.regions) {
    const Participants& those = of_region[region.name];
    region.ranks = those.ranks(), region.processes = those.processes(), region.threads = those.threads();
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

void add(std::optional<ReuseDistances>& to, const std::optional<ReuseDistances>& more) {
  if (!more) return;
  if (!to) to.emplace();
  add(*to, *more);
}

void add(std::vector<CodePiece>& to, const std::vector<CodePiece>& more) {
  std::vector<CodePiece> all = std::move(to);
  all.insert(all.end(), more.begin(), more.end());
  std::ranges::stable_sort(all, {}, &CodePiece::begin);
  to.clear();
  for (CodePiece& piece : all) {
    if (to.empty() || to.back().begin != piece.begin) {
      to.push_back(std::move(piece));
      continue;
    }
    CodePiece& known = to.back();
    add(known.counts, piece.counts);
    known.end = std::max(known.end, piece.end);
    known.jumps_anywhere = known.jumps_anywhere || piece.jumps_anywhere;
    for (const std::uint64_t address : piece.leads_to)
      if (std::ranges::count(known.leads_to, address) == 0) known.leads_to.push_back(address);
  }
}

void scale(std::vector<ProcessCounts>& processes, double factor) {
  const auto scale_sums = [factor](EventSums& sums) {
    for (auto& [event, sum] : sums)
      if (sum) sum = static_cast<std::uint64_t>(std::llround(factor * static_cast<double>(*sum)));
  };
  for (auto& [rank, report] : processes) {
    scale_sums(report.total);
    const auto scale_reuse = [factor](std::optional<ReuseDistances>& reuse) {
      if (reuse) scale(*reuse, factor);
    };
    for (auto& thread : report.threads) scale_sums(thread.counts), scale_reuse(thread.reuse);
    for (auto& region : report.regions) scale_sums(region.counts), scale_reuse(region.reuse);
    for (auto& function : report.functions) {
      scale_sums(function.counts), scale_reuse(function.reuse);
      for (auto& piece : function.pieces) scale_sums(piece.counts);
    }
  }
}

Profile merge(const std::vector<ProcessCounts>& processes) {
  Profile profile;
  struct Code {
    EventSums counts = {};
    std::vector<CodePiece> pieces = {};
    std::optional<ReuseDistances> reuse = {};
  };
  std::map<std::tuple<std::string, std::string, std::uint64_t>, Code> functions;
  for (const auto& process : processes) {
    add(profile.total, process.report.total);
    for (const auto& thread : process.report.threads) add(profile.reuse, thread.reuse);
    auto& rank = find_or_append(profile.ranks, [&](const auto& known) { return known.rank == process.rank; });
    rank.rank = process.rank;
    add(rank.counts, process.report.total);
    add_regions(profile, process.report);
    for (const auto& one : process.report.functions) {
      Code& code = functions[{one.name, one.object, one.begin}];
      add(code.counts, one.counts);
      add(code.pieces, one.pieces);
      add(code.reuse, one.reuse);
    }
  }
  count_participants(profile, processes);
  std::sort(profile.ranks.begin(), profile.ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (auto& [key, code] : functions)
    profile.functions.push_back(
        {std::get<0>(key), std::get<1>(key), std::get<2>(key), std::move(code.counts), std::move(code.pieces), std::move(code.reuse)});
  return profile;
}

}  // namespace plumbline
