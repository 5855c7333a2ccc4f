#include "profile/loops.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

namespace plumbline {
namespace {

using Nodes = std::vector<std::size_t>;

/// The pieces as a graph.
struct Graph {
  std::vector<Nodes> next;
  std::vector<bool> is_head;  // of a loop that was found: the ways to it are that loop's, and count no more
};

Graph graph_of(const std::vector<CodePiece>& pieces, std::uint64_t entry) {
  std::map<std::uint64_t, std::size_t> at;
  for (std::size_t i = 0; i < pieces.size(); ++i) at[pieces[i].begin] = i;
  Graph graph{std::vector<Nodes>(pieces.size()), std::vector<bool>(pieces.size())};
  std::vector<bool> is_reached(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const std::uint64_t address : pieces[i].leads_to)
      if (const auto to = at.find(address); to != at.end()) graph.next[i].push_back(to->second), is_reached[to->second] = true;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::size_t to = 0; pieces[i].jumps_anywhere && to < pieces.size(); ++to)
      if (!is_reached[to] && pieces[to].begin != entry) graph.next[i].push_back(to);
  return graph;
}

/// The strongly connected parts of some nodes (Tarjan 1972).
class ConnectedParts {
 public:
  ConnectedParts(const Graph& graph, const Nodes& nodes) : graph_(graph), of_(graph.next.size()) {
    for (const std::size_t node : nodes) of_[node].is_in = true;
    for (const std::size_t node : nodes)
      if (of_[node].number == 0) visit(node);
  }
  const std::vector<Nodes>& parts() const { return parts_; }

 private:
  struct Visit {
    bool is_in = false, is_open = false;
    std::size_t number = 0, lowest = 0;
  };

  /// A node on the way from the first, and how many of the ways on from it were looked at.
  struct Step {
    std::size_t node = 0, looked_at = 0;
  };

  /// The way is kept here, and not in calls, since a function may have more pieces than a stack has room for calls.
  void visit(std::size_t first) {
    enter(first);
    while (!way_.empty()) {
      Step& step = way_.back();
      Visit& here = of_[step.node];
      if (step.looked_at == graph_.next[step.node].size()) {
        if (here.lowest == here.number) close(step.node);
        way_.pop_back();
        continue;
      }
      const std::size_t to = graph_.next[step.node][step.looked_at];
      const bool leads_on = of_[to].is_in && !graph_.is_head[to];
      if (leads_on && of_[to].number == 0) {
        enter(to);  // and this is looked at again behind it
        continue;
      }
      if (leads_on && of_[to].is_open) here.lowest = std::min(here.lowest, of_[to].lowest);
      ++step.looked_at;
    }
  }

  void enter(std::size_t node) {
    of_[node].number = of_[node].lowest = ++visited_, of_[node].is_open = true;
    open_.push_back(node);
    way_.push_back({node});
  }

  /// Takes the part that begins with the node off the open nodes, of which it is the last.
  void close(std::size_t node) {
    const auto first = std::find(open_.rbegin(), open_.rend(), node).base() - 1;
    parts_.emplace_back(first, open_.end());
    open_.erase(first, open_.end());
    for (const std::size_t member : parts_.back()) of_[member].is_open = false;
  }

  const Graph& graph_;
  std::vector<Visit> of_;
  std::size_t visited_ = 0;
  Nodes open_;
  std::vector<Step> way_;
  std::vector<Nodes> parts_;
};

class LoopFinder {
 public:
  LoopFinder(const std::vector<CodePiece>& pieces, std::uint64_t entry) : pieces_(pieces), entry_(entry), graph_(graph_of(pieces, entry)) {}

  std::vector<CodeLoop> find() {
    Nodes all(pieces_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    find_in(all, std::nullopt);
    for (CodeLoop& loop : loops_) std::ranges::sort(loop.pieces, {}, [&](std::size_t i) { return pieces_[i].begin; });
    return std::move(loops_);
  }

 private:
  void find_in(const Nodes& nodes, std::optional<std::size_t> around) {
    const ConnectedParts connected(graph_, nodes);
    for (const Nodes& part : connected.parts()) {
      const std::size_t first = part.front();
      const bool is_loop = part.size() > 1 || (!graph_.is_head[first] && std::ranges::count(graph_.next[first], first) > 0);
      if (is_loop)
        add_loop(part);
      else if (around)
        loops_[*around].pieces.push_back(first);
    }
  }

  void add_loop(const Nodes& part) {
    const std::size_t head = head_of(part), number = loops_.size();
    loops_.push_back({pieces_[head].begin, way_back(part, head), {}});
    graph_.is_head[head] = true;
    find_in(part, number);
  }

  /// The piece by which the part is entered from elsewhere, the first where there are several.
  std::size_t head_of(const Nodes& part) const {
    std::vector<bool> is_in(pieces_.size()), is_entered(pieces_.size());
    for (const std::size_t node : part) is_in[node] = true, is_entered[node] = pieces_[node].begin == entry_;
    for (std::size_t node = 0; node < pieces_.size(); ++node)
      for (const std::size_t to : graph_.next[node])
        if (!is_in[node] && is_in[to]) is_entered[to] = true;
    return std::ranges::min(part, {}, [&](std::size_t node) { return std::pair(!is_entered[node], pieces_[node].begin); });
  }

  std::uint64_t way_back(const Nodes& part, std::size_t head) const {
    const auto runs = [&](std::size_t node) {
      const auto branches = pieces_[node].counts.find(std::string_view("branches"));
      return std::pair(branches == pieces_[node].counts.end() ? 0 : branches->second.value_or(0), pieces_[node].end);
    };
    Nodes ends;
    for (const std::size_t node : part)
      if (std::ranges::count(graph_.next[node], head) > 0) ends.push_back(node);
    return pieces_[std::ranges::max(ends, {}, runs)].end - 1;
  }

  const std::vector<CodePiece>& pieces_;
  std::uint64_t entry_;
  Graph graph_;
  std::vector<CodeLoop> loops_;
};

}  // namespace

std::vector<CodeLoop> loops_of(const std::vector<CodePiece>& pieces, std::uint64_t entry) { return LoopFinder(pieces, entry).find(); }

}  // namespace plumbline
