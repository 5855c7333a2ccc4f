#include "schedule/team_placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace plumbline {
namespace {

using Cpus = std::vector<int>;
using Domains = std::vector<Cpus>;  // usable CPUs of each NUMA domain, in the order in which threads take them

// The CPUs that may be used, by NUMA domain; in each the first threads of all cores, then (unless cores_only) the second ones, and so on.
Domains usable_domains(const Topology& node, bool cores_only) {
  std::map<int, std::map<int, std::vector<int>>> by_core;  // domain -> core -> its allowed CPUs
  for (const auto& cpu : node.cpus)
    if (cpu.allowed) by_core[cpu.numa][cpu.core].push_back(cpu.cpu);
  Domains domains;
  for (const auto& [domain, cores] : by_core) {
    auto& usable = domains.emplace_back();
    for (std::size_t sibling = 0, before = 1; usable.size() != before; ++sibling) {
      before = usable.size();
      for (const auto& [core, cpus] : cores)
        if (sibling < cpus.size()) usable.push_back(cpus[sibling]);
      if (cores_only) break;
    }
  }
  return domains;
}

// The part of `all` that the index-th of `parts` gets.
Cpus slice(const Cpus& all, int index, int parts) {
  const auto at = [&](int i) {
    return static_cast<std::ptrdiff_t>(all.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts));
  };
  return {all.begin() + at(index), all.begin() + at(index + 1)};
}

Cpus joined(const Domains& domains, std::size_t begin, std::size_t end) {
  Cpus all;
  for (std::size_t d = begin; d < end; ++d) all.insert(all.end(), domains[d].begin(), domains[d].end());
  return all;
}

// The CPUs that every rank may take when no rank straddles domains: several ranks share one domain, or one rank has several.
std::vector<Cpus> shares_by_domain(const Domains& domains, int ranks) {
  const int count = static_cast<int>(domains.size());
  std::vector<Cpus> shares;
  for (int rank = 0; rank < ranks; ++rank) {
    if (ranks <= count) {
      shares.push_back(
          joined(domains, static_cast<std::size_t>(rank * count / ranks), static_cast<std::size_t>((rank + 1) * count / ranks)));
      continue;
    }
    const int home = rank * count / ranks;
    const int first = (home * ranks + count - 1) / count, after = ((home + 1) * ranks + count - 1) / count;  // ranks at home here
    shares.push_back(slice(domains[static_cast<std::size_t>(home)], rank - first, after - first));
  }
  return shares;
}

std::vector<Cpus> even_shares(const Domains& domains, int ranks) {
  const Cpus all = joined(domains, 0, domains.size());
  std::vector<Cpus> shares;
  for (int rank = 0; rank < ranks; ++rank) shares.push_back(slice(all, rank, ranks));
  return shares;
}

// The first threads' worth of each share; nullopt when one is too small.
std::optional<std::vector<Cpus>> take(std::vector<Cpus> shares, int threads) {
  for (auto& share : shares) {
    if (share.size() < static_cast<std::size_t>(threads)) return std::nullopt;
    share.resize(static_cast<std::size_t>(threads));
  }
  return shares;
}

std::vector<Cpus> in_turn(const Cpus& all, Team team) {
  std::vector<Cpus> cpus(static_cast<std::size_t>(team.ranks));
  std::size_t next = 0;
  for (auto& rank : cpus)
    for (int thread = 0; thread < team.threads; ++thread) rank.push_back(all[next++ % all.size()]);
  return cpus;
}

Topology restricted(Topology node, const Cpus& allowed) {
  for (auto& cpu : node.cpus) cpu.allowed = std::find(allowed.begin(), allowed.end(), cpu.cpu) != allowed.end();
  return node;
}

constexpr std::string_view unbound = "launch without binding (srun --cpu-bind=none, mpiexec -bind-to none)";

std::string too_small(Team team, std::size_t allowed, std::size_t of_node) {
  const int needed = team.ranks * team.threads;
  if (allowed >= of_node)
    return fmt::format("team {} needs {} CPUs, this node has {}; use fewer threads, or oversubscribe = true", team.name(), needed, of_node);
  return fmt::format(
      "team {} needs {} CPUs, and the launcher (or the job's CPU set) left {} of the node's {} to its ranks; {}, use fewer "
      "threads, or oversubscribe = true",
      team.name(), needed, allowed, of_node, unbound);
}

}  // namespace

std::vector<int> shared_cpus(const std::vector<std::vector<int>>& cpus) {
  std::map<int, int> uses;
  for (const auto& rank : cpus)
    for (const int cpu : rank) ++uses[cpu];
  std::vector<int> shared;
  for (const auto& [cpu, times] : uses)
    if (times > 1) shared.push_back(cpu);
  return shared;
}

std::string scope_of(const Topology& node, const std::vector<std::vector<int>>& cpus) {
  std::set<int> used, all;  // cores
  for (const auto& cpu : node.cpus) {
    all.insert(cpu.core);
    for (const auto& rank : cpus)
      if (std::find(rank.begin(), rank.end(), cpu.cpu) != rank.end()) used.insert(cpu.core);
  }
  const auto fills = [&](auto same) {  // exactly the cores that are `same` as the first one used
    const auto first = std::find_if(node.cpus.begin(), node.cpus.end(), [&](const CpuFacts& cpu) { return used.contains(cpu.core); });
    std::set<int> like;
    for (const auto& cpu : node.cpus)
      if (same(cpu, *first)) like.insert(cpu.core);
    return like == used;
  };
  if (used.empty()) return "";
  if (used.size() == 1) return "core";
  if (used == all) return "node";
  if (fills([](const CpuFacts& a, const CpuFacts& b) { return a.package == b.package; })) return "socket";
  if (fills([](const CpuFacts& a, const CpuFacts& b) { return a.numa == b.numa; })) return "NUMA domain";
  return fmt::format("{} of {} cores", used.size(), all.size());
}

bool is_in_one_domain(const Topology& node, const std::vector<std::vector<int>>& cpus) {
  std::set<int> domains;
  for (const auto& cpu : node.cpus)
    for (const auto& rank : cpus)
      if (std::find(rank.begin(), rank.end(), cpu.cpu) != rank.end()) domains.insert(cpu.numa);
  return domains.size() == 1;
}

int ranks_on_one_l3(const Topology& node, const std::vector<std::vector<int>>& cpus) {
  const auto l3 = std::find_if(node.caches.begin(), node.caches.end(), [](const CacheFacts& cache) { return cache.level == 3; });
  if (l3 == node.caches.end() || l3->shared_by_cpus <= 0) return 1;
  std::map<std::size_t, std::set<std::size_t>> ranks_on;  // by L3: neighbours in `cpus` share one
  for (std::size_t at = 0; at < node.cpus.size(); ++at)
    for (std::size_t rank = 0; rank < cpus.size(); ++rank)
      if (std::find(cpus[rank].begin(), cpus[rank].end(), node.cpus[at].cpu) != cpus[rank].end())
        ranks_on[at / static_cast<std::size_t>(l3->shared_by_cpus)].insert(rank);
  std::size_t most = 1;
  for (const auto& [cache, ranks] : ranks_on) most = std::max(most, ranks.size());
  return static_cast<int>(most);
}

TeamPlacement place_team(const Topology& node, Team team, bool oversubscribe) {
  TeamPlacement placement;
  for (const bool cores_only : {true, false}) {
    const Domains domains = usable_domains(node, cores_only);
    if (domains.empty()) break;
    for (const auto shares_of : {shares_by_domain, even_shares})
      if (auto cpus = take(shares_of(domains, team.ranks), team.threads)) {
        placement.cpus = std::move(*cpus);
        return placement;
      }
  }
  const Cpus all = node.allowed_cpus();
  if (all.empty() || !oversubscribe) {
    placement.refusal = all.empty() ? "no CPU of this node may be used" : too_small(team, all.size(), node.cpus.size());
    return placement;
  }
  placement.cpus = in_turn(all, team);
  placement.oversubscribed = !shared_cpus(placement.cpus).empty();
  return placement;
}

TeamPlacement place_team(const Topology& node, const std::vector<std::vector<int>>& allowed, Team team, bool oversubscribe) {
  TeamPlacement placement;
  if (allowed.size() < static_cast<std::size_t>(team.ranks)) {
    placement.refusal = fmt::format("team {} needs {} ranks on a node, this one has {}", team.name(), team.ranks, allowed.size());
    return placement;
  }
  const std::vector<Cpus> own(allowed.begin(), allowed.begin() + team.ranks);
  if (std::all_of(own.begin(), own.end(), [&](const auto& set) { return set == own.front(); }))
    return place_team(restricted(node, own.front()), team, oversubscribe);
  for (std::size_t rank = 0; rank < own.size(); ++rank) {
    auto alone = place_team(restricted(node, own[rank]), {1, team.threads}, oversubscribe);
    if (!alone.refusal.empty()) {
      placement.cpus.clear();
      placement.refusal = fmt::format("rank {}: the launcher bound it to {} of the node's {} CPUs, and team {} has {} threads a rank; {}",
                                      rank, own[rank].size(), node.cpus.size(), team.name(), team.threads, unbound);
      return placement;
    }
    placement.oversubscribed = placement.oversubscribed || alone.oversubscribed;
    placement.cpus.push_back(std::move(alone.cpus.front()));
  }
  const auto shared = shared_cpus(placement.cpus);
  placement.oversubscribed = placement.oversubscribed || !shared.empty();
  if (placement.oversubscribed && !oversubscribe) {
    placement.cpus.clear();
    placement.oversubscribed = false;
    placement.refusal =
        fmt::format("the launcher bound ranks to overlapping CPUs, so that CPU {} would be used twice; {}, or oversubscribe = true",
                    fmt::join(shared, ", "), unbound);
  }
  return placement;
}

}  // namespace plumbline
