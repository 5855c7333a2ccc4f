#include "schedule/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "schedule/shuffle.hpp"

namespace plumbline {
namespace {

using Lists = std::vector<std::vector<std::size_t>>;  // [node]: its cases in order

class Planner {
 public:
  Planner(const std::vector<Case>& cases, const PlanRequest& request)
      : cases_(cases), request_(request), order_(shuffled(cases.size(), request.seed)), lists_(request.nodes.size()) {}

  Plan make() && {
    request_.distribute ? distribute() : every_node();
    in_rounds();
    return std::move(plan_);
  }

 private:
  // Why a node cannot run a case; empty when it can.
  std::string reason(std::size_t which, std::size_t node) const {
    const PlanNode& facts = request_.nodes[node];
    const Team& team = cases_[which].team;
    if (team.ranks > facts.ranks)
      return fmt::format("team {} needs {} ranks on a node, {} runs {}; start more ranks a node", team.name(), team.ranks, facts.name,
                         facts.ranks);
    if (!request_.needs.empty() && !request_.needs[which].empty() &&
        std::find(facts.isas.begin(), facts.isas.end(), request_.needs[which]) == facts.isas.end())
      return fmt::format("needs ISA {}; {} runs {}", request_.needs[which], facts.name, fmt::join(facts.isas, ", "));
    return request_.refusal ? request_.refusal(which, node) : "";
  }

  bool finished(std::size_t which, std::size_t node) const { return request_.finished && request_.finished(which, node); }

  void every_node() {
    for (const auto which : order_)
      for (std::size_t node = 0; node < lists_.size(); ++node) {
        if (finished(which, node)) continue;
        auto why = reason(which, node);
        if (why.empty())
          lists_[node].push_back(which);
        else
          plan_.skipped.push_back({which, node, std::move(why)});
      }
  }

  // Every kind of node measures all cases, spread over its members.
  void distribute() {
    std::map<std::string, std::vector<std::size_t>> kinds;
    for (std::size_t node = 0; node < lists_.size(); ++node) kinds[request_.nodes[node].kind].push_back(node);
    for (const auto& [kind, members] : kinds) spread(members);
    for (auto& list : lists_) std::sort(list.begin(), list.end(), [&](auto a, auto b) { return position(a) < position(b); });
  }

  // The longest case first, each to the member with the least to do (Graham 1969: at most 4/3 of the best).
  void spread(const std::vector<std::size_t>& members) {
    std::vector<std::size_t> longest_first = order_;
    std::stable_sort(longest_first.begin(), longest_first.end(), [&](auto a, auto b) { return seconds(a) > seconds(b); });
    std::map<std::size_t, double> load;
    for (const auto which : longest_first) {
      if (std::any_of(members.begin(), members.end(), [&](auto node) { return finished(which, node); })) continue;
      std::string why;
      const std::size_t* best = nullptr;
      for (const auto& node : members) {
        auto refusal = reason(which, node);
        if (!refusal.empty())
          why = why.empty() ? std::move(refusal) : why;
        else if (best == nullptr || load[node] < load[*best])
          best = &node;
      }
      if (best == nullptr) {
        plan_.skipped.push_back({which, members.front(), std::move(why)});
        continue;
      }
      load[*best] += seconds(which);
      lists_[*best].push_back(which);
    }
  }

  // every_node: all nodes that measure a case do so in the same round, so that nobody waits for another kind of work.
  void in_rounds() {
    std::vector<std::size_t> next(lists_.size());
    const auto round = [&](auto belongs) {
      std::vector<std::optional<std::size_t>> one(lists_.size());
      for (std::size_t node = 0; node < lists_.size(); ++node)
        if (next[node] < lists_[node].size() && belongs(lists_[node][next[node]])) one[node] = lists_[node][next[node]++];
      if (std::any_of(one.begin(), one.end(), [](const auto& what) { return what.has_value(); })) plan_.rounds.push_back(std::move(one));
    };
    if (request_.distribute) {
      std::size_t longest_list = 0;
      for (const auto& list : lists_) longest_list = std::max(longest_list, list.size());
      for (std::size_t r = 0; r < longest_list; ++r) round([](std::size_t) { return true; });
    } else {
      for (const auto which : order_) round([&](std::size_t what) { return what == which; });
    }
    for (const auto& one : plan_.rounds) plan_.seconds += longest(one);
  }

  double longest(const std::vector<std::optional<std::size_t>>& round) const {
    double most = 0;
    for (const auto& what : round)
      if (what) most = std::max(most, seconds(*what));
    return most;
  }

  double seconds(std::size_t which) const { return request_.seconds.empty() ? 1 : request_.seconds[which]; }
  std::size_t position(std::size_t which) {
    if (position_.empty()) {
      position_.resize(order_.size());
      for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    }
    return position_[which];
  }

  const std::vector<Case>& cases_;
  const PlanRequest& request_;
  std::vector<std::size_t> order_, position_;
  Lists lists_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const std::vector<Case>& cases, const PlanRequest& request) { return Planner(cases, request).make(); }

}  // namespace plumbline
