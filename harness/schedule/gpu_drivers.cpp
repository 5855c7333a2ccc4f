#include "schedule/gpu_drivers.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "schedule/gpu_distance.hpp"

namespace plumbline {
namespace {

constexpr int never = std::numeric_limits<int>::max() / 4;

/// A rank's CPUs, the nearest to a GPU first.
struct DriverReach {
  std::vector<int> cpus;
  int distance = never;  // of the nearest
};

DriverReach reach_of(const GpuOfNode& gpu, const std::vector<int>& allowed, const Topology& node) {
  const GpuDistance distance(node, gpu_at(node, gpu.pci));
  std::vector<CpuFacts> own;
  for (const auto& cpu : node.cpus)
    if (std::find(allowed.begin(), allowed.end(), cpu.cpu) != allowed.end()) own.push_back(cpu);
  std::stable_sort(own.begin(), own.end(), [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  DriverReach reach;
  for (const auto& cpu : own) reach.cpus.push_back(cpu.cpu);
  if (!own.empty()) reach.distance = distance(own.front());
  return reach;
}

/// Gives each GPU a rank: the sum of the squares of the ranks' loads is the least that can be, and of all such ways the sum of distances.
/// Minimum cost flow by successive shortest paths: each further GPU may push others along to ranks that can take them.
class Assignment {
 public:
  /// `costs`: [GPU][rank], `never` where it cannot be.
  explicit Assignment(const std::vector<std::vector<int>>& costs)
      : costs_(costs), rank_of_(costs.size(), -1), load_(costs.empty() ? 0 : costs.front().size(), 0) {
    for (std::size_t gpu = 0; gpu < costs_.size(); ++gpu) add(gpu);
  }
  const std::vector<int>& ranks() const { return rank_of_; }

 private:
  void add(std::size_t gpu) {
    std::vector<int> cost = costs_[gpu], pushed(load_.size(), -1);  // of coming to each rank, and whom it takes from there
    for (bool better = true; better;) {
      better = false;
      for (std::size_t other = 0; other < gpu; ++other) {
        if (rank_of_[other] < 0) continue;
        const auto from = static_cast<std::size_t>(rank_of_[other]);
        if (cost[from] >= never) continue;
        for (std::size_t to = 0; to < load_.size(); ++to) {
          if (costs_[other][to] >= never) continue;
          const int there = cost[from] - costs_[other][from] + costs_[other][to];
          if (there < cost[to]) cost[to] = there, pushed[to] = static_cast<int>(other), better = true;
        }
      }
    }
    int best = -1;
    const auto whole = [&](std::size_t rank) { return cost[rank] + weight() * (2 * load_[rank] + 1); };
    for (std::size_t rank = 0; rank < load_.size(); ++rank)
      if (cost[rank] < never && (best < 0 || whole(rank) < whole(static_cast<std::size_t>(best)))) best = static_cast<int>(rank);
    if (best < 0) return;
    ++load_[static_cast<std::size_t>(best)];
    while (pushed[static_cast<std::size_t>(best)] >= 0)
      best = std::exchange(rank_of_[static_cast<std::size_t>(pushed[static_cast<std::size_t>(best)])], best);
    rank_of_[gpu] = best;
  }
  /// The weight of one GPU more on a rank: it counts more than all distances together.
  int weight() const { return GpuDistance::farthest * static_cast<int>(costs_.size()) + 1; }

  const std::vector<std::vector<int>>& costs_;
  std::vector<int> rank_of_, load_;
};

/// Gives every GPU its turn: in each turn a rank drives the next of its GPUs on the nearest CPU that no other one has in that turn; else in
/// a later turn.
void give_turns(std::vector<GpuDriver>& drivers, const std::vector<std::vector<DriverReach>>& reach) {
  std::vector<std::size_t> waiting;
  for (std::size_t gpu = 0; gpu < drivers.size(); ++gpu)
    if (drivers[gpu].rank >= 0) waiting.push_back(gpu);
  const auto cpus_of = [&](std::size_t gpu) -> const std::vector<int>& {
    return reach[gpu][static_cast<std::size_t>(drivers[gpu].rank)].cpus;
  };
  std::stable_sort(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) { return cpus_of(a).size() < cpus_of(b).size(); });
  for (int turn = 0; !waiting.empty(); ++turn) {
    std::set<int> ranks, cpus;
    std::erase_if(waiting, [&](std::size_t gpu) {
      const auto& near = cpus_of(gpu);
      const auto cpu = std::find_if(near.begin(), near.end(), [&](int one) { return !cpus.contains(one); });
      if (ranks.contains(drivers[gpu].rank) || cpu == near.end()) return false;
      drivers[gpu].turn = turn;
      drivers[gpu].cpu = *cpu;
      ranks.insert(drivers[gpu].rank);
      cpus.insert(*cpu);
      return true;
    });
  }
}

/// The GPUs that a rank sees, in the order in which it does.
std::vector<std::size_t> seen_by(std::size_t rank, const std::vector<GpuOfNode>& gpus) {
  std::vector<std::size_t> seen;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
    if (gpus[gpu].seen_as[rank] >= 0) seen.push_back(gpu);
  std::ranges::sort(seen, {}, [&](std::size_t gpu) { return gpus[gpu].seen_as[rank]; });
  return seen;
}

/// Ranks take GPUs one after the other; one that finds all taken that it sees has another rank move on to a free one (augmenting paths).
class OneEach {
 public:
  explicit OneEach(const std::vector<GpuOfNode>& gpus) : gpus_(gpus), rank_of_(gpus.size(), -1) {}
  bool add(int rank) {
    tried_.clear();
    return finds(rank);
  }
  /// The GPU of each of so many ranks.
  std::vector<int> of_ranks(int ranks) const {
    std::vector<int> of_rank(static_cast<std::size_t>(ranks), -1);
    for (std::size_t gpu = 0; gpu < rank_of_.size(); ++gpu)
      if (rank_of_[gpu] >= 0) of_rank[static_cast<std::size_t>(rank_of_[gpu])] = static_cast<int>(gpu);
    return of_rank;
  }

 private:
  bool finds(int rank) {
    const std::vector<std::size_t> seen = seen_by(static_cast<std::size_t>(rank), gpus_);
    const auto take = [&](std::size_t gpu) {
      rank_of_[gpu] = rank;
      return true;
    };
    for (const std::size_t gpu : seen)
      if (rank_of_[gpu] < 0) return take(gpu);
    for (const std::size_t gpu : seen)
      if (tried_.insert(gpu).second && finds(rank_of_[gpu])) return take(gpu);
    return false;
  }

  const std::vector<GpuOfNode>& gpus_;
  std::vector<int> rank_of_;  // [gpu]; -1: free
  std::set<std::size_t> tried_;
};

}  // namespace

std::vector<int> gpus_of_team(const std::vector<GpuOfNode>& gpus, int ranks) {
  OneEach team(gpus);
  for (int rank = 0; rank < ranks; ++rank)
    if (!team.add(rank)) return {};
  return team.of_ranks(ranks);
}

std::vector<GpuOfNode> gpus_of_node(const std::vector<std::vector<SeenGpu>>& ranks) {
  std::map<std::string, std::vector<std::string>> uuids;  // of each address, as any rank sees them
  for (const auto& rank : ranks)
    for (const SeenGpu& seen : rank)
      if (auto& known = uuids[seen.pci]; !seen.uuid.empty() && std::find(known.begin(), known.end(), seen.uuid) == known.end())
        known.push_back(seen.uuid);
  std::map<std::tuple<std::string, std::string, int>, GpuOfNode> found;  // by address, UUID, and place among those without one
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::map<std::string, std::vector<std::string>> others = uuids;  // that this rank has not seen by their UUIDs
    for (const SeenGpu& seen : ranks[rank]) std::erase(others[seen.pci], seen.uuid);
    std::map<std::string, int> nameless;
    for (std::size_t place = 0; place < ranks[rank].size(); ++place) {
      const SeenGpu& seen = ranks[rank][place];
      auto& unseen = others[seen.pci];
      std::string uuid = seen.uuid;
      if (uuid.empty() && !unseen.empty()) {  // a driver need not tell it to every rank
        uuid = unseen.front();
        unseen.erase(unseen.begin());
      }
      GpuOfNode& gpu = found[{seen.pci, uuid, uuid.empty() ? nameless[seen.pci]++ : 0}];
      gpu.pci = seen.pci;
      gpu.uuid = uuid;
      gpu.seen_as.resize(ranks.size(), -1);
      gpu.seen_as[rank] = static_cast<int>(place);
    }
  }
  std::vector<GpuOfNode> gpus;
  for (auto& [key, gpu] : found) gpus.push_back(std::move(gpu));
  return gpus;
}

std::vector<GpuDriver> drivers_of(const std::vector<GpuOfNode>& gpus, const std::vector<std::vector<int>>& allowed, const Topology& node) {
  std::vector<std::vector<DriverReach>> reach(gpus.size());
  std::vector<std::vector<int>> costs(gpus.size(), std::vector<int>(allowed.size(), never));
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
    for (std::size_t rank = 0; rank < allowed.size(); ++rank) {
      reach[gpu].push_back(gpus[gpu].seen_as[rank] < 0 ? DriverReach() : reach_of(gpus[gpu], allowed[rank], node));
      costs[gpu][rank] = reach[gpu].back().distance;
    }
  const Assignment assigned(costs);
  std::vector<GpuDriver> drivers(gpus.size());
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    drivers[gpu].rank = assigned.ranks()[gpu];
    if (drivers[gpu].rank < 0) drivers[gpu].refusal = "no rank that sees it may use any CPU of this node";
  }
  give_turns(drivers, reach);
  return drivers;
}

}  // namespace plumbline
