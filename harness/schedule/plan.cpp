#include "schedule/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "schedule/shuffle.hpp"

namespace plumbline {
namespace {

class Planner {
 public:
  Planner(const std::vector<Case>& cases, const PlanRequest& request)
      : cases_(cases), request_(request), order_(shuffled(cases.size(), request.seed)) {
    if (request.in_written_order) std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  Plan make() && {
    request_.distribute ? distribute() : every_node();
    for (const auto& round : plan_.rounds) plan_.seconds += longest(round);
    return std::move(plan_);
  }

 private:
  // The reason why a node cannot run a case; empty when it can.
  std::string reason(std::size_t which, std::size_t node) const {
    const PlanNode& facts = request_.nodes[node];
    const Team& team = cases_[which].team;
    if (team.ranks > facts.ranks)
      return fmt::format("team {} needs {} ranks on a node, {} runs {}; start more ranks a node", team.name(), team.ranks, facts.name,
                         facts.ranks);
    const bool gpu = team.gpus > 0;
    const auto& runs = gpu ? facts.gpu_flavors : facts.isas;
    if (gpu && !request_.needs.empty() && request_.needs[which].empty() && runs.empty())
      return fmt::format("needs a GPU; {}: {}", facts.name, facts.gpus);
    if (!request_.needs.empty() && !request_.needs[which].empty() &&
        std::find(runs.begin(), runs.end(), request_.needs[which]) == runs.end())
      return gpu ? fmt::format("needs a GPU that runs {}; {}: {}", request_.needs[which], facts.name, facts.gpus)
                 : fmt::format("needs ISA {}; {} runs {}", request_.needs[which], facts.name, fmt::join(facts.isas, ", "));
    return request_.refusal ? request_.refusal(which, node) : "";
  }

  bool finished(std::size_t which, std::size_t node) const { return request_.finished && request_.finished(which, node); }

  /// All nodes that measure a case do so in the same round, so that nobody waits for another kind of work; in turns, in rounds that follow
  /// each other.
  void every_node() {
    for (const auto which : order_) {
      std::vector<std::size_t> able;
      for (std::size_t node = 0; node < request_.nodes.size() && (able.empty() || request_.turns); ++node)
        if (!finished(which, node) && reason(which, node).empty()) able.push_back(node);
      const bool here = is_done_here(which);
      if (request_.turns)
        for (const auto node : able) add_round(which, here && node == request_.here);
      else if (!able.empty())
        add_round(which, here);
    }
  }

  /// Whether the case is to be measured on this node. It is not where it is finished, or where it is skipped, which is noted.
  bool is_done_here(std::size_t which) {
    if (request_.here >= request_.nodes.size() || finished(which, request_.here)) return false;
    auto why = reason(which, request_.here);
    if (why.empty()) return true;
    plan_.skipped.push_back({which, request_.here, std::move(why)});
    return false;
  }

  void add_round(std::size_t which, bool here) {
    plan_.rounds.push_back({.cases = {which}, .here = here ? std::optional(which) : std::nullopt});
  }

  // Every kind of node measures all cases, spread over its members.
  void distribute() {
    std::map<std::string, std::vector<std::size_t>> kinds;
    for (std::size_t node = 0; node < request_.nodes.size(); ++node) kinds[request_.nodes[node].kind].push_back(node);
    std::vector<std::vector<std::size_t>> lists(request_.nodes.size());  // [node]: its cases
    for (const auto& [kind, members] : kinds) spread(members, lists);
    std::vector<std::size_t> position(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    for (std::size_t node = 0; node < lists.size(); ++node) {
      auto& list = lists[node];
      std::sort(list.begin(), list.end(), [&](auto a, auto b) { return position[a] < position[b]; });
      if (plan_.rounds.size() < list.size()) plan_.rounds.resize(list.size());
      for (std::size_t round = 0; round < list.size(); ++round) {
        plan_.rounds[round].cases.push_back(list[round]);
        if (node == request_.here) plan_.rounds[round].here = list[round];
      }
    }
    for (auto& round : plan_.rounds) {  // kinds measure the same cases
      std::sort(round.cases.begin(), round.cases.end());
      round.cases.erase(std::unique(round.cases.begin(), round.cases.end()), round.cases.end());
    }
  }

  /// A group of nodes that run the same cases; the one with the least to do comes first, of those the first.
  struct Alike {
    std::size_t one = 0;
    std::set<std::pair<double, std::size_t>> by_load;
  };

  std::vector<Alike> alike(const std::vector<std::size_t>& members) const {
    std::map<std::string, Alike> groups;
    for (const auto node : members) {
      const PlanNode& facts = request_.nodes[node];
      const std::string key = fmt::format("{}/{}/{}/{}", facts.ranks, fmt::join(facts.isas, ","), fmt::join(facts.gpu_flavors, ","),
                                          request_.refusal ? node : 0);
      Alike& group = groups.try_emplace(key, Alike{.one = node, .by_load = {}}).first->second;
      group.by_load.emplace(0, node);
    }
    std::vector<Alike> all;
    for (auto& [key, group] : groups) all.push_back(std::move(group));
    std::sort(all.begin(), all.end(), [](const Alike& a, const Alike& b) { return a.one < b.one; });
    return all;
  }

  // The longest case first, each to the member with the least to do (Graham 1969: at most 4/3 of the best).
  void spread(const std::vector<std::size_t>& members, std::vector<std::vector<std::size_t>>& lists) {
    std::vector<std::size_t> longest_first = order_;
    std::stable_sort(longest_first.begin(), longest_first.end(), [&](auto a, auto b) { return seconds(a) > seconds(b); });
    std::vector<Alike> groups = alike(members);
    for (const auto which : longest_first) {
      if (finished(which, members.front())) continue;
      std::string why;
      Alike* best = nullptr;
      for (Alike& group : groups) {
        auto refusal = reason(which, group.one);
        if (!refusal.empty())
          why = why.empty() ? std::move(refusal) : why;
        else if (best == nullptr || *group.by_load.begin() < *best->by_load.begin())
          best = &group;
      }
      if (best == nullptr) {
        if (members.front() == request_.here) plan_.skipped.push_back({which, members.front(), std::move(why)});
        continue;
      }
      const auto [load, node] = *best->by_load.begin();
      best->by_load.erase(best->by_load.begin());
      best->by_load.emplace(load + seconds(which), node);
      lists[node].push_back(which);
    }
  }

  double longest(const Plan::Round& round) const {
    double most = 0;
    for (const auto which : round.cases) most = std::max(most, seconds(which));
    return most;
  }

  double seconds(std::size_t which) const { return request_.seconds.empty() ? 1 : request_.seconds[which]; }

  const std::vector<Case>& cases_;
  const PlanRequest& request_;
  std::vector<std::size_t> order_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const std::vector<Case>& cases, const PlanRequest& request) { return Planner(cases, request).make(); }

}  // namespace plumbline
